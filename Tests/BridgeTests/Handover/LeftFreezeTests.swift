import Bridge
import Foundation
import StoreFormat
import Synchronization
import TestKit
import Testing

/// Another program holds the store's lock when a handover fails, so that its freeze cannot be undone at once.
@Suite struct LeftFreezeTests {
    /// Who holds the lock from the comparison on.
    private final class Holder: Sendable {
        private let shell = Mutex<HoldingShell?>(nil)
        func begin(_ path: String) { shell.withLock { $0 = try? HoldingShell(path) } }
        func end() { shell.withLock { $0?.end() } }
    }

    private func open(_ sample: BridgeSample, _ holder: Holder) throws -> StoreBridge {
        let path = sample.path
        return try sample.open {
            $0.busyTimeout = 100
            $0.handoverProbe = { if $0 == .compared { holder.begin(path) } }
        }
    }

    @Test func theDaemonThawsAsSoonAsItCan() throws {
        let sample = try BridgeSample()
        let holder = Holder()
        let bridge = try open(sample, holder)
        defer { bridge.close() }
        try bridge.legacy.insert("Tag", ["name": .string("a")])
        var last: HandoverStep?
        let error = #expect(throws: StoreError.self) { try bridge.handover("Tag", to: .model) { last = $0 } }
        #expect(error?.code == .busy)
        #expect(last?.name == .thaw && last?.detail.contains("still frozen") == true)
        #expect(try bridge.unit(of: "Tag").isFrozen)
        #expect(bridge.alarms.contains { $0.hasPrefix("Tag is frozen still") })
        holder.end()
        #expect(eventually { (try? bridge.unit(of: "Tag").isFrozen) == false })
        let unit = try bridge.unit(of: "Tag")
        #expect(unit.owner == .legacy && unit.epoch == 1)
        #expect(eventually { bridge.alarms.contains { $0.hasPrefix("Tag is thawed") } })
        try bridge.legacy.insert("Tag", ["name": .string("b")])
    }

    /// Whoever freezes by hand meanwhile means it: the handover that failed does not end that.
    @Test func aFreezeByHandStays() throws {
        let (sample, other) = (try BridgeSample(), try BridgeSample())
        let (holder, otherHolder) = (Holder(), Holder())
        let bridge = try open(sample, holder)
        #expect(throws: StoreError.self) { try bridge.handover("Tag", to: .model) }
        holder.end()
        try bridge.freeze("Tag")
        // One that failed later is ended later.
        let later = try open(other, otherHolder)
        defer { later.close() }
        #expect(throws: StoreError.self) { try later.handover("Tag", to: .model) }
        otherHolder.end()
        #expect(eventually { (try? later.unit(of: "Tag").isFrozen) == false })
        bridge.close()
        #expect(try sample.rows("SELECT FROZEN FROM COEXIST_UNIT WHERE NAME = 'Tag'") == [[.integer(2)]])
    }
}
