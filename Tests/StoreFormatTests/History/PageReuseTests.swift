import Foundation
import SQLite
import StoreFormat
import TestKit
import Testing

/// The pages that a purge frees are those that history is written to next: the file does not grow.
@Suite struct PageReuseTests {
    /// 0 is none; 2 is incremental, which the stores of Apple's frameworks have.
    @Test(arguments: [0, 2] as [Int64])
    func historyOfTheSameLengthFitsWhereThePurgedOneWas(autoVacuum: Int64) throws {
        let sample = try SampleStore()
        try sample.connection.execute("PRAGMA auto_vacuum = \(autoVacuum); VACUUM")
        #expect(try sample.scalar("PRAGMA auto_vacuum") == .integer(autoVacuum))
        try sample.adopt()
        let tag = try sample.insert("Tag", ["name": .string("0")], sample.authority())
        func pages() throws -> Int64 { try #require(sample.scalar("PRAGMA page_count")?.integerValue) }
        func free() throws -> Int64 { try #require(sample.scalar("PRAGMA freelist_count")?.integerValue) }
        func write(_ round: Int) throws {
            let authority = try sample.authority()
            let entity = try sample.entity("Tag")
            for i in 1...500 {
                try sample.save(authority) { save in
                    let leaf = try #require(entity.attribute("name")?.leaf)
                    let value = try save.encode(.string("\(round) \(i)"), as: leaf)
                    _ = try save.update(
                        entity, key: tag, expecting: nil, columns: [(index: try #require(leaf.column), value: value)],
                        changed: ["name"])
                }
            }
        }
        func purge() throws {
            let purge = HistoryPurge(sample.connection, store: sample.store)
            let last = try purge.plan(.keeping(0)).last
            while try purge.step(through: last) {}
        }
        let empty = try pages()
        try write(1)
        let full = try pages()
        // A transaction, a change and our record of it are over 100 bytes, and their indexes have 7 entries.
        #expect(full - empty > 500 * 100 / 4_096)
        try purge()
        #expect(try pages() == full && free() > (full - empty) * 9 / 10)
        for round in 2...4 {
            try write(round)
            // Later numbers take a byte more in each of the 9 trees at most, and 500 bytes are less than a page.
            #expect(try pages() <= full + 9, "round \(round)")
            try purge()
        }
        // The verifier knows that the format has the other mode.
        if autoVacuum == 2 { try sample.expectSound() }
    }
}
