import CoreData
import SQLite
import StoreFormat
import StoreModel
import TestKit
import Testing

/// Batch requests keep the model's rules, write one transaction of history, and write nothing where they fail.
@Suite struct BatchRequestTests {
    private func changes(_ library: Library) throws -> [[SQLValue]] {
        try library.rows(
            """
            SELECT ZCHANGETYPE, count(*) FROM ACHANGE WHERE ZTRANSACTIONID = (SELECT max(Z_PK) FROM ATRANSACTION)
            GROUP BY ZCHANGETYPE ORDER BY ZCHANGETYPE
            """)
    }

    private func expectSound(_ library: Library, _ location: SourceLocation = #_sourceLocation) throws {
        let connection = try Connection(path: library.path, mode: .readOnly)
        let violations = try StoreVerifier.verify(connection, store: Store.open(library.path))
        #expect(violations.isEmpty, "\(violations)", sourceLocation: location)
    }

    private static func request(_ entity: String) -> NSFetchRequest<NSManagedObject> {
        NSFetchRequest<NSManagedObject>(entityName: entity)
    }

    @Test func insertedObjectsAreOneTransaction() throws {
        let library = try Library()
        let insert = NSBatchInsertRequest(
            entityName: "Book", objects: [["title": "a", "pages": 1], ["title": "b"], ["isbn": NSNull()]])
        insert.resultType = .objectIDs
        library.context.transactionAuthor = "importer"
        let result = try #require(try library.context.execute(insert) as? NSBatchInsertResult)
        #expect((result.result as? [NSManagedObjectID])?.map(\.reference?.key) == [1, 2, 3])
        #expect(try library.rows("SELECT ZTITLE, ZPAGES FROM ZBOOK") == [["a", 1], ["b", 0], [.null, 0]])
        #expect(try library.rows("SELECT count(*) FROM ATRANSACTION") == [[1]])
        #expect(try changes(library) == [[0, 3]])
        #expect(
            try library.rows("SELECT ZNAME FROM ATRANSACTIONSTRING WHERE ZNAME = 'importer'") == [["importer"]])
        try expectSound(library)
    }

    @Test func blocksFillObjects() throws {
        let library = try Library()
        var left = 3
        let byDictionary = NSBatchInsertRequest(entityName: "Tag") { (values: NSMutableDictionary) in
            left -= 1
            values["name"] = "tag \(left)"
            return left < 0
        }
        byDictionary.resultType = .count
        #expect(
            (try library.context.execute(byDictionary) as? NSBatchInsertResult)?.result as? NSNumber == 3)
        left = 2
        let byObject = NSBatchInsertRequest(entityName: "Shelf") { (object: NSManagedObject) in
            left -= 1
            object.setValue("shelf \(left)", forKey: "label")
            return left < 0
        }
        #expect((try library.context.execute(byObject) as? NSBatchInsertResult)?.result as? NSNumber == 1)
        #expect(try library.rows("SELECT ZLABEL FROM ZSHELF") == [["shelf 1"], ["shelf 0"]])
        #expect(try library.rows("SELECT count(*) FROM ZTAG") == [[3]])
    }

    @Test(
        arguments: [
            ("Book", ["pages": 40_000], StoreError.Code.typeMismatch), ("Book", ["pages": "many"], .typeMismatch),
            ("Book", ["titel": "x"], .unknownKey), ("Tag", [:], .validationFailed), ("Person", [:], .validationFailed),
            ("Nothing", [:], .unknownEntity), ("Tag", ["name": "taken"], .uniqueConflict),
        ] as [(String, [String: any Sendable], StoreError.Code)])
    func oneBadObjectAndNoneIsInserted(entity: String, values: [String: any Sendable], code: StoreError.Code) throws {
        let library = try Library()
        library.insert("Tag", ["name": "taken"])
        try library.context.save()
        let good: [String: Any] = entity == "Tag" ? ["name": "good"] : [:]
        let insert = NSBatchInsertRequest(entityName: entity, objects: [good, values])
        let error = #expect(throws: StoreError.self) { try library.context.execute(insert) }
        #expect(error?.code == code)
        #expect(try library.rows("SELECT (SELECT count(*) FROM ZBOOK), (SELECT count(*) FROM ZTAG)") == [[0, 1]])
        #expect(try library.rows("SELECT count(*) FROM ATRANSACTION") == [[1]])
    }

    @Test func anUpdateSetsWhatThePredicateFinds() throws {
        let library = try Library()
        let shelf = library.insert("Shelf", ["label": "A"])
        for i in 1...4 { library.insert("Book", ["title": "b\(i)", "pages": i]) }
        try library.context.save()
        let watching = library.instance.newContext()
        let held = try #require(try watching.fetch(Self.request("Book")).last)
        #expect(held.value(forKey: "copies") as? Int64 == nil)
        let update = NSBatchUpdateRequest(entityName: "Book")
        update.predicate = NSPredicate(format: "pages > 2")
        update.propertiesToUpdate = ["copies": 7, "shelf": shelf, "title": NSNull()]
        update.resultType = .updatedObjectsCountResultType
        #expect((try library.context.execute(update) as? NSBatchUpdateResult)?.result as? NSNumber == 2)
        #expect(
            try library.rows("SELECT ZCOPIES, ZSHELF, ZTITLE, Z_OPT FROM ZBOOK WHERE ZPAGES > 2")
                == [[7, 1, .null, 2], [7, 1, .null, 2]])
        // Two books, and the shelf that they stand on.
        #expect(try changes(library) == [[1, 3]])
        // Whoever holds one of them sees it.
        #expect(held.value(forKey: "copies") as? Int64 == 7)
        // Again: nothing is different, and nothing is written.
        update.resultType = .updatedObjectIDsResultType
        #expect(((try library.context.execute(update) as? NSBatchUpdateResult)?.result as? [Any])?.count == 0)
        #expect(try library.rows("SELECT count(*) FROM ATRANSACTION") == [[2]])
        update.propertiesToUpdate = ["pages": 40_000]
        #expect(throws: StoreError.self) { try library.context.execute(update) }
        #expect(try library.rows("SELECT max(ZPAGES) FROM ZBOOK") == [[4]])
        try expectSound(library)
    }

    @Test func aDeleteCascades() throws {
        let library = try Library()
        let author = library.insert("Author", ["name": "x"])
        for i in 0..<3 { library.insert("Book", ["title": "b\(i)", "author": author]) }
        library.insert("Book", ["title": "other"])
        try library.context.save()
        let delete = NSBatchDeleteRequest(fetchRequest: Self.request("Author"))
        delete.resultType = .resultTypeCount
        #expect((try library.context.execute(delete) as? NSBatchDeleteResult)?.result as? NSNumber == 4)
        #expect(try library.rows("SELECT ZTITLE FROM ZBOOK") == [["other"]])
        #expect(try changes(library) == [[2, 4]])
        try expectSound(library)
    }

    @Test func aDeleteRemovesTheExternalFiles() throws {
        let library = try Library()
        for _ in 0..<3 { library.insert("Book", ["cover": Data(repeating: 1, count: 200_000)]) }
        try library.context.save()
        let files = ExternalData(storePath: library.path).folder
        #expect(try FileManager.default.contentsOfDirectory(atPath: files).count == 3)
        _ = try library.context.execute(NSBatchDeleteRequest(fetchRequest: Self.request("Book")))
        #expect(try library.rows("SELECT count(*) FROM ZBOOK") == [[0]])
        #expect(try FileManager.default.contentsOfDirectory(atPath: files) == [])
        try expectSound(library)
    }

    @Test func aDeleteByIdentitiesPassesOverWhatIsGone() throws {
        let library = try Library()
        let tags = ["a", "b", "c"].map { library.insert("Tag", ["name": $0]) }
        try library.context.save()
        let ids = tags.map(\.objectID)
        let delete = NSBatchDeleteRequest(objectIDs: Array(ids[0...1]))
        delete.resultType = .resultTypeObjectIDs
        let first = try #require(try library.context.execute(delete) as? NSBatchDeleteResult)
        #expect(Set(first.result as? [NSManagedObjectID] ?? []) == Set(ids[0...1]))
        let all = NSBatchDeleteRequest(objectIDs: ids)
        all.resultType = .resultTypeCount
        #expect((try library.context.execute(all) as? NSBatchDeleteResult)?.result as? NSNumber == 1)
        #expect(try library.rows("SELECT count(*) FROM ZTAG") == [[0]])
    }

    /// Conversations let go of their messages, and a message needs its conversation.
    private static let mandatoryInverse: ModelDescription = {
        var conversation = EntityDescription(name: "Conversation")
        conversation.attributes = [AttributeDescription(name: "topic", type: .string, isOptional: true)]
        conversation.relationships = [
            RelationshipDescription(
                name: "messages", destination: "Message", inverse: "conversation", maxCount: 0, deleteRule: .nullify)
        ]
        var message = EntityDescription(name: "Message")
        var inverse = RelationshipDescription(name: "conversation", destination: "Conversation", inverse: "messages")
        inverse.isOptional = false
        message.relationships = [inverse]
        return ModelDescription(entities: [conversation, message])
    }()

    @Test func aDeleteThatLeavesAMandatoryInverseEmptyIsRefusedWhole() throws {
        let library = try Library(model: Self.mandatoryInverse)
        library.insert("Conversation", ["topic": "empty"])
        library.insert("Message", ["conversation": library.insert("Conversation", ["topic": "full"])])
        try library.context.save()
        func image() throws -> [String: String] {
            // Readers leave their marks in the log's index.
            try FileImage.of(library.folder.path).filter { !$0.key.hasSuffix("-shm") }
        }
        let before = try image()
        let error = #expect(throws: StoreError.self) {
            try library.context.execute(NSBatchDeleteRequest(fetchRequest: Self.request("Conversation")))
        }
        #expect(error?.code == .validationFailed)
        #expect(error?.message.contains("Message.conversation") == true)
        #expect(error?.objects.map(\.object.entity) == ["Message"])
        #expect(try image() == before)
        #expect(try library.rows("SELECT count(*) FROM ATRANSACTION") == [[1]])
        // With the messages it goes.
        _ = try library.context.execute(NSBatchDeleteRequest(fetchRequest: Self.request("Message")))
        _ = try library.context.execute(NSBatchDeleteRequest(fetchRequest: Self.request("Conversation")))
        #expect(try library.rows("SELECT count(*) FROM ZCONVERSATION") == [[0]])
        try expectSound(library)
    }

    @Test func aResultsControllerLearnsOfABatchDelete() throws {
        final class Log: NSFetchedResultsControllerDelegate {
            var types: [NSFetchedResultsChangeType] = []
            func controller(
                _ controller: any FetchedResults, didChange object: Any, at indexPath: IndexPath?,
                for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
            ) {
                types.append(type)
            }
        }
        let library = try Library()
        for i in 1...5 { library.insert("Book", ["title": "b\(i)", "pages": i]) }
        try library.context.save()
        let watching = library.instance.newContext()
        let request = Self.request("Book")
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        let controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: watching, sectionNameKeyPath: nil, cacheName: nil)
        let log = Log()
        controller.delegate = log
        try controller.performFetch()
        let old = Self.request("Book")
        old.predicate = NSPredicate(format: "pages <= 3")
        _ = try library.context.execute(NSBatchDeleteRequest(fetchRequest: old))
        watching.processPendingChanges()
        #expect(log.types == [.delete, .delete, .delete])
        #expect(controller.fetchedObjects?.count == 2)
        #expect(try library.rows("SELECT count(*) FROM ZBOOK") == [[2]])
    }
}
