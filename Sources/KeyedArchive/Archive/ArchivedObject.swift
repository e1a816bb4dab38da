import Foundation

/// An object of a keyed archive, or a plain value inside one.
public struct ArchivedObject: Sendable {
    /// The archive that holds it.
    public let archive: KeyedArchive
    /// Its place in the archive, which is its identity; nil for a value that stands in a field itself.
    public let uid: UInt64?
    /// What the archive stores: a dictionary with `$class` for objects, else the plain value.
    public let node: PropertyListNode

    /// Follows a node of the archive. Nil for null, `$null` and UIDs that lead nowhere.
    public init?(_ archive: KeyedArchive, _ node: PropertyListNode) {
        self.archive = archive
        if case .uid(let uid) = node {
            guard uid > 0, uid < UInt64(archive.objects.count) else { return nil }
            let object = archive.objects[Int(uid)]
            // A reference to a reference is in no archive that an archiver made.
            if case .uid = object { return nil }
            if object == .string("$null") { return nil }
            self.uid = uid
            self.node = object
        } else {
            guard node != .null else { return nil }
            self.uid = nil
            self.node = node
        }
    }

    private var classNode: PropertyListNode? {
        guard case .uid(let uid)? = node["$class"], uid < UInt64(archive.objects.count) else { return nil }
        return archive.objects[Int(uid)]
    }

    /// The class's name; nil for plain values.
    public var className: String? {
        classNode?["$classname"]?.string ?? classNode?["$classes"]?.elements?.first?.string
    }

    /// The class and its bases, nearest first; empty for plain values.
    public var classNames: [String] {
        classNode?["$classes"]?.elements?.compactMap(\.string) ?? className.map { [$0] } ?? []
    }

    /// Whether the class or one of its bases has that name; of a mutable class, also where no bases are listed.
    public func isKind(of name: String) -> Bool {
        guard let className else { return classNames.contains(name) }
        return className == name || classNames.contains(name)
            || className.hasPrefix("NSMutable") && className.dropFirst(9) == name.dropFirst(2)
    }

    /// The names of the fields, `$class` left out.
    public var fieldNames: [String] {
        node.dictionary?.keys.filter { $0 != "$class" } ?? []
    }

    /// A field, its reference followed; nil where it is missing or null.
    public subscript(field: String) -> ArchivedObject? {
        node[field].flatMap { ArchivedObject(archive, $0) }
    }
}
