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
            // A column Z_<n><REL> holds keys of entity n, the destination of REL.
            let keys = pick(
                columns.filter { !$0.hasPrefix("Z_FOK_") }, "Z_\(own)\(inverseName)", "Z_\(other)\(name)")
            guard let mine = keys.0, let yours = keys.1 else { continue }
            let orders = orders(
                columns.filter { $0.hasPrefix("Z_FOK_") },
                relationship.isOrdered ? ["Z_FOK_\(yours.dropFirst(2))", "Z_FOK_\(other)\(name)"] : [],
                inverse.isOrdered ? ["Z_FOK_\(mine.dropFirst(2))", "Z_FOK_\(own)\(inverseName)"] : [])
            return .init(
                table: table, ownColumn: mine, otherColumn: yours, orderColumn: orders.0,
                inverseOrderColumn: orders.1, isReflexive: false)
        }
        return nil
    }

    /// The columns of both sides' orders: a side's is named as its column of keys is, and only an ordered side has one.
    private func orders(_ columns: [String], _ first: [String], _ second: [String]) -> (String?, String?) {
        let found = pick(columns, first.first, second.first)
        let left = columns.filter { $0 != found.0 && $0 != found.1 }
        let named = pick(left, found.0 == nil ? first.last : nil, found.1 == nil ? second.last : nil)
        return (found.0 ?? named.0, found.1 ?? named.1)
    }

    /// The columns of two names. Names may end in digits as a clash's suffix does: a column that has a name exactly is that
    /// one's, and no other's with a suffix.
    private func pick(_ columns: [String], _ first: String?, _ second: String?) -> (String?, String?) {
        let exact = (columns.first { $0 == first }, columns.first { $0 == second })
        var left = columns.filter { $0 != exact.0 && $0 != exact.1 }
        func suffixed(_ wanted: String?) -> String? {
            guard let wanted,
                let place = left.firstIndex(where: {
                    $0.hasPrefix(wanted) && $0.dropFirst(wanted.count).allSatisfy(\.isASCIIDigit)
                })
            else { return nil }
            return left.remove(at: place)
        }
        // The longer name first: what begins with it begins with the shorter one too.
        guard (first ?? "").count >= (second ?? "").count else {
            let two = exact.1 ?? suffixed(second)
            return (exact.0 ?? suffixed(first), two)
        }
        let one = exact.0 ?? suffixed(first)
        return (one, exact.1 ?? suffixed(second))
    }
}

extension Character {
    fileprivate var isASCIIDigit: Bool { isASCII && isNumber }
}
