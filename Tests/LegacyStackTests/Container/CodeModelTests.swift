import CoreData
import StoreFormat
import StoreModel
import TestKit
import Testing

/// Models that a program builds of descriptions.
struct CodeModelTests {
    /// The model of `build` as a model's source, whose hashes an independent program worked out by Format, section 9.
    private static let source = """
        <?xml version="1.0"?>
        <model userDefinedModelVersionIdentifier="2.0.0">
          <entity name="Person" isAbstract="YES" versionHashModifier="v2">
            <attribute name="name" optional="YES" attributeType="String" versionHashModifier="m"/>
            <attribute name="born" attributeType="Date"/>
            <uniquenessConstraints><uniquenessConstraint><constraint value="name"/><constraint value="born"/>
            </uniquenessConstraint></uniquenessConstraints>
          </entity>
          <entity name="Author" parentEntity="Person">
            <attribute name="photo" optional="YES" attributeType="Binary" allowsExternalBinaryDataStorage="YES"
                preserveAfterDeletion="YES"/>
            <attribute name="draft" optional="YES" transient="YES" attributeType="String"/>
            <relationship name="books" toMany="YES" ordered="YES" optional="YES" minCount="1" deletionRule="Cascade"
                destinationEntity="Book" inverseName="author" inverseEntity="Book"/>
            <relationship name="friends" toMany="YES" optional="YES" deletionRule="Nullify" destinationEntity="Author"
                inverseName="friends" inverseEntity="Author"/>
          </entity>
          <entity name="Book">
            <attribute name="pages" attributeType="Integer 16" defaultValueString="0"/>
            <attribute name="cover" optional="YES" attributeType="Transformable"/>
            <relationship name="author" maxCount="1" deletionRule="Nullify" destinationEntity="Author"
                inverseName="books" inverseEntity="Author"/>
          </entity>
        </model>
        """

    private static let hashes = [
        "Author": "gspCx6JjcpB17JMNY723YYI5ewUGUfhJnD6WS7xynRo=",
        "Book": "8g95o9LoBJ+V5HpmbP6WPR0wq4waXm2MbGzzhYtY6GY=",
        "Person": "+QKAA035Qoxr5pJGBzaty9OCyqmRnSgzfjc3QocfBxI=",
    ]
    private static let checksum = "gpSair0JgFtHlf5I2NgbwBh0hQ1WhH48wA4idJHVxy8="

    private func attribute(
        _ name: String, _ type: NSAttributeType, optional: Bool = true,
        _ change: (NSAttributeDescription) -> Void = { _ in }
    ) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = optional
        change(attribute)
        return attribute
    }

    private func relationship(
        _ name: String, _ destination: NSEntityDescription, maxCount: Int, optional: Bool = true, _ rule: NSDeleteRule
    ) -> NSRelationshipDescription {
        let relationship = NSRelationshipDescription()
        relationship.name = name
        relationship.destinationEntity = destination
        relationship.maxCount = maxCount
        relationship.isOptional = optional
        relationship.deleteRule = rule
        return relationship
    }

    private func build(pagesType: NSAttributeType = .integer16AttributeType) -> NSManagedObjectModel {
        let (person, author, book) = (NSEntityDescription(), NSEntityDescription(), NSEntityDescription())
        (person.name, author.name, book.name) = ("Person", "Author", "Book")
        person.isAbstract = true
        person.versionHashModifier = "v2"
        person.subentities = [author]
        person.properties = [
            attribute("name", .stringAttributeType) { $0.versionHashModifier = "m" },
            attribute("born", .dateAttributeType, optional: false),
        ]
        person.uniquenessConstraints = [["name", "born"]]
        let books = relationship("books", book, maxCount: 0, .cascadeDeleteRule)
        books.isOrdered = true
        books.minCount = 1
        let friends = relationship("friends", author, maxCount: 0, .nullifyDeleteRule)
        friends.inverseRelationship = friends
        author.properties = [
            attribute("photo", .binaryDataAttributeType) {
                $0.allowsExternalBinaryDataStorage = true
                $0.preservesValueInHistoryOnDeletion = true
            },
            attribute("draft", .stringAttributeType) { $0.isTransient = true }, books, friends,
        ]
        let back = relationship("author", author, maxCount: 1, optional: false, .nullifyDeleteRule)
        (books.inverseRelationship, back.inverseRelationship) = (back, books)
        book.properties = [
            attribute("pages", pagesType, optional: false) { $0.defaultValue = 0 },
            attribute("cover", .transformableAttributeType), back,
        ]
        let model = NSManagedObjectModel()
        model.entities = [person, author, book]
        model.versionIdentifiers = ["2.0.0"]
        return model
    }

    private func base64(_ hashes: [String: Data]) -> [String: String] { hashes.mapValues { $0.base64EncodedString() } }

    @Test func aModelBuiltInCodeHasTheHashesOfTheSameSource() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("Code.xcdatamodel")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try Data(Self.source.utf8).write(to: URL(fileURLWithPath: path + "/contents"))
        let read = try #require(NSManagedObjectModel(contentsOf: URL(fileURLWithPath: path)))
        let built = build()
        #expect(base64(try built.versionHashes()) == Self.hashes)
        #expect(base64(try read.versionHashes()) == Self.hashes)
        #expect(try built.modelDescription.versionChecksum() == Self.checksum)
        #expect(ModelDifference.changingHashes(built.modelDescription, read.modelDescription).isEmpty)
        // A store made of it carries the same, and so does the cache in it.
        let store = try StoreCreator.create(folder.file("code.sqlite"), model: built.modelDescription)
        #expect(base64(store.metadata.versionHashes) == Self.hashes && store.metadata.checksum == Self.checksum)
        #expect(base64(try Store.open(store.path).model.versionHashes()) == Self.hashes)
    }

    /// A derivation in each form with the hash of its entity, worked out as above; code and its own model agree on each.
    @Test(arguments: [
        (NSExpression(format: "pages.@count"), "uP+/rjOLUaNBce+CAMAJvKJ0g3KSzC5RkBXwDpzZrOs="),
        (NSExpression(forKeyPath: "pages.@count"), "uP+/rjOLUaNBce+CAMAJvKJ0g3KSzC5RkBXwDpzZrOs="),
        (
            NSExpression(forFunction: "count:", arguments: [NSExpression(forKeyPath: "pages")]),
            "4tkMKa9LMMkoN6BuAVIXObZacFk487R2wXktcxgpAcc="
        ),
        (NSExpression(format: "canonical:(owner.name)"), "sxOAY8enaJaDRghJnciBTNWkAEFv8WR4a5IOm93Ja18="),
        (NSExpression(forFunction: "now", arguments: []), "P4Z5LjYdKewDcowzGfxB6GowpXTtsb900E3mzpplFtM="),
    ])
    func aDerivedAttributeHashesAsItIsWritten(_ expression: NSExpression, _ hash: String) throws {
        let (book, page) = (NSEntityDescription(), NSEntityDescription())
        (book.name, page.name) = ("Book", "Page")
        let derived = NSDerivedAttributeDescription()
        derived.name = "a"
        derived.attributeType = .integer64AttributeType
        derived.derivationExpression = expression
        let pages = relationship("pages", page, maxCount: 0, .nullifyDeleteRule)
        let back = relationship("book", book, maxCount: 1, .nullifyDeleteRule)
        (pages.inverseRelationship, back.inverseRelationship) = (back, pages)
        book.properties = [derived, pages]
        page.properties = [back]
        let model = NSManagedObjectModel()
        model.entities = [book, page]
        #expect(base64(try model.versionHashes())["Book"] == hash)
        let again = NSManagedObjectModel(try ModelCache.decode(ModelCache.encode(model.modelDescription)))
        #expect(base64(try again.versionHashes())["Book"] == hash)
        let read = again.entitiesByName["Book"]?.attributesByName["a"] as? NSDerivedAttributeDescription
        #expect(read?.isDerived == true && read?.derivationExpression?.description == expression.description)
    }

    @Test func aCompositeIsHashedByItsElements() throws {
        let entity = NSEntityDescription()
        entity.name = "Place"
        let composite = NSCompositeAttributeDescription()
        composite.name = "where"
        composite.elements = [
            attribute("y", .doubleAttributeType), attribute("x", .integer16AttributeType, optional: false),
        ]
        entity.properties = [composite]
        let model = NSManagedObjectModel()
        model.entities = [entity]
        // Worked out as above.
        let hash = "OrEZ9gy/Q/qjNCmPAXaK4Z1GbqvA88UJauIcZP/Db6A="
        #expect(base64(try model.versionHashes()) == ["Place": hash])
        let again = NSManagedObjectModel(try ModelCache.decode(ModelCache.encode(model.modelDescription)))
        #expect(base64(try again.versionHashes()) == ["Place": hash])
        let read = again.entitiesByName["Place"]?.attributesByName["where"] as? NSCompositeAttributeDescription
        #expect(read?.elements.map(\.name) == ["y", "x"])
    }

    @Test func oneLabelOnTwoShapesIsRefusedWithBothChecksums() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("code.sqlite")
        try StoreCreator.create(path, model: build().modelDescription)
        let other = build(pagesType: .integer64AttributeType)
        let container = NSPersistentContainer(name: "Code", managedObjectModel: other)
        container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: URL(fileURLWithPath: path))]
        var failure: (any Error)?
        container.loadPersistentStores { _, error in failure = error }
        let error = try #require(failure as? StoreError)
        #expect(error.code == .schemaMismatch)
        let theirs = try other.modelDescription.versionChecksum()
        #expect(error.message.contains("both call themselves version 2.0.0"), "\(error.message)")
        #expect(error.message.contains(Self.checksum) && error.message.contains(theirs))
        #expect(error.message.contains("Book.pages: type integer16 → integer64"))
    }
}
