import Foundation
import SQLite
import StoreFormat
import StoreModel
import SwiftData
import TestKit
import Testing

@Suite struct OwnershipTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("Library.sqlite")
        let store = try StoreCreator.create(path, model: SampleModels.library)
        let instance = try ModelInstance(store: store)
        _ = try instance.save(
            ObjectBatch([
                .insert(entity: "Author", name: "ann", values: ["name": .attribute(.string("Ann"))]),
                .insert(entity: "Book", name: "one", values: ["author": .toOne(.new("ann"))]),
                .insert(entity: "Tag", name: "red", values: ["name": .attribute(.string("red"))]),
            ]))
        instance.close()
        let connection = try StoreConnector.connect(path, .writer(.full))
        try CoexistenceTables.create(connection)
        try CoexistenceState(
            form: 1, adopted: 0, timeline: 1, commits: 0, purgeFloor: 0, guardMode: .off, madeHistory: false,
            journalMode: "wal", backup: nil
        ).insert(connection)
        for (unit, entities) in OwnershipUnits.group(store.layout) {
            let owner = entities.contains("Book") ? "legacy" : "model"
            try connection.run(
                "INSERT INTO COEXIST_UNIT (NAME, OWNER, EPOCH, FROZEN, SINCE) VALUES (?, ?, 1, 0, 0)",
                [.text(unit), .text(owner)])
            for entity in entities {
                let number = try store.layout.entity(entity).number
                try connection.run(
                    "INSERT INTO COEXIST_ENTITY (NUMBER, NAME, UNIT) VALUES (?, ?, ?)",
                    [.integer(number), .text(entity), .text(unit)])
            }
        }
        try connection.run("INSERT INTO COEXIST_JOIN (NAME, UNIT) VALUES ('Z_2TAGS', 'Tag')")
    }

    private func sql(_ text: String) throws -> [[SQLValue]] {
        try StoreConnector.connect(path, .reader).query(text)
    }

    @Test func rowOfTheOtherStackIsRefusedWithOwnerAndEpoch() throws {
        let instance = try ModelInstance(path: path)
        let error = #expect(throws: StoreError.self) {
            try instance.save(
                ObjectBatch([
                    .update(.init(entity: "Book", key: 1), values: ["title": .attribute(.string("x"))], expecting: nil),
                    .update(
                        .init(entity: "Tag", key: 1), values: ["name": .attribute(.string("blue"))], expecting: nil),
                ]))
        }
        #expect(error?.code == .ownershipViolation)
        #expect(error?.objects.map(\.object) == [.init(entity: "Book", key: 1)])
        #expect(error?.objects.first?.owner == .legacy)
        #expect(try sql("SELECT ZNAME FROM ZTAG") == [["red"]])
    }

    @Test func otherEndOfTheOtherStackGetsAChangeRowButNoVersion() throws {
        let instance = try ModelInstance(path: path)
        let join = try #require(
            instance.store.layout["Tag"]?.relationship("books").flatMap { relationship -> String? in
                if case .manyToMany(let join) = relationship.storage { return join.table }
                return nil
            })
        try StoreConnector.connect(path, .writer(.full)).run(
            "INSERT OR REPLACE INTO COEXIST_JOIN (NAME, UNIT) SELECT ?, UNIT FROM COEXIST_ENTITY WHERE NAME = 'Tag'",
            [.text(join)])
        let result = try instance.save(
            ObjectBatch([
                .update(
                    .init(entity: "Tag", key: 1),
                    values: ["books": .toMany([.existing(.init(entity: "Book", key: 1))])],
                    expecting: nil)
            ]))
        let number = try #require(result.transaction)
        #expect(try sql("SELECT Z_OPT FROM ZBOOK") == [[1]])
        #expect(try sql("SELECT Z_OPT FROM ZTAG") == [[2]])
        #expect(try sql("SELECT count(*) FROM ACHANGE WHERE ZTRANSACTIONID = \(number)") == [[2]])
        #expect(try sql("SELECT STACK FROM COEXIST_TRANSACTION WHERE NUMBER = \(number)") == [["model"]])
    }

    @Test func deleteWhoseRulesReachTheOtherStackIsRefused() throws {
        let instance = try ModelInstance(path: path)
        let error = #expect(throws: StoreError.self) {
            try instance.save(ObjectBatch([.delete(.init(entity: "Author", key: 1), expecting: nil)]))
        }
        #expect(error?.code == .crossStackDelete)
        #expect(error?.objects.map(\.object) == [.init(entity: "Book", key: 1)])
        #expect(try sql("SELECT count(*) FROM ZPERSON") == [[1]])
    }

    @Test func olderEpochIsRefusedUntilTheReplay() throws {
        let instance = try ModelInstance(path: path)
        try StoreConnector.connect(path, .writer(.full)).run("UPDATE COEXIST_UNIT SET EPOCH = 2")
        let batch = ObjectBatch([
            .update(.init(entity: "Tag", key: 1), values: ["name": .attribute(.string("blue"))], expecting: nil)
        ])
        let error = #expect(throws: StoreError.self) { try instance.save(batch) }
        #expect(error?.code == .staleEpoch)
        try instance.apply([])
        #expect(try instance.save(batch).transaction != nil)
    }
}
