import CoreData
import SQLite
import StoreFormat
import TestKit
import Testing

struct OwnershipTests {
    @Test func saveToAnEntityOfTheOtherStackIsRefusedWhole() throws {
        let library = try Library()
        try library.adopt(model: ["Tag"])
        try library.instance.apply([])
        library.insert("Book", ["title": "Emma"])
        library.insert("Tag", ["name": "classic"])
        let error = #expect(throws: StoreError.self) { try library.context.save() }
        #expect(error?.code == .ownershipViolation)
        #expect(error?.objects.map(\.object.entity) == ["Tag"])
        #expect(error?.objects.first?.owner == .model)
        #expect(error?.objects.first?.epoch == 1)
        #expect(library.context.insertedObjects.count == 2)
        #expect(try library.rows("SELECT count(*) FROM ZBOOK") == [[0]])
        #expect(try library.rows("SELECT count(*) FROM ATRANSACTION") == [[0]])
    }

    @Test func otherEndOfTheOtherStackIsOnlyNotedInHistory() throws {
        let library = try Library()
        let author = library.insert("Author", ["name": "Austen"])
        let book = library.insert("Book", ["title": "Emma"])
        try library.context.save()
        let unit = try #require(
            OwnershipUnits.group(library.instance.store.layout).first { $0.value.contains("Author") }?.key)
        try library.adopt(model: [unit])
        try library.instance.apply([])
        book.setValue(author, forKey: "author")
        try library.context.save()
        #expect(try library.rows("SELECT Z_OPT FROM ZPERSON") == [[1]])
        #expect(try library.rows("SELECT Z_OPT, ZAUTHOR FROM ZBOOK") == [[2, 1]])
        #expect(try library.rows("SELECT count(*) FROM ACHANGE WHERE ZTRANSACTIONID = 2") == [[2]])
        #expect(
            try library.rows("SELECT STACK, INSTANCE FROM COEXIST_TRANSACTION") == [
                ["legacy", .text(library.instance.instanceName)]
            ])
    }

    @Test func oldEpochIsRefusedUntilReplayed() throws {
        let library = try Library()
        try library.adopt(model: [])
        try library.instance.apply([])
        let connection = try StoreConnector.connect(library.path, .writer(.normal))
        try connection.execute("UPDATE COEXIST_UNIT SET EPOCH = 3")
        let book = library.insert("Book", ["title": "Emma"])
        let error = #expect(throws: StoreError.self) { try library.context.save() }
        #expect(error?.code == .staleEpoch)
        try library.instance.apply([])
        try library.context.save()
        #expect(!book.objectID.isTemporaryID)
    }
}
