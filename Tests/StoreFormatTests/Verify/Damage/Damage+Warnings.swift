import StoreFormat

/// What breaks no rule of the format, and is hardly meant.
extension Damage {
    static let warnings: [Damage] = [
        Damage(
            "UPDATE ZWORK SET ZACQUIRED = 1e15 WHERE Z_PK = 2", ["value-date", "ZWORK 2.acquired", "Foundation"],
            severity: .warning),
        Damage(
            "UPDATE ZWORK SET ZACQUIRED = -9223372036854775808 WHERE Z_PK = 2",
            ["value-date", "ZWORK 2.acquired", "Foundation"], severity: .warning),
        Damage(
            "UPDATE ZLAMP SET ZWATTS = 0 WHERE Z_PK = 2",
            ["value-validation", "ZLAMP 2.watts", "less than the minimum 1"],
            severity: .warning),
        Damage(
            "UPDATE ZLAMP SET ZWATTS = 5001 WHERE Z_PK = 2", ["value-validation", "ZLAMP 2.watts", "the maximum 5000"],
            severity: .warning),
        Damage(
            "UPDATE ZLAMP SET ZLABEL = 'A' WHERE Z_PK = 2",
            ["value-validation", "ZLAMP 2.label", "1 characters, less"],
            severity: .warning),
        Damage(
            "UPDATE ZLAMP SET ZLABEL = 'ABCDEFGHI' WHERE Z_PK = 2",
            ["value-validation", "ZLAMP 2.label", "9 characters, more"], severity: .warning),
        Damage(
            "UPDATE ZLAMP SET ZLABEL = 'abc' WHERE Z_PK = 2", ["value-validation", "ZLAMP 2.label", "does not match"],
            severity: .warning),
        Damage(
            "ALTER TABLE ZLAMP ADD COLUMN ZOLD VARCHAR", ["column-extra", "ZLAMP ZOLD", "no property"],
            severity: .warning),
        Damage(
            "CREATE TABLE ZOLD ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER )",
            ["table-extra", "ZOLD", "nothing in the model"], severity: .warning),
        Damage(
            "CREATE UNIQUE INDEX mine ON ZLAMP (ZWATTS)", ["index-extra", "ZLAMP", "mine is unique on ZLAMP (ZWATTS)"],
            severity: .warning),
        Damage(
            "CREATE TRIGGER Z_DA_ZLAMP_Lamp_old_SOURCE_INSERT AFTER INSERT ON ZLAMP BEGIN SELECT 1; END",
            ["trigger-extra", "ZLAMP", "Z_DA_ZLAMP_Lamp_old_SOURCE_INSERT"], severity: .warning),
    ]
}
