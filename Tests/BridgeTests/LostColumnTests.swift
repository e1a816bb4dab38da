import Bridge
import Foundation
import LegacyStack
import ModelStack
import SQLite
import StoreFormat
import TestKit
import Testing

/// A part of a store that is gone while nobody looks: no value that is written is lost without a word.
@Suite struct LostColumnTests {
    private static func adopted() throws -> BridgeSample {
        let sample = try BridgeSample()
        let bridge = try sample.open { $0.guardMode = .off }
        try bridge.legacy.insert("Tag", ["name": .string("a")])
        bridge.close()
        return sample
    }

    /// The name of the table of pairs varies with the numbers of entities.
    private static func lose(_ sql: String, _ sample: BridgeSample) throws {
        let name = try sample.rows("SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB 'Z_[0-9]*'")
        try sample.foreign(sql.replacing("PAIRS", with: name.first?[0].textValue ?? ""))
    }

    @Test(arguments: [
        ("ALTER TABLE ZSHELF DROP COLUMN ZLABEL", "the column ZSHELF.ZLABEL"),
        ("ALTER TABLE ZSHELF RENAME COLUMN ZLABEL TO ZLABELX", "the column ZSHELF.ZLABEL"),
        ("ALTER TABLE ZBOOK RENAME COLUMN ZSHELF TO ZX", "the column ZBOOK.ZSHELF"),
        ("ALTER TABLE ZBOOK RENAME COLUMN Z_FOK_SHELF TO ZX", "the column ZBOOK.Z_FOK_SHELF"),
        ("ALTER TABLE ZSHELF RENAME COLUMN Z_OPT TO ZX", "the column ZSHELF.Z_OPT"),
        ("DROP TABLE ZSHELF", "the table ZSHELF"),
        ("DROP TABLE PAIRS", "the join table of"),
        ("DROP TABLE ATRANSACTION", "the table ATRANSACTION"),
        ("DROP TABLE ACHANGE", "the table ACHANGE"),
        ("DROP TABLE ATRANSACTIONSTRING", "the table ATRANSACTIONSTRING"),
        ("DROP TABLE ATRANSACTION; DROP TABLE ACHANGE; DROP TABLE ATRANSACTIONSTRING", "the table ACHANGE"),
    ])
    func theNextStartIsReadOnlyAndTheWayOutIsOne(sql: String, part: String) throws {
        let sample = try Self.adopted()
        try Self.lose(sql, sample)
        let bridge = try sample.open { $0.guardMode = .off }
        #expect(bridge.problem?.code == .damaged)
        #expect(bridge.problem?.message.contains(part) == true, "\(bridge.problem?.message ?? "")")
        #expect(bridge.readOnlyReason != nil)
        for stack in StackName.allCases {
            let error = #expect(throws: StoreError.self) {
                try bridge.instance(stack).insert("Tag", ["name": .string("b")])
            }
            #expect(error?.message.contains("SELECT") == false && error?.message.contains("CREATE") == false)
        }
        bridge.close()
        // Released, it is adopted as it is.
        #expect(try Release.release(sample.path).wasAdopted)
        let again = try sample.open { $0.guardMode = .off }
        #expect(again.problem == nil)
        try again.legacy.insert("Tag", ["name": .string("b")])
        again.close()
        let third = try sample.open { $0.guardMode = .off }
        #expect(third.problem == nil)
        third.close()
    }

    @Test(arguments: ["ATRANSACTION", "ACHANGE", "ATRANSACTIONSTRING"])
    func aTableOfHistoryIsMissedWhileTheStoreIsOpen(table: String) throws {
        let sample = try Self.adopted()
        let bridge = try sample.open { $0.guardMode = .off }
        defer { bridge.close() }
        try sample.foreign("DROP TABLE \(table)")
        for stack in StackName.allCases {
            let error = #expect(throws: StoreError.self) {
                try bridge.instance(stack).insert("Tag", ["name": .string("b")])
            }
            #expect(error?.code == .damaged || error?.code == .ownershipViolation)
            #expect(error?.message.contains("CREATE") == false, "\(error?.message ?? "")")
        }
        #expect(eventually { bridge.problem?.code == .damaged })
        #expect(try sample.rows("SELECT name FROM sqlite_master WHERE name = '\(table)'").isEmpty)
    }

    /// Half a history in a store that is not adopted: tables made beside it would say that nothing was before.
    @Test func halfAHistoryIsNeitherContinuedNorAdopted() throws {
        let sample = try BridgeSample()
        try sample.foreign("DROP TABLE ACHANGE")
        for stack in StackName.allCases {
            let instance: any StackInstance =
                stack == .legacy
                ? try LegacyInstance(store: Store.open(sample.path)) : try ModelInstance(store: Store.open(sample.path))
            defer { instance.close() }
            let error = #expect(throws: StoreError.self) { try instance.insert("Tag", ["name": .string("b")]) }
            #expect(error?.code == .damaged && error?.message.contains("ACHANGE") == true)
        }
        let error = #expect(throws: StoreError.self) { try sample.open() }
        #expect(error?.code == .damaged && error?.message.contains("ACHANGE") == true)
    }

    /// Real stores lack columns that their model has.
    @Test(arguments: StackName.allCases, [true, false])
    func aValueWithoutAColumnIsRefused(stack: StackName, isAdopted: Bool) throws {
        let sample = try BridgeSample()
        for column in ["ZBOOK DROP COLUMN ZTITLE", "ZBOOK DROP COLUMN ZCOVER", "ZBOOK RENAME COLUMN ZAUTHOR TO ZX"] {
            try sample.foreign("ALTER TABLE \(column)")
        }
        try Self.lose("DROP TABLE PAIRS", sample)
        if isAdopted {
            let seed = OwnershipSeed(defaultOwner: stack)
            let bridge = try sample.open { $0.seed = seed }
            #expect(bridge.problem == nil)
            bridge.close()
        }
        let instance: any StackInstance =
            stack == .legacy
            ? try LegacyInstance(store: Store.open(sample.path)) : try ModelInstance(store: Store.open(sample.path))
        defer { instance.close() }
        let author = try instance.insert("Author", ["name": .string("x")])
        let tag = try instance.insert("Tag", ["name": .string("t")])
        let book = try instance.insert("Book", ["pages": .integer(3)])
        let before = try sample.rows("SELECT * FROM ZBOOK")
        let inputs: [(String, ObjectBatch.Input)] = [
            ("title", .attribute(.string("lost"))), ("cover", .attribute(.data(Data([1])))),
            ("author", .toOne(.existing(author))), ("tags", .toMany([.existing(tag)])),
        ]
        for (name, input) in inputs {
            for batch in [
                ObjectBatch([.update(book, values: [name: input], expecting: nil)]),
                ObjectBatch([.insert(entity: "Book", name: "new", values: [name: input])]),
            ] {
                let error = #expect(throws: StoreError.self) { try instance.save(batch) }
                #expect(error?.code == .validationFailed, "\(name): \(String(describing: error))")
                #expect(error?.message.contains(name) == true)
            }
        }
        #expect(try sample.rows("SELECT * FROM ZBOOK") == before)
        // To say that there is none is no loss.
        try instance.update(book, ["pages": .integer(4)])
        _ = try instance.save(
            ObjectBatch([.update(book, values: ["author": .toOne(nil), "tags": .toMany([])], expecting: nil)]))
    }
}
