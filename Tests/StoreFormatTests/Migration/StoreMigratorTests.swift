import Foundation
import KeyedArchive
import SQLite
import StoreFormat
import StoreModel
import TestKit
import Testing

/// The migration as a whole: what it leaves alone, and what a failure leaves.
@Suite struct StoreMigratorTests {
    private static let old = Short.model(Short.entity("Note", [Short.attribute("title")]))
    private static let new = Short.model(
        Short.entity("Memo"), Short.entity("Note", [Short.attribute("text", was: "title")]))
    private static let rows = """
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
        INSERT INTO ZNOTE (Z_PK, Z_ENT, Z_OPT, ZTITLE) SELECT i, 1, 1, 'note ' || i FROM n;
        UPDATE Z_PRIMARYKEY SET Z_MAX = 500;
        """

    /// A store whose rows are in the log alone, as a program that was killed leaves it.
    private func killed() throws -> MigrationSample {
        let sample = try MigrationSample(Self.old)
        // The shell ends without closing: its last statement kills it.
        let script = """
            .shell true
            PRAGMA wal_autocheckpoint=0;
            \(Self.rows)
            .shell kill -9 $PPID
            """
        let program = try #require(Programs.find("sqlite3"))
        _ = try Programs.run(program, ["-batch", sample.path], input: script)
        let size = try FileManager.default.attributesOfItem(atPath: sample.path + "-wal")[.size] as? Int
        try #require((size ?? 0) > 0, "the rows must be in the log")
        return sample
    }

    @Test func rowsThatAreInTheLogAloneAreMigrated() throws {
        let sample = try killed()
        #expect(try StoreMigrator(sample.path, to: Self.new).plan().refusals == [])
        try sample.migrate(to: Self.new)
        #expect(try sample.rows("SELECT count(*), min(ZTEXT), max(Z_ENT) FROM ZNOTE") == ["500|note 1|2"])
        #expect(try sample.rows("PRAGMA journal_mode") == ["wal"])
        try sample.expectSound(Self.new)
    }

    @Test func aLogIsNotLeftBesideTheNewStore() throws {
        let sample = try killed()
        try sample.migrate(to: Self.new)
        #expect(!FileManager.default.fileExists(atPath: sample.path + "-wal"))
        #expect(try Programs.sqlite3(sample.path, "PRAGMA integrity_check").output == "ok\n")
    }

    @Test(arguments: ["delete", "truncate", "wal"])
    func theJournalModeStays(mode: String) throws {
        let sample = try MigrationSample(Self.old, sql: Self.rows)
        _ = try Programs.sqlite3(sample.path, "PRAGMA journal_mode=\(mode)")
        try sample.migrate(to: Self.new)
        #expect(
            try Programs.sqlite3(sample.path, "PRAGMA journal_mode").output == (mode == "wal" ? "wal\n" : "delete\n"))
        #expect(try sample.rows("SELECT count(*) FROM ZNOTE") == ["500"])
        try sample.expectSound(Self.new)
    }

    @Test func keysOfTheApplicationAndTheFilesPermissionsStay() throws {
        let sample = try MigrationSample(Self.old)
        var plist = try StoreMetadata.read(path: sample.path).plist
        plist["MyAppVersion"] = .string("7.1")
        let bytes = try PropertyList.binary(.dictionary(plist)).map {
            String($0 >> 4, radix: 16) + String($0 & 15, radix: 16)
        }
        try sample.execute("UPDATE Z_METADATA SET Z_PLIST = x'\(bytes.joined())'")
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: sample.path)
        try sample.migrate(to: Self.new)
        let metadata = try StoreMetadata.read(path: sample.path)
        #expect(metadata.plist["MyAppVersion"]?.string == "7.1")
        #expect(
            try FileManager.default.attributesOfItem(atPath: sample.path)[.posixPermissions] as? Int == 0o640)
    }

    @Test func aStoreOfTheModelIsNotTouched() throws {
        let sample = try MigrationSample(Self.old, sql: Self.rows)
        let before = try FolderContents(sample.folder.path).files
        var same = Self.old
        same.entities[0].className = "Other"
        let report = try sample.migrate(to: same)
        #expect(!report.plan.isNeeded && report.backup == nil)
        #expect(try FolderContents(sample.folder.path).files == before)
    }

    @Test func aStoreThatIsOpenElsewhereIsBusyAndStaysAsItIs() throws {
        let sample = try MigrationSample(Self.old, sql: Self.rows)
        let other = try Connection(path: sample.path, mode: .readWrite)
        #expect(try other.scalar("SELECT count(*) FROM ZNOTE") == 500)
        let error = expectStoreError(.busy) { try sample.migrate(to: Self.new) }
        #expect(error?.message.contains("open in another process") == true)
        #expect(try Store.open(sample.path).model.versionHashes() == Self.old.versionHashes())
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: sample.folder.path).allSatisfy {
                !$0.contains("migration")
            })
        #expect(try other.scalar("SELECT count(*) FROM ZNOTE") == 500)
    }

    @Test func nobodyElseReadsOrWritesWhileItRuns() throws {
        let sample = try MigrationSample(Self.old, sql: Self.rows)
        var results: [Int32] = []
        try sample.migrate(
            to: Self.new,
            hooks: MigrationHooks(reached: { stage in
                guard stage == .rowsCopied else { return }
                results.append(try Programs.sqlite3(sample.path, "UPDATE ZNOTE SET ZTITLE = 'lost'").exitCode)
            }))
        #expect(results == [5], "SQLITE_BUSY")
        #expect(try sample.rows("SELECT count(*) FROM ZNOTE WHERE ZTEXT = 'lost'") == ["0"])
    }

    private struct Ended: Error {}

    @Test func anErrorAtAnyStageLeavesTheOldStoreAndNothingBeside() throws {
        let sample = try MigrationSample(Self.old, sql: Self.rows)
        let before = try FileManager.default.contentsOfDirectory(atPath: sample.folder.path)
        var stages: [MigrationStage] = []
        let counted = try MigrationSample(Self.old, sql: Self.rows)
        try counted.migrate(to: Self.new, hooks: MigrationHooks(reached: { stages.append($0) }))
        #expect(
            stages.contains { if case .swapping(let remaining) = $0 { return remaining > 0 } else { return false } })
        for (place, stage) in stages.enumerated() where stage != .swapped && stage != .cleaned {
            var passed = 0
            #expect(throws: Ended.self, "\(stage)") {
                try sample.migrate(
                    to: Self.new,
                    hooks: MigrationHooks(reached: { _ in
                        passed += 1
                        if passed == place + 1 { throw Ended() }
                    }))
            }
            #expect(try Store.open(sample.path).model.versionHashes() == Self.old.versionHashes(), "\(stage)")
            #expect(try sample.rows("SELECT count(*), max(ZTITLE) FROM ZNOTE") == ["500|note 99"], "\(stage)")
            #expect(
                Set(try FileManager.default.contentsOfDirectory(atPath: sample.folder.path))
                    .subtracting(["Sample.sqlite-wal", "Sample.sqlite-shm"]) == Set(before), "\(stage)")
        }
        try sample.migrate(to: Self.new)
        try sample.expectSound(Self.new)
    }

    @Test func damageThatTheCopyOfTheOldStoreHasIsTold() throws {
        let sample = try MigrationSample(Self.old, sql: Self.rows)
        #expect(try StoreMigrator(sample.path, to: Self.old).migrate().warnings == [])
        try sample.execute("CREATE TABLE app AS SELECT hex(randomblob(900)) AS t FROM ZNOTE; DROP TABLE app")
        do {
            let connection = try Connection(path: sample.path, mode: .readWrite)
            _ = try connection.checkpoint(.truncate)
        }
        // The first page of the list of free pages, which the header names (sqlite.org/fileformat.html, section 1.3).
        let file = try #require(FileHandle(forUpdatingAtPath: sample.path))
        let header = [UInt8](try file.read(upToCount: 100) ?? Data())
        let page = header[32..<36].reduce(0) { $0 << 8 | Int($1) }
        try #require(page > 1)
        try file.seek(toOffset: UInt64(page - 1) * 4096)
        try file.write(contentsOf: Data(repeating: 0xA5, count: 64))
        try file.close()
        let report = try sample.migrate(to: Self.new)
        let warning = try #require(report.warnings.first)
        #expect(warning.contains("was damaged") && warning.contains(report.backup ?? "none"), "\(warning)")
        try sample.expectSound(Self.new)
    }

    @Test func leftoversOfAnEarlierMigrationAreRemoved() throws {
        let sample = try MigrationSample(Self.old, sql: Self.rows)
        let leftover = sample.path + "-coexist-migration"
        for suffix in ["", "-journal"] { try Data("left".utf8).write(to: URL(fileURLWithPath: leftover + suffix)) }
        try sample.migrate(to: Self.new)
        try sample.expectSound(Self.new)
    }

    @Test func whatIsTheApplicationsIsCarriedOver() throws {
        let sample = try MigrationSample(
            Self.old,
            sql: Self.rows + """
                CREATE TABLE app_log (id INTEGER PRIMARY KEY, line TEXT); CREATE INDEX app_line ON app_log (line);
                INSERT INTO app_log (line) VALUES ('hello'); CREATE VIEW app_view AS SELECT line FROM app_log;
                CREATE UNIQUE INDEX app_key ON ZNOTE (Z_PK, Z_OPT);
                CREATE TRIGGER app_added AFTER INSERT ON ZNOTE BEGIN
                    INSERT INTO app_log (line) VALUES ('note ' || NEW.Z_PK); END;
                CREATE VIRTUAL TABLE app_box USING rtree (id, a, b); INSERT INTO app_box VALUES (1, 2, 3);
                """)
        try sample.migrate(to: Self.new)
        #expect(try sample.rows("SELECT line FROM app_view") == ["hello"])
        #expect(try sample.rows("SELECT a, b FROM app_box") == ["2.0|3.0"])
        #expect(try sample.rows("SELECT count(*) FROM sqlite_master WHERE name IN ('app_line', 'app_key')") == ["2"])
        try sample.execute(
            "INSERT INTO ZNOTE (Z_PK, Z_ENT, Z_OPT) VALUES (501, 2, 1); UPDATE Z_PRIMARYKEY SET Z_MAX = 501 WHERE Z_ENT = 2"
        )
        #expect(try sample.rows("SELECT line FROM app_view WHERE line LIKE 'note%'") == ["note 501"])
        try sample.expectSound(Self.new)
    }

    @Test(arguments: [
        ("CREATE VIRTUAL TABLE app USING fts5 (text)", "a virtual table"),
        ("CREATE INDEX app ON ZNOTE (ZTITLE)", "cannot be made"),
        ("CREATE TRIGGER app AFTER DELETE ON ZNOTE BEGIN SELECT OLD.ZTITLE; END", "does not fit"),
        ("CREATE VIEW app AS SELECT Z_PK FROM ZNOTE WHERE Z_ENT = 1", "by numbers"),
    ])
    func whatIsTheApplicationsAndDoesNotFitIsNamed(sql: String, reason: String) throws {
        let sample = try MigrationSample(Self.old, sql: sql)
        let refusals = try sample.refusals(to: Self.new).filter { $0.entity == "app" }
        #expect(refusals.map(\.code) == [.foreignContent])
        #expect(refusals.first?.reason.contains(reason) == true, "\(refusals)")
    }

    @Test func aRowOfNoEntityIsNotLeftBehindUnsaid() throws {
        let sample = try MigrationSample(Self.old, sql: Self.rows)
        try sample.execute("UPDATE ZNOTE SET Z_ENT = 77 WHERE Z_PK < 3")
        let refusals = try sample.refusals(to: Self.new)
        #expect(refusals.map { "\($0.entity) \($0.code.rawValue)" } == ["ZNOTE ForeignContent"])
        #expect(refusals.first?.reason.contains("2 of its rows") == true)
    }

    /// Whatever the reason may be: rows that break a rule which the old store kept do not take its place.
    @Test func whatTheNewStoreBreaksEndsTheMigration() throws {
        let sample = try MigrationSample(Self.old, sql: Self.rows)
        let before = try FolderContents(sample.folder.path).files
        let error = #expect(throws: StoreError.self) {
            try sample.migrate(
                to: Self.new,
                hooks: MigrationHooks(reached: { stage in
                    guard stage == .backedUp else { return }
                    let new = try Connection(path: sample.path + "-coexist-migration", mode: .readWrite)
                    try new.execute("UPDATE ZNOTE SET Z_OPT = 0 WHERE Z_PK = 1")
                }))
        }
        #expect(error?.code == .damaged)
        #expect(error?.message.contains("ZNOTE 1") == true, "\(error?.message ?? "")")
        #expect(try FolderContents(sample.folder.path).files == before)
    }
}
