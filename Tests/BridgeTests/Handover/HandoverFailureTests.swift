import Bridge
import Foundation
import LegacyStack
import SQLite
import StoreFormat
import Synchronization
import TestKit
import Testing

/// What fails a handover, what then is as before, and what becomes of saves that meet one.
@Suite struct HandoverFailureTests {
    /// What a test does at each moment; set when the bridge is there.
    private final class Moments: Sendable {
        private let body = Mutex<@Sendable (HandoverMoment) -> Void>({ _ in })
        func set(_ new: @escaping @Sendable (HandoverMoment) -> Void) { body.withLock { $0 = new } }
        func callAsFunction(_ moment: HandoverMoment) { body.withLock { $0 }(moment) }
    }

    @Test func aDifferenceUnderTheFreezeUndoesItAndTheOwnersContextsGoOn() throws {
        let sample = try BridgeSample()
        let moments = Moments()
        let (bridge, model) = try sample.openTampered { $0.handoverProbe = { moments($0) } }
        defer { bridge.close() }
        let tag = try bridge.legacy.insert("Tag", ["name": .string("a")])
        try bridge.legacy.insert("Tag", ["name": .string("b")])
        let context = try #require(bridge.legacy as? LegacyInstance).newContext()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
        request.predicate = NSPredicate(format: "name == %@", "b")
        let object = try #require(try context.fetch(request).first)
        object.setValue("pending", forKey: "name")
        let embedded = try LegacyInstance(path: sample.path)
        defer { embedded.close() }
        moments.set { moment in
            // Written when the preflight has compared all: it has to be compared again under the freeze.
            if moment == .preflightPassed { _ = try? embedded.update(tag, ["name": .string("c")]) }
            if moment == .frozen {
                model.tamper { record in
                    var record = record
                    if record.reference == tag { record.values["name"] = .some(.string("wrong")) }
                    return record
                }
            }
        }
        var steps: [HandoverStep] = []
        var whileFrozen: StoreError.Code?
        let error = #expect(throws: StoreError.self) {
            try bridge.handover("Tag", to: .model) { step in
                steps.append(step)
                guard step.name == .freeze else { return }
                do { try context.save() } catch { whileFrozen = (error as? StoreError)?.code }
            }
        }
        #expect(whileFrozen == .frozen)
        #expect(context.hasChanges && object.value(forKey: "name") as? String == "pending")
        #expect(error?.code == .refused)
        #expect(error?.message.contains(#"Tag/1 reads differently: name is "c" in legacy, "wrong" in model"#) == true)
        #expect(steps.map(\.name) == [.preflight, .freeze, .replay, .compare, .thaw])
        #expect(steps.map(\.isPassed) == [true, true, true, false, false])
        let unit = try bridge.unit(of: "Tag")
        #expect(unit.owner == .legacy && unit.epoch == 1 && !unit.isFrozen)
        #expect(try bridge.handovers() == [])
        try context.save()
        #expect(try sample.rows("SELECT ZNAME FROM ZTAG ORDER BY Z_PK") == [[.text("c")], [.text("pending")]])
    }

    /// The save has SQLite's write lock when the handover comes to its freeze: the freeze waits, and takes it in.
    @Test func aSaveInFlightFinishesBeforeTheFreeze() throws {
        let sample = try BridgeSample()
        let moments = Moments()
        let bridge = try sample.open { $0.handoverProbe = { moments($0) } }
        defer { bridge.close() }
        let writer = try InFlightSave(sample.path)
        moments.set { moment in
            guard moment == .preflightPassed else { return }
            writer.start()
            writer.goOn()
        }
        var compared = ""
        let result = try bridge.handover("Tag", to: .model) { if $0.name == .compare { compared = $0.detail } }
        #expect(writer.wait() == 1)
        #expect(result?.token.transaction == 1)
        #expect(compared.hasPrefix("1 object changed"))
        #expect(try bridge.model.object(ObjectReference(entity: "Tag", key: 1), isFresh: false) != nil)
        // The same instance again: it slept through the move.
        writer.start()
        writer.goOn()
        #expect(writer.wait() == nil)
        #expect(try sample.rows("SELECT count(*) FROM ZTAG") == [[.integer(1)]])
    }

    @Test func nobodyThawsOrFreezesInTheMiddleOfAHandover() throws {
        let sample = try BridgeSample()
        let moments = Moments()
        let bridge = try sample.open { $0.handoverProbe = { moments($0) } }
        defer { bridge.close() }
        let codes = Mutex<[StoreError.Code?]>([])
        moments.set { moment in
            guard moment == .frozen else { return }
            for body in [
                { try _ = bridge.thaw("Tag") }, { try _ = bridge.freeze("Tag") },
                { try _ = bridge.handover("Tag", to: .model) },
            ] {
                do { try body() } catch { codes.withLock { $0.append((error as? StoreError)?.code) } }
            }
        }
        #expect(try bridge.handover("Tag", to: .model)?.epoch == 2)
        #expect(codes.withLock { $0 } == [.busy, .busy, .busy])
        moments.set { _ in }
        #expect(try !bridge.thaw("Tag").isFrozen)
    }

    /// Another program, or the save of one that takes the daemon for gone, changes the unit in the middle.
    @Test(arguments: [
        (HandoverMoment.preflightPassed, "UPDATE COEXIST_UNIT SET FROZEN = 1 WHERE NAME = 'Tag'"),
        (.preflightPassed, "UPDATE COEXIST_UNIT SET EPOCH = 5 WHERE NAME = 'Tag'"),
        (.compared, "UPDATE COEXIST_UNIT SET FROZEN = 0 WHERE NAME = 'Tag'"),
        (.compared, "UPDATE COEXIST_UNIT SET EPOCH = 5 WHERE NAME = 'Tag'"),
    ])
    func aUnitThatSomebodyElseChangesIsNotSwitched(at moment: HandoverMoment, sql: String) throws {
        let sample = try BridgeSample()
        let bridge = try sample.open {
            $0.guardMode = .off
            $0.handoverProbe = { if $0 == moment { try? sample.foreign(sql) } }
        }
        defer { bridge.close() }
        try bridge.legacy.insert("Tag", ["name": .string("a")])
        let error = #expect(throws: StoreError.self) { try bridge.handover("Tag", to: .model) }
        #expect(error?.code == .refused)
        #expect(error?.message.contains("meanwhile") == true)
        #expect(try bridge.unit(of: "Tag").owner == .legacy)
        #expect(try bridge.handovers() == [])
    }

    /// What fails after the switch's commit does not undo it, nor say so.
    @Test func aFailureAfterTheSwitchDoesNotCallItUndone() throws {
        let sample = try BridgeSample()
        let bridge = try sample.open {
            $0.guardMode = .off
            $0.handoverProbe = { if $0 == .afterCommit { try? sample.foreign("UPDATE COEXIST_STATE SET FORM = 99") } }
        }
        defer { bridge.close() }
        try bridge.legacy.insert("Tag", ["name": .string("a")])
        var steps: [HandoverStep] = []
        #expect(throws: StoreError.self) { try bridge.handover("Tag", to: .model) { steps.append($0) } }
        #expect(steps.last?.detail == "owned by the model stack at epoch 2")
        #expect(!steps.contains { $0.name == .thaw })
        #expect(try sample.rows("SELECT OWNER, EPOCH FROM COEXIST_UNIT WHERE NAME = 'Tag'") == [["model", 2]])
        try sample.foreign("UPDATE COEXIST_STATE SET FORM = 2")
    }

    /// What is planted with plain SQL while the bridge is open, the check that must fail for it, and what it must say.
    static let planted: [(sql: String, check: HandoverCheck.Name, text: String)] = [
        ("DELETE FROM ATRANSACTION WHERE Z_PK = 2", .history, "transaction 2 is missing from history"),
        (
            "DELETE FROM ACHANGE WHERE ZTRANSACTIONID = 2", .history, "transaction 2: has no changes"
        ),
        ("UPDATE ZTAG SET Z_OPT = 0 WHERE Z_PK = 1", .rules, "ZTAG 1"),
    ]

    @Test("a preflight refuses what breaks history or the unit, and says what", arguments: planted.indices)
    func preflight(_ index: Int) throws {
        let (sql, check, text) = Self.planted[index]
        let sample = try BridgeSample()
        let bridge = try sample.open { $0.guardMode = .off }
        defer { bridge.close() }
        for name in ["a", "b", "c"] { try bridge.legacy.insert("Tag", ["name": .string(name)]) }
        try bridge.replay()
        try sample.foreign(sql)
        var steps: [HandoverStep] = []
        let error = #expect(throws: StoreError.self) { try bridge.handover("Tag", to: .model) { steps.append($0) } }
        #expect(error?.code == .refused)
        #expect(steps.map(\.name) == [.preflight])
        let failed = steps.first?.checks.filter { !$0.isPassed } ?? []
        #expect(failed.contains { $0.name == check && $0.detail.contains(text) }, "\(failed)")
        let unit = try bridge.unit(of: "Tag")
        #expect(unit.owner == .legacy && unit.epoch == 1 && !unit.isFrozen)
    }

    @Test func whatAnotherUnitsRowsBreakDoesNotHoldUpAHandover() throws {
        let sample = try BridgeSample()
        let bridge = try sample.open { $0.guardMode = .off }
        defer { bridge.close() }
        try bridge.legacy.insert("Shelf", ["label": .string("a")])
        try sample.foreign("UPDATE ZSHELF SET Z_OPT = 0")
        #expect(throws: StoreError.self) { try bridge.handover("Shelf", to: .model) }
        #expect(try bridge.handover("Tag", to: .model)?.epoch == 2)
    }

    /// `Author.books` cascades to books; `Book`'s own relationships only nullify keys that its rows hold, or to-manys.
    @Test func thePreflightNamesTheDeleteRulesThatWillCross() throws {
        let sample = try BridgeSample()
        let bridge = try sample.open()
        defer { bridge.close() }
        var detail = ""
        _ = try bridge.handover("Book", to: .model, isDryRun: true) { step in
            detail += step.checks.first { $0.name == .deletes }?.detail ?? ""
        }
        #expect(detail.hasSuffix("will be refused: Author.books"))
        _ = try bridge.handover("Tag", to: .model, isDryRun: true) { step in
            guard let check = step.checks.first(where: { $0.name == .deletes }) else { return }
            #expect(check.detail == "no delete rule reaches rows of another owner")
        }
    }

    @Test func anEntityThatCameBackIsRefusedToContextsThatWereOpenAllTheTime() throws {
        let sample = try BridgeSample()
        let bridge = try sample.open()
        defer { bridge.close() }
        let embedded = try LegacyInstance(path: sample.path)
        defer { embedded.close() }
        try embedded.insert("Tag", ["name": .string("a")])
        let context = embedded.newContext()
        let object = try #require(try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Tag")).first)
        object.setValue("mine", forKey: "name")
        func refusal() -> StoreError.Code? {
            let error = #expect(throws: StoreError.self) { try context.save() }
            #expect(context.hasChanges)
            return error?.code
        }
        _ = try bridge.handover("Tag", to: .model)
        #expect(refusal() == .ownershipViolation)
        _ = try bridge.handover("Tag", to: nil)
        #expect(refusal() == .staleEpoch)
        try embedded.replay()
        try context.save()
        #expect(try sample.rows("SELECT ZNAME FROM ZTAG") == [[.text("mine")]])
    }
}

/// A save of a tag on a thread of its own, held between its first row and its commit.
private final class InFlightSave: Sendable {
    private let writer: Mutex<StoreWriter>
    private let isInside = DispatchSemaphore(value: 0)
    private let mayEnd = DispatchSemaphore(value: 0)
    private let hasEnded = DispatchSemaphore(value: 0)
    private let number = Mutex<Int64?>(nil)
    private let epochs: [String: Int64]

    init(_ path: String) throws {
        let store = try Store.open(path)
        let writer = try StoreWriter(store: store)
        epochs = try OwnershipRegister.read(writer.connection)?.epochs ?? [:]
        self.writer = Mutex(writer)
    }

    /// Returns when the save has the write lock, or has failed.
    func start() {
        Thread.detachNewThread { [self] in
            let authority = SaveAuthority(stack: .legacy, instanceName: "in flight", epochs: epochs)
            let saved = writer.withLock { writer -> Int64? in
                let result = try? writer.save(authority, TransactionIdentity()) { save in
                    let entity = try save.store.layout.entity("Tag")
                    let key = try save.allocateKeys(1, for: entity)
                    var values = [SQLValue](repeating: .null, count: entity.columns.count)
                    if let column = entity.columns.firstIndex(of: "ZNAME") { values[column] = .text("in flight") }
                    try save.insert(entity, key: key, values: values)
                    isInside.signal()
                    mayEnd.wait()
                }
                return result?.1
            }
            number.withLock { $0 = saved }
            isInside.signal()
            hasEnded.signal()
        }
        isInside.wait()
    }

    func goOn() { mayEnd.signal() }

    /// - Returns: the transaction's number; nil if the save was refused.
    func wait() -> Int64? {
        hasEnded.wait()
        return number.withLock { $0 }
    }
}
