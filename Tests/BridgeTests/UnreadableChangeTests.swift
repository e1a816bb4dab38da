import Bridge
import StoreFormat
import TestKit
import Testing

/// A transaction of another program whose changes do not say what it changed: nobody knows what to drop, so all goes.
@Suite struct UnreadableChangeTests {
    /// Kind, entity and key of the change row.
    static let rows = [
        "1, 77, 1", "9, (SELECT Z_ENT FROM ZTAG), 1", "1, (SELECT Z_ENT FROM ZTAG), NULL",
        "1, (SELECT Z_ENT FROM ZTAG), '1x'", "1, NULL, 1", "NULL, (SELECT Z_ENT FROM ZTAG), 1", "none",
    ]

    @Test(arguments: rows)
    func cachesAreDroppedAndAnAlarmIsRaisedOnce(row: String) throws {
        let sample = try BridgeSample()
        let bridge = try sample.open { $0.guardMode = .off }
        defer { bridge.close() }
        let tag = try bridge.legacy.insert("Tag", ["name": .string("a")])
        try bridge.replay()
        for stack in StackName.allCases { #expect(try bridge.instance(stack).value(tag, "name") == .string("a")) }
        let change =
            row == "none"
            ? ""
            : """
            INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS)
                SELECT 2, 16001, \(row), 2, x'80';
            """
        try sample.foreign(
            """
            BEGIN IMMEDIATE;
            UPDATE ZTAG SET ZNAME = 'b', Z_OPT = 2;
            \(change)
            INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP) VALUES (2, 16002, 1.5);
            UPDATE Z_PRIMARYKEY SET Z_MAX = 2 WHERE Z_ENT IN (16001, 16002);
            COMMIT;
            """)
        try bridge.replay(to: 2)
        for stack in StackName.allCases { #expect(try bridge.instance(stack).value(tag, "name") == .string("b")) }
        #expect(eventually { bridge.alarms.count == 1 })
        #expect(
            bridge.alarms.first?.hasPrefix("transaction 2 does not say what it changed: ") == true, "\(bridge.alarms)")
    }
}
