import Foundation
import SQLite
import StoreFormat
import Testing

@Suite
struct HistoryReaderTests {
    private let sample: SampleStore
    private var reader: HistoryReader { HistoryReader(sample.connection, store: sample.store) }

    /// Five transactions, of one, two, three … changes.
    init() throws {
        sample = try SampleStore()
        for count in 1...5 {
            try sample.save { save in for _ in 0..<count { try SampleStore.insert("Shelf", in: save) } }
        }
    }

    @Test("transactions come in order, with their texts and changes")
    func read() throws {
        let all = try reader.transactions(after: 0)
        #expect(all.map(\.number) == [1, 2, 3, 4, 5])
        #expect(all.map(\.changes.count) == [1, 2, 3, 4, 5])
        #expect(all.first?.author == "author")
        #expect(all.first?.contextName == "context")
        #expect(all.first?.writer == nil)
        #expect(all[1].changes.map(\.object) == [2, 3].map { ObjectReference(entity: "Shelf", key: $0) })
        #expect(try reader.transactions(after: 5) == [])
    }

    @Test("a batch ends at its limit of transactions, or with the one that reaches the limit of changes")
    func limits() throws {
        #expect(try reader.transactions(after: 1, limit: 2).map(\.number) == [2, 3])
        #expect(try reader.transactions(after: 0, changeLimit: 3).map(\.number) == [1, 2])
        #expect(try reader.transactions(after: 0, changeLimit: 4).map(\.number) == [1, 2, 3])
    }

    @Test("a position before the first transaction that is left has expired, one just before it has not")
    func purged() throws {
        try sample.connection.execute(
            "DELETE FROM ACHANGE WHERE ZTRANSACTIONID < 3; DELETE FROM ATRANSACTION WHERE Z_PK < 3")
        #expect(try reader.extent() == .init(first: 3, last: 5, count: 3))
        expectStoreError(.tokenExpired) { _ = try reader.transactions(after: 1) }
        #expect(try reader.transactions(after: 2).map(\.number) == [3, 4, 5])
    }

    @Test("with all of history gone, only the newest position is good")
    func empty() throws {
        try sample.connection.execute("DELETE FROM ACHANGE; DELETE FROM ATRANSACTION")
        #expect(try reader.extent() == .init(first: nil, last: 5, count: 0))
        expectStoreError(.tokenExpired) { _ = try reader.transactions(after: 4) }
        #expect(try reader.transactions(after: 5) == [])
        try sample.insert("Shelf")
        #expect(try reader.transactions(after: 5).map(\.number) == [6])
        expectStoreError(.tokenExpired) { try reader.checkReach(4) }
    }

    @Test("the recorded floor counts, whatever is left")
    func floor() throws {
        try sample.adopt()
        try sample.connection.execute("UPDATE COEXIST_STATE SET PURGE_FLOOR = 4")
        expectStoreError(.tokenExpired) { _ = try reader.transactions(after: 3) }
        #expect(try reader.transactions(after: 4).map(\.number) == [5])
    }

    @Test("a store without history has no transactions, and no position expires")
    func untracked() throws {
        let sample = try SampleStore(isTracked: false)
        let reader = HistoryReader(sample.connection, store: sample.store)
        #expect(try reader.extent() == .init(first: nil, last: 0, count: 0))
        #expect(try reader.transactions(after: 7) == [])
    }

    @Test("history of the earliest form is read, and written in that form")
    func inline() throws {
        let sample = try SampleStore(isTracked: false)
        try sample.connection.execute(
            """
            CREATE TABLE ACHANGE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCHANGETYPE INTEGER,
                ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB );
            CREATE TABLE ATRANSACTION ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZTIMESTAMP FLOAT,
                ZAUTHOR VARCHAR, ZBUNDLEID VARCHAR, ZCONTEXTNAME VARCHAR, ZPROCESSID VARCHAR, ZQUERYGEN BLOB )
            """)
        try sample.insert("Shelf")
        #expect(sample.store.historyForm == .inline)
        #expect(try sample.scalar("SELECT ZAUTHOR FROM ATRANSACTION") == "author")
        let read = try HistoryReader(sample.connection, store: sample.store).transactions(after: 0)
        #expect(read.map(\.author) == ["author"])
        #expect(read.first?.changes.count == 1)
        try sample.expectSound()
    }

    @Test("a token says its store and timeline, and is refused by others")
    func tokens() throws {
        let token = HistoryToken(storeUUID: "A-B", timeline: 2, transaction: 7)
        #expect(token.description == "A-B:2:7")
        #expect(try HistoryToken(parsing: "a-b:2:7", storeUUID: "A-B", timeline: 2) == token)
        #expect(try HistoryToken(parsing: "7", storeUUID: "A-B", timeline: 2) == token)
        expectStoreError(.otherStore) { _ = try HistoryToken(parsing: "C:2:7", storeUUID: "A-B", timeline: 2) }
        expectStoreError(.tokenExpired) { _ = try HistoryToken(parsing: "A-B:1:7", storeUUID: "A-B", timeline: 2) }
        for text in ["", "x", "-1", "A-B:2", "A-B:2:-7", "A-B:2:7:1"] {
            expectStoreError(.refused) { _ = try HistoryToken(parsing: text, storeUUID: "A-B", timeline: 2) }
        }
    }

    @Test("an object's identity is read in both forms")
    func references() throws {
        let short = try ObjectReference(parsing: "Shelf/12", storeUUID: "A-B")
        #expect(short == ObjectReference(entity: "Shelf", key: 12))
        #expect(try ObjectReference(parsing: short.uri(storeUUID: "A-B"), storeUUID: "a-b") == short)
        expectStoreError(.otherStore) { _ = try ObjectReference(parsing: "x-coredata://C/Shelf/p1", storeUUID: "A-B") }
        for text in [
            "", "Shelf", "Shelf/", "Shelf/0", "/1", "Shelf/1/2", "x-coredata://A-B/Shelf/1", "x-coredata://A-B",
        ] {
            expectStoreError(.unknownObject) { _ = try ObjectReference(parsing: text, storeUUID: "A-B") }
        }
    }

    @Test("changes of a transaction that is gone are not taken for another one's")
    func orphans() throws {
        try sample.connection.execute("DELETE FROM ATRANSACTION WHERE Z_PK IN (2, 4)")
        let found = try reader.transactions(after: 0)
        #expect(found.map(\.number) == [1, 3, 5])
        #expect(found.map(\.changes.count) == [1, 3, 5])
        #expect(found[1].changes.map(\.object.key) == [4, 5, 6])
    }
}
