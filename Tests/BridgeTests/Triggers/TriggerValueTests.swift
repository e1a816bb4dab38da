import Bridge
import LegacyStack
import ModelStack
import SQLite
import StoreFormat
import TestKit
import Testing

/// Rows that a store's own triggers write: no change in history and no version tells of it.
@Suite struct TriggerValueTests {
    static let owners = StackName.allCases.flatMap { book in StackName.allCases.map { (book, $0) } }

    /// A change of a book writes its shelf's label and, through that, every tag's name.
    private static let triggers = """
        CREATE TRIGGER app_label AFTER UPDATE OF ZTITLE ON ZBOOK BEGIN
            UPDATE "ZSHELF" SET zlabel = IFNULL(NEW.ZTITLE, '') || ' (' || length(NEW.ZTITLE) || ')' WHERE Z_PK = NEW.ZSHELF;
        END;
        CREATE TRIGGER app_name AFTER UPDATE OF ZLABEL ON ZSHELF BEGIN UPDATE ZTAG SET ZNAME = 'at ' || NEW.ZLABEL; END;
        """

    /// As the stack shows it from its cache: the legacy stack's records are compared with the file, its contexts' objects are
    /// not.
    private func shown(
        _ bridge: StoreBridge, _ stack: StackName, _ object: ObjectReference, _ key: String
    ) throws -> AttributeValue? {
        guard stack == .legacy else { return try bridge.model.value(object, key) }
        let context = try #require(bridge.legacy as? LegacyInstance).newContext()
        let text = context.object(with: try context.objectID(for: object)).value(forKey: key) as? String
        return withExtendedLifetime(context) { text.map { .string($0) } }
    }

    @Test(arguments: owners)
    func bothStacksReadThemAnew(book: StackName, shelf: StackName) throws {
        let sample = try BridgeSample()
        try sample.foreign(Self.triggers)
        let bridge = try sample.open {
            $0.seed = OwnershipSeed(entities: ["Book": book, "Shelf": shelf, "Tag": shelf], relationships: [:])
        }
        defer { bridge.close() }
        let shelfObject = try bridge.instance(shelf).insert("Shelf", ["label": .string("old")])
        let tag = try bridge.instance(shelf).insert("Tag", ["name": .string("old")])
        let writer = bridge.instance(book)
        let result = try writer.save(
            ObjectBatch([
                .insert(
                    entity: "Book", name: "b",
                    values: ["title": .attribute(.string("A")), "shelf": .toOne(.existing(shelfObject))])
            ]))
        let object = try #require(result.objects["b"])
        try bridge.replay()
        for stack in StackName.allCases {
            #expect(try shown(bridge, stack, shelfObject, "label") == .string("old"))
            #expect(try shown(bridge, stack, tag, "name") == .string("old"))
        }
        try writer.update(object, ["title": .string("Candide")])
        try bridge.replay()
        for stack in StackName.allCases {
            #expect(try shown(bridge, stack, shelfObject, "label") == .string("Candide (7)"), "\(stack)")
            #expect(try shown(bridge, stack, tag, "name") == .string("at Candide (7)"), "\(stack)")
        }
    }

    /// A context that shows the object sees the new value too, in the saving stack and in the other.
    @Test func anObjectThatIsShownIsReadAnew() throws {
        let sample = try BridgeSample()
        try sample.foreign(Self.triggers)
        let bridge = try sample.open()
        defer { bridge.close() }
        let legacy = try #require(bridge.legacy as? LegacyInstance)
        let context = legacy.newContext()
        let shelf = NSEntityDescription.insertNewObject(forEntityName: "Shelf", into: context)
        let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
        book.setValue(shelf, forKey: "shelf")
        book.setValue("A", forKey: "title")
        try context.save()
        #expect(shelf.value(forKey: "label") as? String == nil)
        book.setValue("Candide", forKey: "title")
        try context.save()
        #expect(shelf.value(forKey: "label") as? String == "Candide (7)")
    }

    @Test func theAuditDoesNotTakeThemForChangesWithoutAMark() throws {
        let sample = try BridgeSample()
        try sample.foreign(Self.triggers)
        let bridge = try sample.open()
        let shelf = try bridge.legacy.insert("Shelf", ["label": .string("old")])
        let result = try bridge.legacy.save(
            ObjectBatch([.insert(entity: "Book", name: "b", values: ["shelf": .toOne(.existing(shelf))])]))
        let backup = sample.folder.file("before.sqlite")
        try StoreBackup.copy(sample.path, to: backup)
        try bridge.legacy.update(try #require(result.objects["b"]), ["title": .string("Candide")])
        bridge.close()
        #expect(try Audit.run(Store.open(sample.path), since: backup).violations == [])
        // A column that no trigger writes still needs its mark.
        try sample.foreign("DROP TRIGGER app_label; PRAGMA recursive_triggers = 0")
        #expect(
            try Audit.run(Store.open(sample.path), since: backup).violations.map(\.place) == ["Shelf/1.label"])
    }
}
