/// Which item of a new list each old one became, by renaming identifier and name.
struct RenamingMatch {
    /// Old name by new name.
    private(set) var oldByNew: [String: String] = [:]
    /// New name by old name.
    private(set) var newByOld: [String: String] = [:]
    /// New items whose identifier asks for an old one that another has become, by their names.
    private(set) var conflicts: [String: Conflict] = [:]

    /// An old item that two new ones say they were.
    struct Conflict {
        let old: String
        /// The new item that it has become.
        let other: String
    }

    /// Matches items that are given as name and renaming identifier.
    init(_ old: [(name: String, identifier: String?)], _ new: [(name: String, identifier: String?)]) {
        let oldNames = Set(old.map(\.name))
        let oldByIdentifier = Dictionary(
            old.map { ($0.identifier ?? $0.name, $0.name) }, uniquingKeysWith: { first, _ in first })
        // An identifier that names an old item comes first; one that both kept comes next; then plain names.
        for item in new where item.identifier != nil {
            if let identifier = item.identifier, oldNames.contains(identifier) { add(identifier, item.name) }
        }
        for item in new {
            if let name = oldByIdentifier[item.identifier ?? item.name] { add(name, item.name) }
        }
        for item in new where oldNames.contains(item.name) { add(item.name, item.name) }
        for item in new where oldByNew[item.name] == nil {
            guard let identifier = item.identifier,
                let old = oldNames.contains(identifier) ? identifier : oldByIdentifier[identifier],
                let other = newByOld[old]
            else { continue }
            conflicts[item.name] = Conflict(old: old, other: other)
        }
    }

    private mutating func add(_ old: String, _ new: String) {
        guard newByOld[old] == nil, oldByNew[new] == nil else { return }
        newByOld[old] = new
        oldByNew[new] = old
    }
}
