import Foundation
import LegacyStack
import SQLite
import StoreFormat
import TestKit

/// A store to adopt: one made here, in a form that stores come in, or a real one.
enum AdoptedSource: Sendable, CustomStringConvertible {
    /// As `create` makes it, with objects that an instance saved.
    case fresh
    /// Never tracked, with a rollback journal, its rows written by nobody that left history.
    case untracked
    /// As Core Data's in-place migrations leave it: columns in another order, the table's name quoted, an index of another
    /// name, keys handed out beyond the rows that are there.
    case migrated
    /// History as framework 851 kept it, the texts in the transactions.
    case inline
    /// With triggers of an application's, and of derived attributes' kind.
    case triggers
    /// A real store.
    case real(String)

    static let made: [AdoptedSource] = [.fresh, .untracked, .migrated, .inline, .triggers]
    /// Real ones of each form: history of framework 851, Photos with its triggers and location indexes, a renamed entity,
    /// derived attributes, transformables, SwiftData's, keys that are many-to-manys' in an order.
    private static let real = [
        "01_plaso_knowledgeC_10.13", "05_plaso_Accounts3", "14_osxphotos_Test-16.0.0-beta",
        "17_CoreDataPlus_SampleModel_V1", "18_CoreDataPlus_SampleModel_V2", "20_CoreDataPlus_SampleModel2_V2",
        "28_SwiftData_MetaCocktails_Preloaded", "30_SwiftData_ResourcesManager", "33_SwiftData_FreezeRay_2.0.0",
        "42_duckduckgo_Bookmarks_V5", "45_Pulse_logs",
    ]
    static let all = made + Corpus.names.filter(real.contains).map(AdoptedSource.real)

    var description: String {
        switch self {
        case .fresh: "fresh"
        case .untracked: "untracked"
        case .migrated: "migrated"
        case .inline: "inline"
        case .triggers: "triggers"
        case .real(let name): name
        }
    }

    /// Whether a test can ask that there is something to write.
    var isMade: Bool {
        if case .real = self { return false }
        return true
    }

    /// Puts the store into the folder.
    /// - Returns: its path.
    func make(in folder: TemporaryFolder) throws -> String {
        if case .real(let name) = self { return try Corpus.copy(name, to: folder) }
        let path = folder.file("Library.sqlite")
        try StoreCreator.create(path, model: SampleModels.library, isTracked: !isUntracked)
        if isUntracked {
            _ = try Programs.sqlite3(path, "PRAGMA journal_mode=delete")
        } else {
            try Self.fill(path)
        }
        let connection = try Connection(path: path, mode: .readWrite)
        try connection.execute(sql)
        return path
    }

    private var isUntracked: Bool {
        if case .untracked = self { return true }
        return false
    }

    private static func fill(_ path: String) throws {
        let instance = try LegacyInstance(path: path)
        for name in ["a", "b"] { try instance.insert("Tag", ["name": .string(name)]) }
        try instance.insert("Shelf", ["label": .string("A")])
        let tags = (1...2).map { ObjectBatch.Target.existing(ObjectReference(entity: "Tag", key: $0)) }
        _ = try instance.save(
            ObjectBatch([
                .insert(
                    entity: "Book", name: "b", values: ["title": .attribute(.string("Dune")), "tags": .toMany(tags)])
            ]))
        instance.close()
    }

    private var sql: String {
        switch self {
        case .fresh, .real: ""
        case .untracked:
            """
            INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (1, 7, 1, 'a'), (2, 7, 3, 'b');
            INSERT INTO ZSHELF (Z_PK, Z_ENT, Z_OPT, ZLABEL) VALUES (1, 6, 1, 'A');
            INSERT INTO ZBOOK (Z_PK, Z_ENT, Z_OPT, ZPAGES, ZTITLE) VALUES (4, 1, 2, 0, 'Dune');
            INSERT INTO Z_1TAGS VALUES (4, 1), (4, 2);
            UPDATE Z_PRIMARYKEY SET Z_MAX = CASE Z_NAME WHEN 'Tag' THEN 2 WHEN 'Shelf' THEN 1 ELSE 9 END
                WHERE Z_NAME IN ('Tag', 'Shelf', 'Book');
            """
        case .migrated:
            """
            CREATE TABLE "t" ( Z_PK INTEGER PRIMARY KEY, ZNAME VARCHAR, Z_ENT INTEGER);
            INSERT INTO t SELECT Z_PK, ZNAME, Z_ENT FROM ZTAG; DROP TABLE ZTAG; ALTER TABLE t RENAME TO "ZTAG";
            ALTER TABLE ZTAG ADD COLUMN Z_OPT INTEGER; UPDATE ZTAG SET Z_OPT = 1;
            CREATE UNIQUE INDEX Z_Tag_UNIQUE_name ON ZTAG (ZNAME COLLATE BINARY ASC);
            CREATE INDEX ZSHELF_Z9OLD_INDEX ON ZSHELF (ZLABEL);
            UPDATE Z_PRIMARYKEY SET Z_MAX = 40 WHERE Z_NAME IN ('Tag', 'Book');
            """
        case .inline:
            """
            CREATE TABLE old AS SELECT Z_PK, Z_ENT, Z_OPT, ZTIMESTAMP, 'editor' AS ZAUTHOR, 'org.example' AS ZBUNDLEID,
                NULL AS ZCONTEXTNAME, 'editor' AS ZPROCESSID, NULL AS ZQUERYGEN FROM ATRANSACTION;
            DROP TABLE ATRANSACTION; DROP TABLE ATRANSACTIONSTRING; DELETE FROM Z_PRIMARYKEY WHERE Z_ENT = 16003;
            CREATE TABLE ATRANSACTION ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZTIMESTAMP FLOAT,
                ZAUTHOR VARCHAR, ZBUNDLEID VARCHAR, ZCONTEXTNAME VARCHAR, ZPROCESSID VARCHAR, ZQUERYGEN BLOB );
            INSERT INTO ATRANSACTION SELECT * FROM old; DROP TABLE old;
            """
        case .triggers:
            """
            CREATE TRIGGER app_label AFTER UPDATE OF ZTITLE ON ZBOOK BEGIN
                UPDATE ZSHELF SET ZLABEL = NEW.ZTITLE WHERE Z_PK = NEW.ZSHELF;
                SELECT NSCoreDataDATriggerUpdatedAffectedObjectValue('ZSHELF', Z_ENT, Z_PK, 'label', ZLABEL)
                    FROM ZSHELF WHERE Z_PK = NEW.ZSHELF;
            END;
            CREATE TRIGGER app_tags AFTER INSERT ON ZTAG BEGIN UPDATE ZTAG SET ZNAME = trim(ZNAME) WHERE Z_PK = NEW.Z_PK; END;
            """
        }
    }
}
