import CoreData
import StoreFormat
import TestKit
import Testing

struct BatchTests {
    @Test func batchInsertsUpdatesAndDeletesInOneTransaction() throws {
        let library = try Library()
        library.insert("Book", ["title": "old"])
        library.insert("Book", ["title": "gone"])
        try library.context.save()
        let result = try library.instance.save(
            ObjectBatch(
                [
                    .insert(entity: "Author", name: "a", values: ["name": .attribute(.string("Austen"))]),
                    .insert(
                        entity: "Book", name: "b",
                        values: ["title": .attribute(.string("Emma")), "author": .toOne(.new("a"))]),
                    .update(.init(entity: "Book", key: 1), values: ["author": .toOne(.new("a"))], expecting: 1),
                    .delete(.init(entity: "Book", key: 2), expecting: nil),
                ], author: "tester"))
        #expect(result.transaction == 2)
        #expect(result.objects["b"] == ObjectReference(entity: "Book", key: 3))
        let author = try #require(try library.instance.object(.init(entity: "Author", key: 1), isFresh: true))
        #expect(
            author.relationships["books"] == .toMany([.init(entity: "Book", key: 1), .init(entity: "Book", key: 3)]))
        #expect(try library.instance.count(of: ObjectQuery(entity: "Book")) == 2)
    }

    @Test func otherVersionThanExpectedIsAConflict() throws {
        let library = try Library()
        library.insert("Book", ["title": "old"])
        try library.context.save()
        let error = #expect(throws: StoreError.self) {
            try library.instance.save(
                ObjectBatch([
                    .update(.init(entity: "Book", key: 1), values: ["title": .attribute(.string("x"))], expecting: 2)
                ]))
        }
        #expect(error?.code == .versionConflict)
        #expect(try library.rows("SELECT ZTITLE FROM ZBOOK") == [["old"]])
    }

    @Test func unknownKeyAndAbstractEntityAreRefused() throws {
        let library = try Library()
        func code(_ operation: ObjectBatch.Operation) -> StoreError.Code? {
            do { _ = try library.instance.save(ObjectBatch([operation])) } catch { return (error as? StoreError)?.code }
            return nil
        }
        #expect(code(.insert(entity: "Book", name: "b", values: ["titel": .attribute(nil)])) == .unknownKey)
        #expect(code(.insert(entity: "Person", name: "p", values: [:])) == .validationFailed)
        #expect(code(.delete(.init(entity: "Book", key: 9), expecting: nil)) == .unknownObject)
    }
}
