import Bridge
import Foundation
import LegacyStack
import ModelStack
import StoreFormat
import StoreModel
import TestKit
import Testing

/// One counter in a store, two embedded writers, two embedded readers with caches, a daemon; and what must hold after
/// every step of any of them.
final class World {
    let sample: BridgeSample
    private(set) var bridge: StoreBridge
    private let writers: [StackName: any StackInstance]
    private let readers: [StackName: any StackInstance]
    private let counter: ObjectReference
    private var handover: SteppedHandover?
    /// What each writer read last: the counter and its version.
    private var seen: [StackName: (value: Int64, version: Int64)] = [:]
    /// The counter after each transaction, as far as saves were acknowledged.
    private var values: [Int64: Int64] = [:]
    private var acknowledged: Int64 = 0
    private var epoch: Int64
    /// The steps since the world was made, for a failure's message.
    private var trace = ""

    init() throws {
        sample = try BridgeSample()
        bridge = try sample.open()
        let store = bridge.store
        writers = [.legacy: try LegacyInstance(store: store), .model: try ModelInstance(store: store)]
        readers = [.legacy: try LegacyInstance(store: store), .model: try ModelInstance(store: store)]
        counter = try bridge.legacy.insert("Book", ["title": .string("counter"), "copies": .integer(0)])
        epoch = try bridge.unit(of: "Book").epoch
        values[1] = 0
        for instance in Array(writers.values) + Array(readers.values) { try instance.replay() }
    }

    func close() {
        handover?.finish()
        for instance in Array(writers.values) + Array(readers.values) { instance.close() }
        bridge.close()
    }

    private func record(_ instance: any StackInstance, isFresh: Bool) throws -> (value: Int64, version: Int64)? {
        guard let record = try instance.object(counter, isFresh: isFresh) else { return nil }
        guard case .integer(let value)? = record.values["copies"] ?? nil else { return nil }
        return (value, record.version)
    }

    /// Takes one step:
    /// `l`, `m` a writer reads, and at its next turn saves; `r`, `s` a reader of either stack replays; `p` history is
    /// purged; `h` the handover goes on by a step; `c` the daemon is gone amid a freeze, and comes back at the next `c`.
    func step(_ actor: Character) throws {
        trace.append(actor)
        switch actor {
        case "l": try write(.legacy)
        case "m": try write(.model)
        case "r": try replay(.legacy)
        case "s": try replay(.model)
        case "p": _ = try isGone ? nil : bridge.prune(.through(.max))
        case "h": try hand()
        case "c": try crash()
        default: Issue.record("there is no actor \(actor)")
        }
        try check(after: actor)
    }

    private func write(_ stack: StackName) throws {
        guard let instance = writers[stack] else { return }
        guard let read = seen.removeValue(forKey: stack) else {
            seen[stack] = try record(instance, isFresh: false)
            return
        }
        let before = try unit()
        do {
            let change = ObjectBatch.Operation.update(
                counter, values: ["copies": .attribute(.integer(read.value + 1))], expecting: read.version)
            let number = try instance.save(ObjectBatch([change], author: "\(stack)")).transaction
            acknowledged += 1
            #expect(before.owner == stack, "\(trace)")
            #expect(!before.isFrozen || !isAlive, "\(trace)")
            values[try #require(number, "\(trace)")] = acknowledged
        } catch let error as StoreError {
            let expected: Set<StoreError.Code> = [.ownershipViolation, .staleEpoch, .frozen, .versionConflict]
            #expect(expected.contains(error.code), "\(trace): \(error)")
            // The owner is refused only for a freeze, a row that it had not read anew, or an epoch that it did not know.
            if error.code == .ownershipViolation { #expect(before.owner != stack, "\(trace)") }
            if error.code == .frozen { #expect(before.isFrozen, "\(trace)") }
            try instance.replay()
        }
    }

    private func replay(_ stack: StackName) throws {
        guard let instance = readers[stack] else { return }
        try instance.replay()
        #expect(instance.position == values.keys.max(), "\(trace)")
        #expect(try record(instance, isFresh: false)?.value == acknowledged, "\(trace)")
    }

    private func hand() throws {
        let running: SteppedHandover
        if let handover {
            running = handover
        } else {
            running = SteppedHandover(bridge, "Book", to: try unit().owner.other)
            handover = running
        }
        running.step()
        if running.outcome != nil { handover = nil }
    }

    private func unit() throws -> (owner: StackName, epoch: Int64, isFrozen: Bool) {
        let row = try #require(
            try sample.rows("SELECT OWNER, EPOCH, FROZEN FROM COEXIST_UNIT WHERE NAME = 'Book'").first)
        let owner = try #require(row[0].textValue.flatMap(StackName.init(rawValue:)))
        return (owner, try #require(row[1].integerValue), row[2] != .integer(0))
    }

    /// Whether the daemon's lock is held.
    private var isAlive: Bool { StoreLock.isHeld(storePath: sample.path) }

    private var isGone = false

    private func crash() throws {
        if isGone {
            bridge = try sample.open()
        } else {
            try bridge.freeze("Book")
            bridge.close()
        }
        isGone.toggle()
    }

    /// What must hold at any time.
    private func check(after actor: Character) throws {
        let rows = try sample.rows("SELECT ZCOPIES FROM ZBOOK")
        #expect(
            rows == [[.integer(acknowledged)]],
            "\(trace): an acknowledged save is lost, or one that was refused is there")
        let current = try unit().epoch
        #expect(current == epoch || actor == "h" && current == epoch + 1, "\(trace): epoch \(epoch) became \(current)")
        epoch = current
        // What a cache shows is what was committed up to its position: never older, never newer.
        for (stack, instance) in readers {
            let shown = try record(instance, isFresh: false)?.value
            let committed = values.filter { $0.key <= instance.position }.max { $0.key < $1.key }?.value
            #expect(shown == committed, "\(trace): the \(stack) reader at \(instance.position)")
        }
        let foreign = try sample.rows(
            """
            SELECT t.Z_PK FROM ATRANSACTION t LEFT JOIN COEXIST_TRANSACTION w ON w.NUMBER = t.Z_PK
            WHERE w.STACK IS NULL
            """)
        #expect(foreign.isEmpty, "\(trace): a transaction without a writer")
    }

    /// Ends what a schedule left running, so that the next one begins from rest.
    func rest() throws {
        if isGone { try step("c") }
        while handover != nil { try step("h") }
        seen = [:]
        for instance in Array(writers.values) + Array(readers.values) { try instance.replay() }
        trace = ""
    }
}
