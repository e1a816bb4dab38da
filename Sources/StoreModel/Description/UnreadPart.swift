/// Something that stands in a model's file and that no reader gives a meaning to.
public struct UnreadPart: Sendable, Hashable {
    /// Where it stands: `entity Note, attribute title`; empty for the model itself.
    public var place: String
    /// Its name in the file.
    public var name: String
    /// Its value as text; for an object in an archive, the object's class.
    public var value: String
    /// The line in a model's source; nil for a compiled model.
    public var line: Int?

    /// Notes a part.
    public init(place: String, name: String, value: String, line: Int? = nil) {
        self.place = place
        self.name = name
        self.value = value
        self.line = line
    }
}
