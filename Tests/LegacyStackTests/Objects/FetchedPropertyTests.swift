import CoreData
import StoreFormat
import StoreModel
import TestKit
import Testing

private final class Reader: NSManagedObject {
    @Managed var name: String?
    @Managed var namesakes: [Reader]
}

/// Properties whose value is what a fetch finds.
struct FetchedPropertyTests {
    /// People, with fetches of those of one name, those whose town is the property's own note, and others that are wrong.
    private static func model() -> ModelDescription {
        func fetched(_ name: String, _ predicate: String?, _ change: (inout FetchRequestTemplate) -> Void = { _ in })
            -> FetchedPropertyDescription
        {
            var request = FetchRequestTemplate(name: "fetch", entityName: "Reader", predicateFormat: predicate)
            change(&request)
            return FetchedPropertyDescription(name: name, request: request)
        }
        var reader = EntityDescription(name: "Reader")
        reader.attributes = [
            AttributeDescription(name: "name", type: .string, isOptional: true),
            AttributeDescription(name: "town", type: .string, isOptional: true),
        ]
        reader.relationships = [
            RelationshipDescription(name: "friends", destination: "Reader", inverse: "friends", maxCount: 0)
        ]
        var here = fetched("here", "town == $FETCHED_PROPERTY.userInfo.town")
        here.userInfo = ["town": .string("Ulm")]
        reader.fetchedProperties = [
            fetched("namesakes", "name == $FETCH_SOURCE.name AND SELF != $FETCH_SOURCE") {
                $0.sortDescriptors = [.init(key: "town", isAscending: false)]
            },
            here, fetched("everybody", nil) { $0.fetchLimit = 2 },
            fetched("ofFriendsTowns", "town IN $FETCH_SOURCE.friends.town"),
            fetched("wrongPath", "name == $FETCH_SOURCE.nothing"), fetched("wrongKey", "nothing == 1"),
        ]
        var member = EntityDescription(name: "Member", superentityName: "Reader")
        member.fetchedProperties = [fetched("same", "SELF == $FETCH_SOURCE")]
        return ModelDescription(entities: [reader, member])
    }

    private let library: Library
    private let ann: NSManagedObject

    init() throws {
        library = try Library(model: Self.model())
        ann = library.insert("Reader", ["name": "Ann", "town": "Bern"])
        library.insert("Reader", ["name": "Ann", "town": "Ulm"])
        library.insert("Reader", ["name": "Ann", "town": "Wien"])
        library.insert("Reader", ["name": "Bob", "town": "Ulm"])
        library.insert("Reader", ["town": "Graz"])
        try library.context.save()
    }

    private func towns(_ object: NSManagedObject, _ key: String) -> [String?] {
        (object.value(forKey: key) as? [NSManagedObject])?.map { $0.value(forKey: "town") as? String } ?? ["no array"]
    }

    @Test func theFetchKnowsItsObjectAndItsProperty() throws {
        #expect(towns(ann, "namesakes") == ["Wien", "Ulm"])
        #expect(towns(ann, "here") == ["Ulm", "Ulm"])
        #expect(towns(ann, "everybody").count == 2)
        #expect(ann.value(forKeyPath: "namesakes.town") as? [String] == ["Wien", "Ulm"])
        #expect(
            try ann.checkedValue(forKey: "namesakes") as? [NSManagedObject] == ann.value(forKey: "namesakes")
                as? [NSManagedObject])
        #expect(ann.isUpdated == false)
        // Nobody else has no name either.
        let nameless = try #require(try library.fetch("Reader", NSPredicate(format: "name == nil")).first)
        #expect(towns(nameless, "namesakes") == [])
    }

    @Test func aPathOverManyObjectsIsAList() throws {
        let readers = try library.fetch("Reader", NSPredicate(format: "town IN {'Wien', 'Graz'}"))
        ann.setValue(Set(readers), forKey: "friends")
        #expect(Set(towns(ann, "ofFriendsTowns")) == ["Wien", "Graz"])
    }

    @Test func subentitiesInheritFetchedProperties() throws {
        let member = library.insert("Member", ["name": "Ann", "town": "Linz"])
        try library.context.save()
        #expect(towns(member, "same") == ["Linz"])
        #expect(towns(member, "namesakes") == ["Wien", "Ulm", "Bern"])
        #expect(ann.value(forKey: "same") == nil)
        #expect((library.context.faultError as? StoreError)?.code == .unknownKey)
    }

    @Test func whatWasFoundStaysUntilTheObjectIsRefreshed() throws {
        #expect(towns(ann, "namesakes") == ["Wien", "Ulm"])
        let late = library.insert("Reader", ["name": "Ann", "town": "Prag"])
        #expect(towns(ann, "namesakes") == ["Wien", "Ulm"])
        library.context.refresh(ann, mergeChanges: false)
        // What is not saved is found too, and still there once it is.
        #expect(towns(ann, "namesakes") == ["Wien", "Ulm", "Prag"])
        try library.context.save()
        #expect(towns(ann, "namesakes") == ["Wien", "Ulm", "Prag"])
        late.setValue("Zug", forKey: "town")
        library.context.delete(try #require(try library.fetch("Reader", NSPredicate(format: "town == 'Wien'")).first))
        try library.context.save()
        ann.setValue("Basel", forKey: "town")
        library.context.refresh(ann, mergeChanges: true)
        #expect(towns(ann, "namesakes") == ["Zug", "Ulm"])
        #expect(ann.value(forKey: "town") as? String == "Basel")
    }

    @Test func itCannotBeSet() throws {
        ann.setValue([ann], forKey: "namesakes")
        let error = #expect(throws: StoreError.self) { try library.context.save() }
        #expect(error?.code == .typeMismatch && error?.message == "Reader.namesakes is fetched and cannot be set")
        library.context.rollback()
        #expect(towns(ann, "namesakes") == ["Wien", "Ulm"])
        try library.context.save()
    }

    @Test func whatCannotBeFetchedIsEmptyAndTold() throws {
        for key in ["wrongPath", "wrongKey"] {
            #expect(towns(ann, key) == [])
            let fault = library.context.faultError as? StoreError
            #expect(fault?.code == .unknownKey && fault?.message == "Reader has no property nothing")
            #expect { try ann.checkedValue(forKey: key) } throws: { ($0 as? StoreError)?.code == .unknownKey }
        }
        // Of an object in no context there is nothing to fetch.
        library.context.reset()
        #expect(towns(ann, "everybody") == [])
    }

    @Test func aTypedPropertyGivesObjectsOfItsClass() throws {
        library.context.reset()
        library.instance.managedObjectModel.register(Reader.self, forEntityName: "Reader")
        let request = NSFetchRequest<Reader>(entityName: "Reader")
        request.predicate = NSPredicate(format: "town == 'Bern'")
        let reader = try #require(try library.context.fetch(request).first)
        #expect(reader.namesakes.map(\.name) == ["Ann", "Ann"])
        reader.namesakes = []
        #expect { try library.context.save() } throws: { ($0 as? StoreError)?.code == .typeMismatch }
    }

    @Test func itHasNoColumnToSortOrFilterBy() throws {
        #expect { try library.fetch("Reader", sort: "namesakes") } throws: {
            ($0 as? StoreError)?.code == .badPredicate
        }
        #expect { try library.fetch("Reader", NSPredicate(format: "namesakes.@count > 1")) } throws: {
            ($0 as? StoreError)?.code == .unknownKey
        }
    }

    @Test func aModelMadeInCodeHasThemToo() throws {
        let model = NSManagedObjectModel(Self.model())
        let entity = try #require(model.entitiesByName["Reader"])
        let property = try #require(entity.propertiesByName["namesakes"] as? NSFetchedPropertyDescription)
        #expect(property.isTransient && property.fetchRequest?.entityName == "Reader")
        #expect(property.fetchRequest?.sortDescriptors?.map(\.key) == ["town"])
        #expect(
            property.fetchRequest?.predicate?.predicateFormat == "name == $FETCH_SOURCE.name AND SELF != $FETCH_SOURCE")
        let request = NSFetchRequest<NSManagedObject>(entityName: "Reader")
        request.predicate = NSPredicate(format: "town == 'Ulm'")
        property.fetchRequest = request
        #expect(
            model.modelDescription["Reader"]?.fetchedProperties.first { $0.name == "namesakes" }?.request
                .predicateFormat == "town == \"Ulm\"")
        #expect(try model.versionHashes() == Self.model().versionHashes())
        property.fetchRequest = nil
        #expect(property.fetchRequest == nil)
    }

    @Test func aTemplateTakesPathsBehindItsVariables() throws {
        var description = Self.model()
        description.fetchRequestTemplates = [
            FetchRequestTemplate(
                name: "like", entityName: "Reader",
                predicateFormat: "name == $who.name AND SUBQUERY(friends, $who, $who.town == 'Ulm').@count == 0")
        ]
        let model = NSManagedObjectModel(description)
        let request = try #require(
            model.fetchRequestFromTemplate(withName: "like", substitutionVariables: ["who": ann]))
        #expect(try library.context.fetch(request).count == 3)
        let wrong = model.fetchRequestFromTemplate(withName: "like", substitutionVariables: ["who": 3])
        #expect(wrong?.predicate?.error?.code == .unknownKey)
        #expect(model.fetchRequestFromTemplate(withName: "none", substitutionVariables: [:]) == nil)
    }
}
