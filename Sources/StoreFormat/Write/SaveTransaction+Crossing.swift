import SQLite
import StoreModel

extension SaveTransaction {
    /// The refusal of a delete that reaches the other stack's rows: which relationship leads to each, and what its rule would
    /// do there, since the way out depends on it. To be made before anything is written.
    /// - Parameters:
    ///   - rows: the other stack's rows that are reached.
    ///   - targets: every object that the save deletes, those that a cascade takes along included.
    func crossing(_ rows: [WrittenRow], deleting targets: [WrittenRow]) throws -> StoreError {
        let links = DeleteLinks(connection, store.layout, targets)
        var groups: [(link: DeleteLinks.Link?, offences: [StoreError.Offence])] = []
        for row in rows {
            let unit = register?.unit(ofEntity: row.entity.name)
            let link = try links.link(to: row)
            let offence = StoreError.Offence(
                object: ObjectReference(entity: row.entity.name, key: row.key), owner: unit?.owner,
                epoch: unit?.epoch, reason: link.map { "\($0.name) would \($0.verb) it" } ?? "reached by a delete rule",
                relationship: link?.name, rule: link.map { "\($0.rule)" })
            if let place = groups.firstIndex(where: { $0.link == link }) {
                groups[place].offences.append(offence)
            } else {
                groups.append((link, [offence]))
            }
        }
        groups.sort { a, b in (a.link?.order ?? ["~"]).lexicographicallyPrecedes(b.link?.order ?? ["~"]) }
        let owner = "the \(authority.stack.other.rawValue) stack"
        let reached = groups.map { link, offences in
            let list = StoreError.list(offences)
            return link.map { "\($0.name) (\($0.rule)) would \($0.verb) \(list)" } ?? "a rule reaches \(list)"
        }
        return StoreError(
            .crossStackDelete, "the delete reaches what \(owner) owns: \(reached.joined(separator: "; "))",
            way: forwarding == nil
                ? groups.map { Self.way(around: $0.link, $0.offences) }.joined(separator: ", ")
                    + " through \(owner) first, or have such deletes forwarded: crossStackDeletes in the daemon's "
                    + "configuration, forwardDeletes(to:) in a program"
                : "open an instance of the owner and give it to forwardDeletes(to:): the one that was given is gone",
            objects: groups.flatMap(\.offences))
    }

    /// What the owner has to do so that a rule has nothing left to do.
    private static func way(around link: DeleteLinks.Link?, _ offences: [StoreError.Offence]) -> String {
        let list = StoreError.list(offences)
        let example = offences.first.map { "\($0.object)" } ?? ""
        switch (link?.rule, link?.inverse) {
        case (.cascade?, _), (nil, _): return "delete \(list) (`coexistctl delete \(example)`)"
        case (_, let inverse?):
            return "clear \(inverse) of \(list) (`coexistctl update \(example) \(inverse):=null`)"
        case (_, nil): return "take \(list) out of \(link?.name ?? "the relationship")"
        }
    }
}

/// Which relationship of an object that is deleted leads to a row, as the file has it.
private struct DeleteLinks {
    struct Link: Hashable {
        /// `Entity.relationship`.
        var name: String
        var rule: DeleteRule
        /// The relationship back, in the row that is reached.
        var inverse: String?

        /// Cascades come first.
        var order: [String] { ["\(rule)", name] }
        /// What the rule does to the row.
        var verb: String { rule == .cascade ? "delete" : "let go of" }
    }

    private let connection: Connection
    private let layout: StoreLayout
    /// The keys of what is deleted, by entity and by table.
    private var keys: [String: Set<Int64>] = [:]
    private var deleted: [String: Set<Int64>] = [:]

    init(_ connection: Connection, _ layout: StoreLayout, _ targets: [SaveTransaction.WrittenRow]) {
        self.connection = connection
        self.layout = layout
        for target in targets {
            keys[target.entity.name, default: []].insert(target.key)
            deleted[target.entity.table, default: []].insert(target.key)
        }
    }

    /// A row that is deleted itself was reached by a cascade, any other by a rule that nullifies.
    func link(to row: SaveTransaction.WrittenRow) throws -> Link? {
        let rule: DeleteRule = deleted[row.entity.table]?.contains(row.key) == true ? .cascade : .nullify
        for (name, keys) in keys.sorted(by: { $0.key < $1.key }) {
            for relationship in layout[name]?.relationships ?? [] where relationship.description.deleteRule == rule {
                guard let destination = layout[relationship.description.destinationEntityName],
                    destination.treeNumbers.contains(row.entity.number),
                    let entity = layout[name], try leads(relationship, of: entity, keys, to: row)
                else { continue }
                return Link(
                    name: "\(relationship.declaringEntity).\(relationship.name)", rule: rule,
                    inverse: relationship.description.inverseName)
            }
        }
        return nil
    }

    private func leads(
        _ relationship: RelationshipLayout, of entity: EntityLayout, _ keys: Set<Int64>,
        to row: SaveTransaction.WrittenRow
    ) throws -> Bool {
        let sql: String
        switch relationship.storage {
        case .toManyByInverse(let key), .toManyWithoutInverse(let key):
            sql = "SELECT \(key.keyColumn.sqlIdentifier) FROM \(key.table.sqlIdentifier) WHERE Z_PK = ?"
        case .toOne(let key):
            sql = """
                SELECT Z_PK FROM \(entity.table.sqlIdentifier) WHERE \(entity.columns[key.column].sqlIdentifier) = ?
                """
        case .manyToMany(let join):
            sql = """
                SELECT \(join.ownColumn.sqlIdentifier) FROM \(join.table.sqlIdentifier)
                WHERE \(join.otherColumn.sqlIdentifier) = ?
                """
        case .absent: return false
        }
        return try connection.query(sql, [.integer(row.key)]).contains { found in
            found[0].integerValue.map(keys.contains) ?? false
        }
    }
}
