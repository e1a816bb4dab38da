import Bridge
import Foundation
import StoreFormat
import Synchronization
import TestKit
import Testing

/// Another program holds the store's lock when a handover fails, so that its freeze cannot be undone at once.
@Suite struct LeftFreezeTests {
    @Test func theDaemonThawsAsSoonAsItCan() throws {
        let sample = try BridgeSample()
        let holder = Mutex<HoldingShell?>(nil)
        let path = sample.path
        let bridge = try sample.open {
            $0.busyTimeout = 100
            $0.handoverProbe = { moment in
                guard moment == .compared else { return }
                holder.withLock { $0 = try? HoldingShell(path) }
            }
        }
        defer { bridge.close() }
        try bridge.legacy.insert("Tag", ["name": .string("a")])
        var last: HandoverStep?
        let error = #expect(throws: StoreError.self) { try bridge.handover("Tag", to: .model) { last = $0 } }
        #expect(error?.code == .busy)
        #expect(last?.name == .thaw && last?.detail.contains("still frozen") == true)
        #expect(try bridge.unit(of: "Tag").isFrozen)
        #expect(bridge.alarms.contains { $0.hasPrefix("Tag is frozen still") })
        holder.withLock { $0?.end() }
        #expect(eventually { (try? bridge.unit(of: "Tag").isFrozen) == false })
        let unit = try bridge.unit(of: "Tag")
        #expect(unit.owner == .legacy && unit.epoch == 1)
        #expect(eventually { bridge.alarms.contains { $0.hasPrefix("Tag is thawed") } })
        try bridge.legacy.insert("Tag", ["name": .string("b")])
    }
}
