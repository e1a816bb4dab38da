import Bridge
import Foundation
import StoreFormat
import TestKit
import Testing

/// A process that is killed in the middle of a forwarded delete leaves all of it or nothing.
@Suite struct ForwardedDeleteKillTests {
    @Test(arguments: DeleteForwarding.Moment.allCases)
    func killed(moment: DeleteForwarding.Moment) throws {
        let sample = try BridgeSample()
        let result = try Programs.run(Programs.coexistFault, [sample.path, moment.rawValue])
        #expect(result.exitCode == SIGKILL, "\(result.errors)")

        let isDone = moment == .committed
        let left: Int64 = isDone ? 0 : 1
        #expect(
            try sample.rows("SELECT (SELECT count(*) FROM ZBOOK), (SELECT count(*) FROM ZPERSON)")
                == [[.integer(left), .integer(left)]])
        #expect(
            try sample.rows("SELECT NUMBER, STACK, CAUSE FROM COEXIST_TRANSACTION WHERE NUMBER > 2 ORDER BY NUMBER")
                == (isDone
                    ? [[.integer(3), .text("model"), .integer(4)], [.integer(4), .text("legacy"), .null]] : []))
        #expect(try sample.violations() == [])
        #expect(try Audit.run(Store.open(sample.path)).violations == [])

        // The next start goes on from there.
        let bridge = try sample.open { $0.forwardsDeletes = true }
        defer { bridge.close() }
        if !isDone {
            _ = try bridge.legacy.save(
                ObjectBatch([.delete(ObjectReference(entity: "Author", key: 1), expecting: nil)]))
        }
        #expect(try bridge.model.count(of: ObjectQuery(entity: "Book")) == 0)
        #expect(try sample.violations() == [])
        #expect(try Audit.run(Store.open(sample.path)).violations == [])
    }
}
