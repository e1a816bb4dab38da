import Foundation
import SQLite
import StoreFormat
import StoreModel
import TestKit
import Testing

/// The same writes to two copies of a store: by a program that runs the store's own triggers, and through a connection of
/// ours, which runs the mirrored ones. Every table has to be the same afterwards, row by row.
@Suite struct TriggerAgreementTests {
    private static let python = Programs.find("python3")

    /// Python's `sqlite3`, with the functions of Apple's frameworks that triggers call. A statement that fails is undone, and
    /// the next one follows; the numbers of those are printed.
    private static let program = """
        import json, sqlite3, sys
        connection = sqlite3.connect(sys.argv[1], isolation_level=None)
        for name in ("NSCoreDataDATriggerUpdatedAffectedObjectValue", "NSCoreDataDATriggerInsertUpdatedAffectedObjectValue",
                     "NSCoreDataTriggerUpdateAffectedObjectValue"):
            connection.create_function(name, -1, lambda *arguments: None)
        connection.execute("BEGIN")
        failed = []
        for number, statement in enumerate(json.load(open(sys.argv[2]))):
            try:
                connection.execute(statement)
            except sqlite3.Error as error:
                failed.append(number)
        connection.execute("COMMIT")
        print(json.dumps(failed))
        """

    private struct Outcome {
        var failed: [Int]
        var tables: [String: [[SQLValue]]]
    }

    /// Every table but SQLite's own, the shadow tables of location indexes included.
    private static func tables(_ path: String) throws -> [String: [[SQLValue]]] {
        let connection = try Connection(path: path, mode: .readOnly)
        let names = try connection.query(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
        ).compactMap { $0[0].textValue }
        var tables: [String: [[SQLValue]]] = [:]
        for name in names { tables[name] = try connection.query("SELECT * FROM \(name.sqlIdentifier) ORDER BY 1") }
        return tables
    }

    private static func native(_ path: String, _ statements: [String], _ folder: TemporaryFolder) throws -> Outcome {
        let list = folder.file("statements.json")
        try JSONEncoder().encode(statements).write(to: URL(fileURLWithPath: list))
        let result = try Programs.run(python ?? "", ["-c", program, path, list])
        #expect(result.exitCode == 0, "\(result.errors)")
        return Outcome(
            failed: try JSONDecoder().decode([Int].self, from: Data(result.output.utf8)), tables: try tables(path))
    }

    private static func mirrored(_ path: String, _ statements: [String]) throws -> Outcome {
        let connection = try StoreConnector.connect(path, .writer(.normal))
        var failed: [Int] = []
        try connection.transaction(.immediate) {
            for (number, statement) in statements.enumerated() {
                do {
                    try connection.execute(statement)
                } catch is SQLiteError {
                    failed.append(number)
                }
            }
        }
        return Outcome(failed: failed, tables: try tables(path))
    }

    /// Runs the statements on both copies and compares.
    private static func compare(
        _ first: String, _ second: String, _ statements: [String], _ folder: TemporaryFolder,
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        let before = try tables(first)
        #expect(try tables(second) == before, sourceLocation: location)
        let native = try native(first, statements, folder)
        let mirrored = try mirrored(second, statements)
        #expect(native.failed == mirrored.failed, sourceLocation: location)
        #expect(native.failed.count * 2 < statements.count, "most statements work", sourceLocation: location)
        #expect(native.tables != before, sourceLocation: location)
        for name in Set(native.tables.keys).union(mirrored.tables.keys).sorted() {
            let (a, b) = (native.tables[name] ?? [], mirrored.tables[name] ?? [])
            let difference = zip(a, b).first { $0 != $1 }
            #expect(
                a == b, "\(name): \(difference.map { "\($0.0) is not \($0.1)" } ?? "rows")", sourceLocation: location)
        }
    }

    private static func statements(_ path: String, _ seed: UInt64, _ count: Int) throws -> [String] {
        let connection = try Connection(path: path, mode: .readOnly)
        try DerivedFunctions.register(on: connection)
        var random = try RandomSQL(connection, seed: seed)
        return (0..<count).map { _ in random.next() }
    }

    // MARK: Stores made here

    /// Derived counts and copies over three entities, a location index, and what applications add: conditions, quoted names,
    /// triggers before and after, on several columns, that fire each other, that ignore or refuse a row.
    private static let model: ModelDescription = {
        var place = EntityDescription(name: "Place")
        place.attributes = ["latitude", "longitude"].map {
            AttributeDescription(name: $0, type: .double, isOptional: true)
        }
        place.fetchIndexes = [
            FetchIndexDescription(
                name: "byRect", elements: ["latitude", "longitude"].map { .init(property: $0, kind: .rTree) })
        ]
        return ModelDescription(entities: TriggerMirrorTests.model.entities + [place])
    }()

    private static let applications = """
        CREATE TRIGGER "on BEGIN" AFTER UPDATE OF ZTITLE, Z_OPT ON "ZBOOK" FOR EACH ROW
            WHEN NEW.ZTITLE IS NOT OLD.ZTITLE BEGIN
            UPDATE ZPAGE SET Z_OPT = Z_OPT + 1 WHERE ZBOOK = NEW.Z_PK; /* ON ZBOOK; END */
        END;
        CREATE TRIGGER chain AFTER UPDATE OF Z_OPT ON ZPAGE WHEN NEW.Z_OPT > 3 BEGIN
            UPDATE ZPLACE SET ZLATITUDE = NEW.Z_OPT WHERE Z_PK = NEW.Z_PK % 5 + 1;
        END;
        CREATE TRIGGER [refused] BEFORE INSERT ON main.ZPAGE WHEN NEW.Z_OPT = 7 BEGIN SELECT RAISE(ABORT, 'no 7'); END;
        CREATE TRIGGER `ignored` BEFORE DELETE ON ZPAGE WHEN OLD.Z_OPT = 5 BEGIN SELECT RAISE(IGNORE); END;
        CREATE TRIGGER main.commented /* ON ZPLACE */ AFTER -- INSERT ON ZPLACE
            UPDATE OF ZLONGITUDE ON /* ZBOOK */ ZPLACE BEGIN UPDATE ZBOOK SET Z_OPT = 1 WHERE Z_PK = NEW.Z_PK; END;
        CREATE TRIGGER IF NOT EXISTS logged AFTER DELETE ON ZBOOK BEGIN
            INSERT INTO notes (what) VALUES ('deleted ' || OLD.Z_PK), ('it''s gone; ON ZBOOK BEGIN');
            DELETE FROM notes WHERE rowid < (SELECT max(rowid) - 20 FROM notes);
        END;
        """

    @Test(.enabled(if: python != nil, "python3 is not installed"), arguments: [1, 2, 3, 4, 5] as [UInt64])
    func storesMadeHere(seed: UInt64) throws {
        let folder = try TemporaryFolder()
        let path = folder.file("native.sqlite")
        try StoreCreator.create(path, model: Self.model)
        let setup = try Connection(path: path, mode: .readWrite)
        try setup.execute("CREATE TABLE notes (what TEXT); \(Self.applications)")
        _ = try setup.checkpoint(.truncate)
        try FileManager.default.copyItem(atPath: path, toPath: folder.file("mirrored.sqlite"))
        try Self.compare(
            path, folder.file("mirrored.sqlite"), try Self.statements(path, seed, 600), folder)
    }

    // MARK: Real stores

    private static let withTriggers: [String] = Corpus.names.filter { name in
        guard let folder = try? TemporaryFolder(), let path = try? Corpus.copy(name, to: folder),
            let connection = try? Connection(path: path, mode: .readOnly)
        else { return false }
        return (try? connection.scalar("SELECT count(*) FROM sqlite_master WHERE type = 'trigger'")) ?? .integer(0)
            != .integer(0)
    }

    @Test(
        .enabled(if: Corpus.folder != nil && python != nil, Comment(rawValue: Corpus.message)), arguments: withTriggers)
    func realStores(name: String) throws {
        let folders = [try TemporaryFolder(), try TemporaryFolder()]
        let paths = try folders.map { try Corpus.copy(name, to: $0) }
        let list = try TemporaryFolder()
        try Self.compare(paths[0], paths[1], try Self.statements(paths[0], 7, 1_500), list)
    }
}
