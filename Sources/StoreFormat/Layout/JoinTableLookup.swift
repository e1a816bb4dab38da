import StoreModel

/// Finds the join table of a many-to-many in a file (Format, section 3.4). Which side names the table, and which column
/// gets a suffix when names clash, varies between stores: it is looked up, not computed.
struct JoinTableLookup {
    let catalogue: Catalogue
    let tables: TableColumns

    func table(
        entity: String, relationship: RelationshipDescription, inverse: RelationshipDescription
    ) -> RelationshipLayout.JoinTable? {
        guard let own = catalogue.numbers[entity], let other = catalogue.numbers[relationship.destinationEntityName]
        else { return nil }
        let name = relationship.name.uppercased()
        let inverseName = inverse.name.uppercased()
        if own == other, inverse.name == relationship.name {
            let table = "Z_\(own)\(name)"
            guard let columns = tables[table], columns.contains("REFLEXIVE") else { return nil }
            return .init(
                table: table, ownColumn: "REFLEXIVE", otherColumn: "Z_\(own)\(name)", orderColumn: nil,
                inverseOrderColumn: nil, isReflexive: true)
        }
        for table in ["Z_\(own)\(name)", "Z_\(other)\(inverseName)"] {
            guard let columns = tables[table] else { continue }
            let keys = columns.filter { !$0.hasPrefix("Z_FOK_") }
            // A column Z_<n><REL> holds keys of entity n, the destination of REL.
            guard let mine = pick(keys, "Z_\(own)\(inverseName)"), let yours = pick(keys, "Z_\(other)\(name)"),
                mine != yours
            else { continue }
            let orders = columns.filter { $0.hasPrefix("Z_FOK_") }
            return .init(
                table: table, ownColumn: mine, otherColumn: yours, orderColumn: order(orders, "Z_FOK_\(other)\(name)"),
                inverseOrderColumn: order(orders, "Z_FOK_\(own)\(inverseName)"), isReflexive: false)
        }
        return nil
    }

    private func pick(_ columns: [String], _ wanted: String) -> String? {
        columns.first { $0 == wanted }
            ?? columns.first { $0.hasPrefix(wanted) && $0.dropFirst(wanted.count).allSatisfy(\.isASCIIDigit) }
    }

    private func order(_ columns: [String], _ wanted: String) -> String? {
        let base = Self.withoutSuffix(wanted)
        return columns.first { Self.withoutSuffix($0) == base }
    }

    private static func withoutSuffix(_ name: String) -> Substring {
        var name = Substring(name)
        while let last = name.last, last.isASCIIDigit { name.removeLast() }
        return name
    }
}

extension Character {
    fileprivate var isASCIIDigit: Bool { isASCII && isNumber }
}
