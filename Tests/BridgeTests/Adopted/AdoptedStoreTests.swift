import Bridge
import Foundation
import LegacyStack
import ModelStack
import SQLite
import StoreFormat
import TestKit
import Testing

/// What is promised of a store does not depend on who made it: each test on stores of every form, real ones among them.
@Suite struct AdoptedStoreTests {
    /// An adopted store with an object to write, of an entity that is not a derived one's.
    private struct Adopted {
        let folder: TemporaryFolder
        let path: String
        let bridge: StoreBridge
        /// The object, its attribute of text, and the owner of its unit.
        let object: ObjectReference
        let key: String
        let owner: StackName

        /// Nil for a real store that cannot be read, or in which nothing may be written.
        init?(_ source: AdoptedSource, owner: StackName, guardMode: GuardMode = .always) throws {
            folder = try TemporaryFolder()
            path = try source.make(in: folder)
            var options = BridgeOptions()
            options.seed = OwnershipSeed(defaultOwner: owner)
            options.guardMode = guardMode
            do {
                bridge = try StoreBridge(path: path, options: options)
            } catch is StoreError where !source.isMade {
                return nil
            }
            self.owner = owner
            guard let found = try Self.writable(bridge, owner) else {
                bridge.close()
                #expect(!source.isMade)
                return nil
            }
            (object, key) = found
        }

        /// An object, and a text of it that its owner may change. Tried for real: models have rules of their own.
        private static func writable(_ bridge: StoreBridge, _ owner: StackName) throws -> (ObjectReference, String)? {
            for entity in bridge.store.layout.entities where !entity.isAbstract {
                let attributes = entity.attributes.filter { attribute in
                    attribute.leaf?.type == .string && !attribute.description.isDerived
                        && !bridge.store.triggerWrites.isWritten(entity.table)
                }
                var first: ObjectReference?
                try bridge.instance(owner).forEachObject(of: entity.name, after: .min, through: .max) { record in
                    first = record.reference
                    return false
                }
                guard let first else { continue }
                for attribute in attributes
                where (try? bridge.instance(owner).update(first, [attribute.name: .string("tried")])) != nil {
                    return (first, attribute.name)
                }
            }
            return nil
        }

        func update(_ text: String, by stack: StackName) throws -> SaveResult {
            try bridge.instance(stack).update(object, [key: .string(text)])
        }

        func close() { bridge.close() }

        /// Every row of every table.
        func rows() throws -> [String: [[SQLValue]]] {
            try bridge.read { connection in
                let names = try connection.query("SELECT name FROM sqlite_master WHERE type = 'table'")
                var rows: [String: [[SQLValue]]] = [:]
                for name in names.compactMap({ $0[0].textValue }) where !name.hasPrefix("sqlite_") {
                    rows[name] = try connection.query("SELECT * FROM \(name.sqlIdentifier)")
                }
                return rows
            }
        }
    }

    @Test(arguments: AdoptedSource.all, StackName.allCases)
    func nobodyButItsOwnerWritesAnything(source: AdoptedSource, owner: StackName) throws {
        guard let adopted = try Adopted(source, owner: owner) else { return }
        defer { adopted.close() }
        let before = try adopted.rows()
        let error = #expect(throws: StoreError.self) { try adopted.update("theirs", by: owner.other) }
        #expect(error?.code == .ownershipViolation)
        #expect(error?.objects.first?.object == adopted.object && error?.objects.first?.owner == owner)
        #expect(try adopted.rows() == before)
        // An instance in the same or another process is bound as well, and so is one that deletes.
        let embedded: any StackInstance =
            owner == .model ? try LegacyInstance(path: adopted.path) : try ModelInstance(path: adopted.path)
        defer { embedded.close() }
        let second = #expect(throws: StoreError.self) {
            try embedded.save(ObjectBatch([.delete(adopted.object, expecting: nil)]))
        }
        // A delete that the model denies is refused before anybody is asked who owns it.
        #expect([.ownershipViolation, .deleteDenied, .validationFailed].contains(second?.code))
        #expect(try adopted.rows() == before)
        // Nor does a stranger, in any table.
        let stranger = try Connection(path: adopted.path, mode: .readWrite)
        try DerivedFunctions.register(on: stranger)
        var refused = 0
        for (table, rows) in before where !rows.isEmpty && table.hasPrefix("Z") && !table.hasPrefix("Z_RT_") {
            let error = #expect(throws: SQLiteError.self, "\(table)") {
                try stranger.execute("DELETE FROM \(table.sqlIdentifier)")
            }
            #expect(error?.message.contains("guarded by Coexist") == true, "\(table): \(error?.message ?? "")")
            refused += 1
        }
        #expect(refused > 2)
        #expect(try adopted.rows() == before)
    }

    @Test(arguments: AdoptedSource.all, StackName.allCases)
    func aSaveIsOneTransactionOfItsWriterAndIsReplayed(source: AdoptedSource, owner: StackName) throws {
        guard let adopted = try Adopted(source, owner: owner) else { return }
        let (bridge, store) = (adopted.bridge, adopted.bridge.store)
        try bridge.replay()
        let other = bridge.instance(owner.other)
        let version = try #require(try other.object(adopted.object, isFresh: false)).version
        let last = try bridge.lastTransaction()
        let number = try #require(try adopted.update("new", by: owner).transaction)
        #expect(number == last + 1)
        let history = try bridge.read { try HistoryReader($0, store: store).transactions(after: last) }
        #expect(history.map(\.number) == [number])
        #expect(history.first?.writer?.stack == owner)
        #expect(history.first?.changes.map(\.object) == [adopted.object])
        #expect(history.first?.changes.first?.properties == [adopted.key])
        try bridge.replay()
        #expect(try other.value(adopted.object, adopted.key) == .string("new"))
        #expect(try other.object(adopted.object, isFresh: false)?.version == version + 1)
        // An equal value is no change, and the same history once more changes nothing.
        #expect(try adopted.update("new", by: owner).transaction == nil)
        let dropped = other.cacheStatistics.invalidations
        try other.apply(history)
        #expect(other.position == number && other.cacheStatistics.invalidations == dropped)
        adopted.close()
        let found = try StoreVerifier.verify(
            try StoreConnector.offlineReader(adopted.path), store: Store.open(adopted.path))
        #expect(found.filter { $0.severity == .error } == [])
        #expect(try Audit.run(Store.open(adopted.path)).violations == [])
    }

    @Test(arguments: AdoptedSource.all)
    func whoIsBehindAPurgeReadsEverythingAnew(source: AdoptedSource) throws {
        guard let adopted = try Adopted(source, owner: .legacy) else { return }
        defer { adopted.close() }
        let embedded = try ModelInstance(path: adopted.path)
        defer { embedded.close() }
        #expect(try embedded.value(adopted.object, adopted.key) == .string("tried"))
        for text in ["one", "two"] { _ = try adopted.update(text, by: .legacy) }
        try adopted.bridge.replay()
        _ = try adopted.bridge.prune(.keeping(0))
        #expect(try embedded.value(adopted.object, adopted.key) == .string("tried"))
        try embedded.replay()
        #expect(embedded.position == (try adopted.bridge.lastTransaction()))
        #expect(try embedded.value(adopted.object, adopted.key) == .string("two"))
    }

    @Test(arguments: AdoptedSource.all)
    func anEntityChangesHandsAndWhoSleptIsRefused(source: AdoptedSource) throws {
        guard let adopted = try Adopted(source, owner: .legacy) else { return }
        let bridge = adopted.bridge
        let sleeper = try LegacyInstance(path: adopted.path)
        defer { sleeper.close() }
        #expect(try sleeper.value(adopted.object, adopted.key) == .string("tried"))
        let unit = adopted.object.entity
        do {
            #expect(try bridge.handover(unit, to: .model)?.epoch == 2)
        } catch let error as StoreError where !source.isMade {
            // Delete rules that reach the other owner, or rows that are broken in the real store: said before any freeze.
            #expect(error.code == .refused, "\(error)")
            #expect(try bridge.unit(of: unit).owner == .legacy && bridge.unit(of: unit).epoch == 1)
            adopted.close()
            return
        }
        for instance in [sleeper, bridge.legacy] {
            let error = #expect(throws: StoreError.self) {
                try instance.update(adopted.object, [adopted.key: .string("late")])
            }
            #expect(error?.code == .ownershipViolation && error?.objects.first?.epoch == 2)
        }
        _ = try adopted.update("by the new owner", by: .model)
        #expect(try bridge.handover(unit, to: nil)?.epoch == 3)
        // It owns the entity again, but does not know what happened meanwhile.
        let error = #expect(throws: StoreError.self) {
            try sleeper.update(adopted.object, [adopted.key: .string("later")])
        }
        #expect(error?.code == .staleEpoch)
        try sleeper.replay()
        #expect(try sleeper.value(adopted.object, adopted.key) == .string("by the new owner"))
        try sleeper.update(adopted.object, [adopted.key: .string("again")])
        adopted.close()
        #expect(try Audit.run(Store.open(adopted.path)).violations == [])
    }
}
