import CoreData
import Foundation
import KeyedArchive
import StoreFormat
import StoreModel
import TestKit
import Testing

/// Transformable attributes through managed objects.
@Suite struct TransformableTests {
    final class Note: NSManagedObject {
        @Managed var words: [String]?
        @Managed var secret: Data?
        @Managed var facts: [String: Any]?
    }

    /// Turns every bit around.
    final class Turning: ValueTransformer, @unchecked Sendable {
        // Sendable: it holds nothing.
        override func transformedValue(_ value: Any?) -> Any? { (value as? Data).map { Data($0.map { ~$0 }) } }
        override func reverseTransformedValue(_ value: Any?) -> Any? { transformedValue(value) }
    }

    private static let model: ModelDescription = {
        var entity = EntityDescription(name: "Note")
        var secret = AttributeDescription(name: "secret", type: .transformable, isOptional: true)
        secret.valueTransformerName = "TurningOfTransformableTests"
        var facts = AttributeDescription(name: "facts", type: .transformable, isOptional: true)
        facts.valueTransformerName = "NSSecureUnarchiveFromData"
        entity.attributes = [
            AttributeDescription(name: "words", type: .transformable, isOptional: true), secret, facts,
        ]
        return ModelDescription(entities: [entity])
    }()

    private func library() throws -> Library {
        ValueTransformer.setValueTransformer(Turning(), forName: .init("TurningOfTransformableTests"))
        return try Library(model: Self.model)
    }

    @Test func plainValuesStandAsAKeyedArchive() throws {
        let library = try library()
        let request = NSFetchRequest<Note>(entityName: "Note")
        _ = try library.context.fetch(request)
        let note = try #require(library.insert("Note") as? Note)
        note.words = ["b", "a"]
        note.facts = ["n": 1, "when": Date(timeIntervalSinceReferenceDate: 5)]
        try library.context.save()
        let bytes = try #require(try library.rows("SELECT ZWORDS FROM ZNOTE").first?.first?.blobValue)
        let root = try #require(try KeyedArchive(data: Data(bytes)).root)
        #expect(root.className == "NSArray")
        #expect(root.elements?.map { $0?.string } == ["b", "a"])

        let again = try library.other().newContext()
        try again.performAndWait {
            let found = try #require(try again.fetch(request).first)
            #expect(found.words == ["b", "a"])
            #expect(found.facts?["n"] as? Int == 1)
            #expect(found.facts?["when"] as? Date == Date(timeIntervalSinceReferenceDate: 5))
            found.words = ["b", "a"]
            #expect(!again.hasChanges)
        }
    }

    @Test func aRegisteredTransformerTakesDataToo() throws {
        let library = try library()
        let request = NSFetchRequest<Note>(entityName: "Note")
        _ = try library.context.fetch(request)
        let note = try #require(library.insert("Note") as? Note)
        note.secret = Data([0x0F])
        try library.context.save()
        #expect(try library.rows("SELECT ZSECRET FROM ZNOTE") == [[.blob([0xF0])]])
        #expect(note.secret == Data([0x0F]))
    }

    @Test func anArchiveOfAnotherClassIsShownAsItsBytes() throws {
        let library = try library()
        var archiver = KeyedArchiver()
        let root = archiver.object("Evil", bases: ["NSObject"], [:])
        let archive = try archiver.archive(root: root)
        library.insert("Note", ["words": archive])
        try library.context.save()
        let note = try #require(try library.fetch("Note").first)
        #expect(note.value(forKey: "words") as? Data == archive)
        let error = #expect(throws: StoreError.self) { _ = try note.checkedValue(forKey: "words") }
        #expect(error?.code == .invalidValue)
        #expect(error?.message.contains("Evil") == true)
    }
}
