import CoreData
import StoreFormat
import TestKit
import Testing

/// History requests with a fetch request: whose transactions, and which changes, are wanted.
struct HistoryFetchTests {
    /// Transactions 1, 2 and 3, by the reader, by the writer, and by nobody; each inserts a tag, the last a book too.
    private func library() throws -> Library {
        let library = try Library()
        for author in ["reader", "writer", nil] {
            library.context.transactionAuthor = author
            library.insert("Tag", ["name": author ?? "nobody"])
            if author == nil { library.insert("Book", ["title": "Emma"]) }
            try library.context.save()
        }
        return library
    }

    private func numbers(_ library: Library, _ request: NSPersistentHistoryChangeRequest) throws -> [Int64] {
        let result = try #require(try library.context.execute(request) as? NSPersistentHistoryResult)
        return try #require(result.result as? [NSPersistentHistoryTransaction]).map(\.transactionNumber)
    }

    private func numbers(_ library: Library, _ predicate: NSPredicate) throws -> [Int64] {
        let fetch = try #require(NSPersistentHistoryTransaction.fetchRequest)
        fetch.predicate = predicate
        let numbers = try numbers(library, .fetchHistory(withFetch: fetch))
        let after = NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast)
        after.fetchRequest = fetch
        #expect(try self.numbers(library, after) == numbers, "both ways to give it mean the same")
        return numbers
    }

    @Test(arguments: [
        ("author != 'reader'", [2, 3]), ("author == 'reader'", [1]), ("NOT author == 'reader'", [2, 3]),
        ("author != nil", [1, 2]), ("author == nil", [3]), ("author IN {'reader', 'writer'}", [1, 2]),
        ("author != 'reader' AND author != 'writer'", [3]), ("author BEGINSWITH[c] 'R'", [1]),
        ("transactionNumber > 1", [2, 3]), ("author != 'reader' AND transactionNumber < 3", [2]),
    ]) func aPredicateSaysWhichTransactions(_ format: String, _ expected: [Int64]) throws {
        #expect(try numbers(try library(), NSPredicate(format: format)) == expected)
    }

    @Test func anArgumentStandsForTheAuthor() throws {
        let library = try library()
        #expect(try numbers(library, NSPredicate(format: "%K != %@", "author", "reader")) == [2, 3])
        #expect(try numbers(library, NSPredicate(format: "timestamp > %@", Date.distantPast)) == [1, 2, 3])
        #expect(try numbers(library, NSPredicate(format: "timestamp > %@", Date.distantFuture)) == [])
        let block = NSPredicate { object, _ in (object as? NSPersistentHistoryTransaction)?.author == "writer" }
        #expect(try numbers(library, block) == [2])
    }

    @Test func aFetchOfChangesLeavesTheTransactionsThatHaveSome() throws {
        let library = try library()
        let fetch = try #require(NSPersistentHistoryChange.fetchRequest)
        fetch.predicate = NSPredicate(format: "changeType == 0 AND transaction.author != %@", "reader")
        fetch.fetchOffset = 1
        fetch.fetchLimit = 1
        let request = NSPersistentHistoryChangeRequest.fetchHistory(withFetch: fetch)
        let result = try library.context.execute(request) as? NSPersistentHistoryResult
        let transactions = try #require(result?.result as? [NSPersistentHistoryTransaction])
        #expect(transactions.map(\.transactionNumber) == [3])
        #expect(transactions.first?.changes?.count == 1)
        request.resultType = .count
        let count = try library.context.execute(request) as? NSPersistentHistoryResult
        #expect((count?.result as? NSNumber)?.intValue == 1)
    }

    @Test func whatHistoryCannotAnswerIsRefused() throws {
        let library = try library()
        func code(_ change: (NSFetchRequest<NSPersistentHistoryTransaction>) -> Void) throws -> StoreError.Code? {
            let fetch = try #require(NSPersistentHistoryTransaction.fetchRequest)
            change(fetch)
            let request = NSPersistentHistoryChangeRequest.fetchHistory(withFetch: fetch)
            return #expect(throws: StoreError.self) { try library.context.execute(request) }?.code
        }
        #expect(
            try code { $0.sortDescriptors = [NSSortDescriptor(key: "timestamp", ascending: false)] } == .refused)
        #expect(try code { $0.predicate = NSPredicate(format: "autor == 'reader'") } == .unknownKey)
        #expect(try code { $0.predicate = NSPredicate(format: "author > 5") } == .typeMismatch)
        #expect(try code { $0.predicate = NSPredicate(format: "author ==") } == .badPredicate)
        let books = NSPersistentHistoryChangeRequest.fetchHistory(
            withFetch: NSFetchRequest<NSManagedObject>(entityName: "Book"))
        let error = #expect(throws: StoreError.self) { try library.context.execute(books) }
        #expect(error?.code == .refused)
    }
}
