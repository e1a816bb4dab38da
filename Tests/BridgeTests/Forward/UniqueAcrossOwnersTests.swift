import Bridge
import Foundation
import LegacyStack
import ModelStack
import SQLite
import StoreFormat
import Synchronization
import TestKit
import Testing

/// One unique value, wanted by several.
@Suite struct UniqueAcrossOwnersTests {
    /// Runs both at once, on threads of their own.
    private func race(_ bodies: [@Sendable () throws -> ObjectReference]) -> [Result<ObjectReference, any Error>] {
        let results = Mutex<[Int: Result<ObjectReference, any Error>]>([:])
        DispatchQueue.concurrentPerform(iterations: bodies.count) { i in
            let result = Result { try bodies[i]() }
            results.withLock { $0[i] = result }
        }
        return results.withLock { results in bodies.indices.compactMap { results[$0] } }
    }

    @Test(
        "through the daemon's instance and an embedded one of the owner: one wins, the other is told which row and whose"
    )
    func owners() throws {
        let sample = try BridgeSample()
        let bridge = try sample.open()
        defer { bridge.close() }
        for round in 0..<10 {
            let embedded = try LegacyInstance(path: sample.path)
            defer { embedded.close() }
            let results = race([
                { try bridge.legacy.insert("Tag", ["name": .string("t\(round)")]) },
                { try embedded.insert("Tag", ["name": .string("t\(round)")]) },
            ])
            let won = results.compactMap { try? $0.get() }
            #expect(won.count == 1)
            let error = results.compactMap { result -> StoreError? in
                if case .failure(let error) = result { error as? StoreError } else { nil }
            }.first
            #expect(error?.code == .uniqueConflict)
            #expect(error?.objects.last?.object == won.first)
            #expect(error?.objects.last?.owner == .legacy && error?.objects.last?.epoch == 1)
        }
        #expect(try sample.violations() == [])
    }

    @Test("the stack that is not the owner never gets as far as the value")
    func strangers() throws {
        let sample = try BridgeSample()
        let bridge = try sample.open()
        defer { bridge.close() }
        let embedded = try ModelInstance(path: sample.path)
        defer { embedded.close() }
        let results = race([
            { try bridge.legacy.insert("Tag", ["name": .string("x")]) },
            { try embedded.insert("Tag", ["name": .string("x")]) },
        ])
        #expect((try? results[0].get()) != nil)
        let error = #expect(throws: StoreError.self) { try results[1].get() }
        #expect(error?.code == .ownershipViolation)
        #expect(try sample.rows("SELECT count(*) FROM ZTAG") == [[.integer(1)]])
    }

    @Test("an update into a value that is taken names the row too", arguments: StackName.allCases)
    func updates(stack: StackName) throws {
        let sample = try BridgeSample()
        let bridge = try sample.open { $0.seed = OwnershipSeed(defaultOwner: stack) }
        defer { bridge.close() }
        let taken = try bridge.instance(stack).insert("Tag", ["name": .string("a")])
        let other = try bridge.instance(stack).insert("Tag", ["name": .string("b")])
        let error = #expect(throws: StoreError.self) {
            try bridge.instance(stack).update(other, ["name": .string("a")])
        }
        #expect(error?.code == .uniqueConflict)
        #expect(error?.objects.map(\.object) == [other, taken])
        #expect(error?.objects.last?.owner == stack)
    }
}
