import Bridge
import Foundation
import SQLite
import StoreFormat
import Varlink

extension Requests {
    func status(state: String, clients: Int) throws -> JSONObject {
        let staleness = bridge.staleness
        let extent = try inTrouble(.init(first: nil, last: 0, count: 0)) { try bridge.extent() }
        // Before the problem: a reading may be the first to meet it.
        let stacks: JSON = try inTrouble([:]) { try self.stacks() }
        let owners: JSON = try inTrouble([]) { try self.owners() }
        let consumers: JSON = try inTrouble([]) { try consumerList() }
        return [
            "state": .string(bridge.problem == nil ? state : "degraded"),
            "version": .string(CoexistVersion.text),
            "pid": JSON(Int(getpid())),
            "started": json.value(.date(started)),
            "problem": bridge.problem.map {
                ["code": .string($0.code.rawValue), "message": .string($0.message), "way": .string($0.way)]
            } ?? .null,
            "store": [
                "path": .string(store.path), "uuid": .string(store.uuid), "model": .string("\(store.modelOrigin)"),
            ],
            "stacks": stacks,
            "owners": owners,
            "history": [
                "last": .string(try inTrouble("") { try token(extent.last) }),
                "first": extent.first.map { .integer($0) } ?? .null,
                "transactions": .integer(extent.count),
            ],
            "wal": ["bytes": JSON(logBytes), "heldBy": bridge.logReader.map { .string($0) } ?? .null],
            "clients": JSON(clients),
            "sqlite": .string(Connection.libraryVersion),
            "guard": bridge.guardMode.map { .string($0.rawValue) } ?? .null,
            "handovers": runningHandovers,
            "consumers": consumers,
            "forwards": forwards,
            "warnings": .array(bridge.warnings.map { .string($0) }),
            "alarms": .array(bridge.alarms.map { .string($0) }),
            "readOnly": bridge.readOnlyReason.map { .string($0) } ?? .null,
            "staleness": [
                "count": JSON(staleness.count), "p50": number(staleness.value(at: 0.5)),
                "p99": number(staleness.value(at: 0.99)),
            ],
        ]
    }

    /// What is done in the owner's name.
    private var forwards: JSON {
        let counts = bridge.counts
        let deletes = StackName.allCases.map { ($0.rawValue, JSON(counts.forwardedDeletes[$0] ?? 0)) }
        return [
            "crossStackDeletes": .string(bridge.deleteForwarding.isOn ? "forward" : "refuse"),
            "pending": JSON(bridge.deleteForwarding.pending), "deletes": .object(JSONObject(deletes)),
        ]
    }

    /// What a status says of a store in trouble where it cannot be read any more.
    func inTrouble<T>(_ fallback: T, _ read: () throws -> T) throws -> T {
        do {
            return try read()
        } catch {
            // What fails the reading may be what nobody has noticed yet.
            if bridge.problem == nil { bridge.checkParts() }
            guard bridge.problem != nil else { throw error }
            return fallback
        }
    }

    private func number(_ value: Double?) -> JSON { value.map { .double($0) } ?? .null }

    /// The size of the WAL file. Asked of the file system by name: the file is not opened.
    var logBytes: Int {
        (try? FileManager.default.attributesOfItem(atPath: store.path + "-wal")[.size]) as? Int ?? 0
    }

    func stacks(_ names: [StackName] = StackName.allCases) throws -> JSON {
        let last = try bridge.lastTransaction()
        return .object(
            JSONObject(
                try names.map { name in
                    let position = bridge.instance(name).position
                    return (
                        name.rawValue,
                        ["token": .string(try token(position)), "lag": .integer(max(0, last &- position))]
                    )
                }))
    }

    /// - Parameter withWrites: whether to look for each unit's last write, which can be far back.
    func owners(of entities: [String]? = nil, withWrites: Bool = false) throws -> JSON {
        let register = try bridge.register()
        let store = store
        let writes = withWrites ? try bridge.read { try LastWrite.read($0, store: store) } : [:]
        let counts = try rowCounts()
        let wanted = entities.map(Set.init)
        return .array(
            try store.layout.entities.filter { wanted?.contains($0.name) ?? true }.map { entity in
                let unit = register?.unit(ofEntity: entity.name)
                var result: JSONObject = [
                    "entity": .string(entity.name), "owner": .string(unit?.owner.rawValue ?? "none"),
                    "frozen": .bool(unit?.isFrozen ?? false), "freeze": freeze(unit),
                    "epoch": .integer(unit?.epoch ?? 0),
                    "rows": .integer(counts[entity.number] ?? 0), "unit": .string(unit?.name ?? entity.rootName),
                    "since": unit.flatMap { DateText.text(Date(timeIntervalSinceReferenceDate: $0.since)) }
                        .map { .string($0) } ?? .null,
                ]
                if withWrites {
                    result["lastWrite"] = try unit.flatMap { writes[$0.name] }.map(lastWrite) ?? .null
                }
                return .object(result)
            })
    }

    /// Why nobody writes a unit: who froze it is known of what this daemon froze.
    private func freeze(_ unit: OwnershipRegister.Unit?) -> JSON {
        func text(_ value: String?) -> JSON { value.map { .string($0) } ?? .null }
        guard let unit, let freeze = unit.freeze else { return .null }
        let running = bridge.runningHandovers.first { $0.unit == unit.name }
        let note = freeze == .byHand ? bridge.freezes[unit.name] : nil
        return [
            "kind": freeze == .byHand ? "hand" : "handover", "by": text(note?.user ?? running?.user),
            "reason": text(note?.reason ?? running?.reason),
            "since": (note?.at ?? running?.at).map { json.value(.date($0)) } ?? .null,
        ]
    }

    private func lastWrite(_ write: LastWrite) throws -> JSON {
        func text(_ value: String?) -> JSON { value.map { .string($0) } ?? .null }
        return [
            "token": .string(try token(write.transaction)), "stack": text(write.stack?.rawValue),
            "author": text(write.heading?.author), "process": text(write.heading?.processID),
            "at": text(write.heading.flatMap { DateText.text($0.timestamp) }),
        ]
    }

    /// Objects of each entity, by its number.
    private func rowCounts() throws -> [Int64: Int64] {
        let store = store
        return try bridge.read { try RowCounts.read($0, store: store) }
    }

    func caches() throws -> JSONObject {
        let age = bridge.staleness.value(at: 0.99)
        let caches = StackName.allCases.map { name -> (String, JSON) in
            let statistics = bridge.instance(name).cacheStatistics
            return (
                name.rawValue,
                [
                    "objects": JSON(statistics.objects), "hits": JSON(statistics.hits),
                    "misses": JSON(statistics.misses),
                    "invalidations": JSON(statistics.invalidations), "stale": JSON(statistics.stale),
                    "ageP99": number(age),
                ]
            )
        }
        return ["caches": .object(JSONObject(caches))]
    }

    func replay(_ parameters: JSONObject) throws -> JSONObject {
        let stacks = try stack(parameters["stack"]).map { [$0] } ?? StackName.allCases
        try bridge.replay(stacks, to: try parameters["wait"]?.stringValue.map { try number($0) })
        return ["stacks": try self.stacks(stacks)]
    }

    func verify() throws -> JSONObject {
        ViolationJSON.report(try bridge.verify())
    }
}
