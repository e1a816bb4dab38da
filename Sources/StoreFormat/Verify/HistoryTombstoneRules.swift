import SQLite

/// What deletions keep of their objects (Format, section 8.3).
enum HistoryTombstoneRules {
    static func columns(_ context: VerifyContext) -> [String] {
        (context.tables["ACHANGE"] ?? []).filter { $0.hasPrefix("ZTOMBSTONE") }
    }

    /// - Parameter columns: those that the table has.
    static func checks(_ context: VerifyContext, _ columns: [String]) -> [RowCheck] {
        // The first form of history keeps values in another way.
        guard case .interned = context.store.historyForm else { return [] }
        return context.store.layout.entities.flatMap { entity -> [RowCheck] in
            let kept = entity.tombstoneAttributes
            let isDeletion = "r.ZENTITY = \(entity.number) AND r.ZCHANGETYPE = 2"
            func check(_ condition: String, _ what: String) -> RowCheck {
                RowCheck(
                    rule: "history-tombstone", table: "ACHANGE", condition: "\(isDeletion) AND \(condition)", what: what
                )
            }
            let places = Set(kept.indices.map { "ZTOMBSTONE\($0)" })
            var checks = columns.filter { !places.contains($0) }.map { column in
                check(
                    "\(column.ofRow) IS NOT NULL",
                    "'\(column) is set, and \(entity.name) keeps \(kept.isEmpty ? "nothing" : "\(kept.count)")'")
            }
            for (place, attribute) in kept.enumerated() {
                let column = "ZTOMBSTONE\(place)"
                guard columns.contains(column), let leaf = attribute.leaf else { continue }
                if leaf.isExternal {
                    checks.append(outside(column, attribute, check))
                    continue
                }
                for (_, condition, what) in ValueRules.broken(attribute.description, column.ofRow) {
                    let place = "\(column), \(entity.name).\(attribute.name): ".sqlLiteral
                    checks.append(check("\(column.ofRow) IS NOT NULL AND \(condition)", "\(place) || \(what)"))
                }
                if !attribute.description.isOptional, !attribute.description.isDerived {
                    checks.append(
                        check(
                            "\(column.ofRow) IS NULL",
                            "\("\(column) is NULL, and \(entity.name).\(attribute.name) is mandatory".sqlLiteral)"))
                }
            }
            return checks
        }
    }

    /// The file that a tombstone names went with its object.
    private static func outside(
        _ column: String, _ attribute: AttributeLayout, _ check: (String, String) -> RowCheck
    ) -> RowCheck {
        check(
            "typeof(r.\(column)) = 'blob' AND length(r.\(column)) = 38 AND substr(r.\(column), 1, 1) = x'02'",
            "'\(column) names an external file of \(attribute.name), which went with the object'")
    }
}
