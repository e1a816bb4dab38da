/// A number of things for a person.
public enum CountText {
    /// `1 row`, `2 rows`.
    public static func text(_ count: some BinaryInteger, _ noun: String, plural: String? = nil) -> String {
        "\(count) \(count == 1 ? noun : plural ?? noun + "s")"
    }
}
