import Bridge
import Foundation
import StoreFormat
import TestKit
import Testing

/// The guard while a bridge is open: its triggers stay, and its notes do not pile up.
@Suite struct GuardKeeperTests {
    private func triggers(_ sample: BridgeSample) throws -> Set<String> {
        let rows = try sample.rows("SELECT name || sql FROM sqlite_master WHERE type = 'trigger'")
        return Set(rows.compactMap { $0[0].textValue })
    }

    @Test(arguments: [
        "DROP TRIGGER COEXIST_GUARD_ZTAG_UPDATE",
        """
        BEGIN IMMEDIATE; DROP TRIGGER COEXIST_GUARD_ZTAG_UPDATE;
        CREATE TRIGGER COEXIST_GUARD_ZTAG_UPDATE BEFORE UPDATE ON ZTAG WHEN 0 BEGIN SELECT RAISE(ABORT, 'no'); END;
        COMMIT
        """,
    ])
    func aTriggerThatIsDroppedOrAlteredIsPutBackWithAnAlarm(sql: String) throws {
        for mode in [GuardMode.always, .whileRunning, .record] {
            let sample = try BridgeSample()
            let bridge = try sample.open { $0.guardMode = mode }
            defer { bridge.close() }
            let before = try triggers(sample)
            try sample.foreign(sql)
            #expect(eventually { bridge.alarms.contains { $0.contains("COEXIST_GUARD_ZTAG_UPDATE") } }, "\(mode)")
            #expect(try triggers(sample) == before)
            #expect(try bridge.verify().filter { $0.rule.hasPrefix("guard") } == [])
        }
    }

    @Test func whatTheGuardNotedOfTransactionsThatHistoryTellsOfIsTakenAway() throws {
        let sample = try BridgeSample()
        let bridge = try sample.open { $0.guardMode = .record }
        let tag = try bridge.legacy.insert("Tag", ["name": .string("a")])
        func notes() throws -> Int64? { try sample.rows("SELECT count(*) FROM COEXIST_FOREIGN")[0][0].integerValue }
        let sql = """
            BEGIN IMMEDIATE; UPDATE ZTAG SET ZNAME = 'b';
            INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP) SELECT max(Z_PK) + 1, 16002, 1.5 FROM ATRANSACTION;
            UPDATE Z_PRIMARYKEY SET Z_MAX = (SELECT max(Z_PK) FROM ATRANSACTION) WHERE Z_ENT = 16002;
            INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID)
                SELECT max(c.Z_PK) + 1, 16001, 1, (SELECT Z_ENT FROM ZTAG), 1, (SELECT max(Z_PK) FROM ATRANSACTION)
                FROM ACHANGE c;
            UPDATE Z_PRIMARYKEY SET Z_MAX = (SELECT max(Z_PK) FROM ACHANGE) WHERE Z_ENT = 16001;
            COMMIT
            """
        try sample.foreign(sql)
        #expect(eventually { (try? notes()) == 0 })
        #expect(eventually { (try? bridge.model.value(tag, "name")) == .string("b") })
        bridge.close()
        // What is written while no daemon runs nobody needs either: a start begins with empty caches.
        try sample.foreign("UPDATE ZTAG SET ZNAME = 'c'")
        #expect(try notes() != 0)
        let again = try sample.open { $0.guardMode = .record }
        #expect(try notes() == 0)
        again.close()
    }

    @Test func aStormOfForeignCommitsIsAFewAlarmsThatNameThemAll() throws {
        let sample = try BridgeSample()
        let bridge = try sample.open { $0.guardMode = .off }
        try bridge.legacy.insert("Tag", ["name": .string("a")])
        for number in 1...300 { try sample.foreign("UPDATE ZTAG SET ZNAME = '\(number)'") }
        #expect(eventually { bridge.counts.untracked == 300 }, "\(bridge.counts.untracked)")
        bridge.close()
        #expect((1...10).contains(bridge.alarms.count), "\(bridge.alarms.count)")
        let told = bridge.alarms.compactMap { $0.split(separator: " ").first.flatMap { Int($0) } }
        #expect(told.reduce(0, +) == 300, "\(bridge.alarms)")
    }
}
