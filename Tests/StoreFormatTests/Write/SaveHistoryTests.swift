import Foundation
import SQLite
import StoreFormat
import StoreModel
import Testing

@Suite
struct SaveHistoryTests {
    @Test("a save writes one transaction with its texts interned, each once")
    func strings() throws {
        let sample = try SampleStore()
        let identity = TransactionIdentity(
            author: "ann", contextName: "main", processID: "proc", bundleID: "org.example")
        for _ in 0..<2 { try sample.save(identity: identity) { _ = try SampleStore.insert("Shelf", in: $0) } }
        let names = try sample.connection.query("SELECT ZNAME FROM ATRANSACTIONSTRING ORDER BY ZNAME").map { $0[0] }
        #expect(names == ["ann", "main", "org.example", "proc"])
        let row = try #require(
            try sample.connection.query(
                """
                SELECT a.ZNAME, b.ZNAME, c.ZNAME, p.ZNAME, t.Z_OPT, t.ZAUTHOR, typeof(t.ZTIMESTAMP), t.Z_ENT
                FROM ATRANSACTION t JOIN ATRANSACTIONSTRING a ON a.Z_PK = ZAUTHORTS
                JOIN ATRANSACTIONSTRING b ON b.Z_PK = ZBUNDLEIDTS JOIN ATRANSACTIONSTRING c ON c.Z_PK = ZCONTEXTNAMETS
                JOIN ATRANSACTIONSTRING p ON p.Z_PK = ZPROCESSIDTS WHERE t.Z_PK = 2
                """
            ).first)
        #expect(row == ["ann", "org.example", "main", "proc", .null, .null, "real", 16_002])
        #expect(
            try sample.connection.query(
                "SELECT Z_NAME, Z_SUPER, Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT > 16000 ORDER BY Z_ENT")
                == [["CHANGE", 0, 2], ["TRANSACTION", 0, 2], ["TRANSACTIONSTRING", 0, 4]])
        try sample.expectSound()
    }

    @Test("without author and context their columns are null")
    func noAuthor() throws {
        let sample = try SampleStore()
        try sample.save(identity: TransactionIdentity()) { _ = try SampleStore.insert("Shelf", in: $0) }
        let row = try sample.connection.query("SELECT ZAUTHORTS, ZCONTEXTNAMETS FROM ATRANSACTION").first
        #expect(row == [.null, .null])
        try sample.expectSound()
    }

    // Slots of Book: author 0, shelf 1, unused (the order in shelf) 2, then attributes by name from copies 3, cover 4,
    // identifier 5, isLent 6, isbn 7, link 8, notes 9, pages 10, price 11, published 12, rating 13, stock 14,
    // thumbnail 15, title 16, weight 17, and the to-many tags 18: 19 bits, 3 bytes.
    static let bitmaps: [([String], [UInt8])] = [
        (["title"], [0x00, 0x00, 0x80]),
        (["author", "title"], [0x80, 0x00, 0x80]),
        (["shelf", "copies", "isbn"], [0x51, 0x00, 0x00]),
        (["isLent", "pages", "thumbnail"], [0x02, 0x21, 0x00]),
        (["tags"], [0x00, 0x00, 0x20]),
        ([], [0x00, 0x00, 0x00]),
    ]

    @Test("an update's bitmap has the bits that were worked out by hand", arguments: bitmaps)
    func bitmap(_ changed: [String], _ bytes: [UInt8]) throws {
        let sample = try SampleStore()
        let key = try sample.insert("Book", ["pages": .integer(1)])
        let book = try sample.entity("Book")
        #expect(book.bitmap.slotCount == 19)
        try sample.save { _ = try $0.update(book, key: key, expecting: nil, columns: [], changed: changed) }
        #expect(try sample.scalar("SELECT ZCOLUMNS FROM ACHANGE WHERE ZCHANGETYPE = 1") == .blob(bytes))
        #expect(book.bitmap.decode(bytes) == changed.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
        #expect(book.bitmap.decode(Array(bytes.prefix(1))).allSatisfy(changed.contains))
        try sample.expectSound()
    }

    @Test("a deletion keeps the preserved values, and every change names its concrete entity")
    func tombstones() throws {
        let sample = try SampleStore()
        let key = try sample.insert("Book", ["pages": .integer(1), "isbn": .string("978")])
        try sample.delete("Book", key)
        let member = try sample.insert("Member", ["name": .string("M")])
        let rows = try sample.connection.query(
            "SELECT ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZTOMBSTONE0, Z_OPT FROM ACHANGE ORDER BY Z_PK")
        let (book, members) = (try sample.entity("Book").number, try sample.entity("Member").number)
        #expect(
            rows == [
                [0, .integer(book), .integer(key), 1, .null, .null],
                [2, .integer(book), .integer(key), 2, "978", .null],
                [0, .integer(members), .integer(member), 3, .null, .null],
            ])
        let read = try HistoryReader(sample.connection, store: sample.store).transactions(after: 1, limit: 1)
        #expect(read.first?.changes.first?.tombstone == ["isbn": .string("978")])
    }

    @Test("a transaction's number is never used twice, also when all of history was purged")
    func numbers() throws {
        let sample = try SampleStore()
        for _ in 0..<3 { try sample.insert("Shelf") }
        try sample.connection.execute("DELETE FROM ACHANGE; DELETE FROM ATRANSACTION; DELETE FROM ATRANSACTIONSTRING")
        let number = try sample.save { _ = try SampleStore.insert("Shelf", in: $0) }
        #expect(number == 4)
        #expect(try sample.scalar("SELECT Z_PK FROM ACHANGE") == 4)
        try sample.expectSound()
    }

    @Test("a change whose row the other stack owns is noted without touching the row")
    func noted() throws {
        let sample = try SampleStore()
        let key = try sample.insert("Shelf")
        try sample.save { try $0.noteChange(try sample.entity("Shelf"), key: key, changed: ["books"]) }
        #expect(try sample.scalar("SELECT Z_OPT FROM ZSHELF") == 1)
        #expect(try sample.scalar("SELECT count(*) FROM ACHANGE WHERE ZCHANGETYPE = 1") == 1)
        try sample.expectSound()
    }

    /// A film whose poster may lie in a file of its own, and whose deletion is to keep poster and title.
    static let film: ModelDescription = {
        var film = EntityDescription(name: "Film")
        var poster = AttributeDescription(name: "poster", type: .binaryData, isOptional: true)
        poster.allowsExternalBinaryDataStorage = true
        poster.preservesValueInHistoryOnDeletion = true
        var title = AttributeDescription(name: "title", type: .string, isOptional: true)
        title.preservesValueInHistoryOnDeletion = true
        film.attributes = [poster, title]
        return ModelDescription(entities: [film])
    }()

    @Test(
        "what may lie in a file of its own is not preserved, whatever its size; its neighbour is",
        arguments: [1_000, 200_000])
    func externalTombstone(size: Int) throws {
        let sample = try SampleStore(Self.film)
        let key = try sample.insert(
            "Film", ["poster": .data(Data(repeating: 7, count: size)), "title": .string("Metropolis")])
        try sample.delete("Film", key)
        #expect(
            try sample.connection.query("SELECT ZTOMBSTONE0, ZTOMBSTONE1 FROM ACHANGE WHERE ZCHANGETYPE = 2")
                == [[.null, "Metropolis"]])
        let read = try HistoryReader(sample.connection, store: sample.store).transactions(after: 1, limit: 1)
        #expect(read.first?.changes.first?.tombstone == ["title": .string("Metropolis")])
        try sample.expectSound()
    }
}
