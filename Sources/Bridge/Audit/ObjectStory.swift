import SQLite
import StoreFormat

/// What history says of one object, from the backup on.
struct ObjectStory {
    private let key: Int64
    private let root: EntityLayout
    private let layout: StoreLayout
    /// The entity that the object has by now; nil where it does not exist.
    private var entity: Int64?
    /// What the object was last said to be, for messages.
    private var lastEntity: Int64?
    private var last: (kind: HistoryChange.Kind, number: Int64)?
    private var isContradicted = false
    /// The bits of all updates.
    private(set) var marks: [UInt8] = []
    /// Whether the object was there all the time, so that its columns can be compared.
    private(set) var isSameObject = false

    init(key: Int64, root: EntityLayout, layout: StoreLayout) {
        self.key = key
        self.root = root
        self.layout = layout
    }

    /// Whether history has any change of the object.
    var isChanged: Bool { last != nil }

    func name(_ entity: Int64?) -> String {
        "\((entity ?? lastEntity).flatMap { layout[number: $0]?.name } ?? root.name)/\(key)"
    }

    /// The object is in the backup.
    mutating func begin(entity: Int64) {
        self.entity = entity
        lastEntity = entity
        isSameObject = true
    }

    /// The next change in history: entity, kind, columns and transaction number from the second column on.
    mutating func apply(_ change: Statement, _ report: (String, String) -> Void) {
        guard let kind = HistoryChange.Kind(rawValue: change.integer(2)) else { return }
        let number = change.integer(4)
        func contradict(_ what: String) {
            if !isContradicted { report(name(change.integer(1)), what) }
            isContradicted = true
        }
        switch (kind, entity) {
        case (.insert, nil): entity = change.integer(1)
        case (.insert, _): contradict("inserted in transaction \(number), but it existed already")
        case (.update, nil): contradict("updated in transaction \(number), but it did not exist then")
        case (.delete, nil): contradict("deleted in transaction \(number), but it did not exist then")
        case (.update, _):
            let bits = change.blob(3) ?? []
            marks += [UInt8](repeating: 0, count: max(0, bits.count - marks.count))
            for i in bits.indices { marks[i] |= bits[i] }
        case (.delete, _): entity = nil
        }
        if kind != .update { isSameObject = false }
        lastEntity = change.integer(1)
        last = (kind, number)
    }

    /// Nothing more in history: compares with the row that is there.
    func end(entity now: Int64?, _ report: (String, String) -> Void) {
        guard !isContradicted else { return }
        switch (entity, now) {
        case (nil, nil): return
        case (nil, let now?):
            report(
                name(now),
                last.map { "deleted in transaction \($0.number), but it is there" }
                    ?? "it is there, and history has no insert of it")
        case (_?, nil):
            report(
                name(nil),
                last.map {
                    "\($0.kind == .insert ? "inserted" : "updated") in transaction \($0.number), but it is gone"
                }
                .map { "\($0), and history has no delete of it" }
                    ?? "it is in the backup and gone now, and history has no delete of it")
        case (let said?, let now?):
            if said != now { report(name(now), "history says that it is \(name(said))") }
        }
    }
}
