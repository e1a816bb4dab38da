import CoreData
import StoreFormat
import StoreModel
import TestKit
import Testing

/// Models from files and stores, merged, and parts of them.
struct ModelFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func url(_ name: String) -> URL { URL(fileURLWithPath: folder.file(name)) }

    private func write(_ model: ModelDescription, _ name: String) throws {
        try FileManager.default.createDirectory(
            at: url(name).deletingLastPathComponent(), withIntermediateDirectories: true)
        try ModelCache.archive(model).write(to: url(name))
    }

    private func part(_ names: Set<String>, _ change: (inout EntityDescription) -> Void = { _ in }) -> ModelDescription
    {
        var model = ModelDescription(
            entities: names.sorted().map { name in
                var entity = EntityDescription(name: name)
                entity.attributes = [AttributeDescription(name: "a", type: .string, isOptional: true)]
                return entity
            })
        for index in model.entities.indices { change(&model.entities[index]) }
        return model
    }

    @Test func aStoreIsReadAsAModelFileIs() throws {
        try StoreCreator.create(folder.file("library.sqlite"), model: SampleModels.library)
        let model = try #require(NSManagedObjectModel(contentsOf: url("library.sqlite")))
        #expect(try model.entityVersionHashesByName == SampleModels.library.versionHashes())
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            ofType: NSSQLiteStoreType, at: url("library.sqlite"))
        #expect(metadata["NSStoreModelVersionChecksumKey"] as? String == model.versionChecksum)
        #expect(metadata[NSStoreTypeKey] as? String == "SQLite")
        #expect((metadata[NSStoreUUIDKey] as? String).flatMap { UUID(uuidString: $0) } != nil)
        #expect(model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
        #expect(
            !NSManagedObjectModel(part(["Book"])).isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
        #expect(!model.isConfiguration(withName: "None", compatibleWithStoreMetadata: metadata))
        #expect(!model.isConfiguration(withName: nil, compatibleWithStoreMetadata: [:]))
    }

    @Test func whyAFileIsNoModelIsTold() throws {
        try Data("no".utf8).write(to: url("x.mom"))
        try Data("no".utf8).write(to: url("x.sqlite"))
        #expect(throws: ModelError.self) { try NSManagedObjectModel(reading: url("x.mom")) }
        #expect(throws: StoreError.self) { try NSManagedObjectModel(reading: url("x.sqlite")) }
        #expect(throws: StoreError.self) { try NSManagedObjectModel(reading: url("nothing")) }
        for name in ["x.mom", "x.sqlite", "nothing", "nothing.momd"] {
            #expect(NSManagedObjectModel(contentsOf: url(name)) == nil)
        }
    }

    @Test func modelsAreMergedWhereTheirCommonEntitiesAreTheSame() throws {
        var first = part(["A", "B"])
        first.configurations = ["Local": ["A"]]
        first.versionIdentifiers = ["1"]
        var second = part(["B", "C"])
        second.configurations = ["Local": ["C"]]
        second.versionIdentifiers = ["2"]
        let merged = try #require(
            NSManagedObjectModel(byMerging: [NSManagedObjectModel(first), NSManagedObjectModel(second)]))
        #expect(Set(merged.entitiesByName.keys) == ["A", "B", "C"])
        #expect(merged.entities(forConfigurationName: "Local")?.map(\.name) == ["A", "C"])
        #expect(merged.versionIdentifiers == ["1", "2"])
        let other = NSManagedObjectModel(part(["B"]) { $0.versionHashModifier = "x" })
        #expect(NSManagedObjectModel(byMerging: [NSManagedObjectModel(first), other]) == nil)
        #expect(NSManagedObjectModel(byMerging: []) == nil)
        // What was made with the other B is found among both.
        let wanted = try ModelDescription.merged([part(["A"]), other.modelDescription]).versionHashes()
        let found = try #require(
            NSManagedObjectModel(
                byMerging: [NSManagedObjectModel(first), other],
                forStoreMetadata: [NSStoreModelVersionHashesKey: wanted]))
        #expect(found.entityVersionHashesByName == wanted)
        #expect(
            NSManagedObjectModel(
                byMerging: [other], forStoreMetadata: [NSStoreModelVersionHashesKey: wanted]) == nil)
    }

    @Test func theModelsOfABundleAreMerged() throws {
        try write(part(["A"]), "Some.bundle/One.mom")
        try write(part(["B"]), "Some.bundle/Two.momd/Two.mom")
        try write(part(["C"]), "Some.bundle/._Three.mom")
        let bundle = try #require(Bundle(path: folder.file("Some.bundle")))
        let model = try #require(NSManagedObjectModel.mergedModel(from: [bundle]))
        #expect(Set(model.entitiesByName.keys) == ["A", "B"])
        let hashes = try part(["B"]).versionHashes()
        let found = NSManagedObjectModel.mergedModel(
            from: [bundle], forStoreMetadata: [NSStoreModelVersionHashesKey: hashes])
        #expect(found?.entities.map(\.name) == ["B"])
        try write(part(["A"]) { $0.isAbstract = true }, "Some.bundle/Other.mom")
        #expect(NSManagedObjectModel.mergedModel(from: [bundle]) == nil)
    }

    @Test func aStoreOfAConfigurationHasItsEntitiesOnly() throws {
        let model = NSManagedObjectModel(part(["A", "B"]))
        let a = try #require(model.entitiesByName["A"])
        model.setEntities([a], forConfigurationName: "Local")
        #expect(model.configurations == ["Local"] && model.entities(forConfigurationName: "Local") == [a])
        let description = NSPersistentStoreDescription(url: url("local.sqlite"))
        description.configuration = "Local"
        let container = NSPersistentContainer(name: "X", managedObjectModel: model)
        container.persistentStoreDescriptions = [description]
        container.loadPersistentStores { _, error in #expect(error == nil) }
        let object = NSEntityDescription.insertNewObject(forEntityName: "A", into: container.viewContext)
        object.setValue("x", forKey: "a")
        try container.viewContext.save()
        #expect(throws: StoreError.self) {
            try container.viewContext.fetch(NSFetchRequest<NSManagedObject>(entityName: "B"))
        }
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(at: url("local.sqlite"))
        #expect((metadata[NSStoreModelVersionHashesKey] as? [String: Data])?.keys.sorted() == ["A"])
        #expect(model.isConfiguration(withName: "Local", compatibleWithStoreMetadata: metadata))
        #expect(!model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
    }

    @Test func aConfigurationThatIsNotCompleteIsRefused() throws {
        var model = SampleModels.library
        model.configurations = ["Tags": ["Tag"], "People": ["Member", "Card"], "Ghosts": ["Ghost"]]
        #expect(throws: ModelError.self) { try model.restricted(toConfiguration: "Tags") }
        #expect(throws: ModelError.self) { try model.restricted(toConfiguration: "Ghosts") }
        #expect(throws: ModelError.self) { try model.restricted(toConfiguration: "None") }
        // With the parent that is needed.
        let people = try model.restricted(toConfiguration: "People")
        #expect(Set(people.entities.map(\.name)) == ["Card", "Member", "Person"])
    }

    @Test func storedFetchRequestsAreMadeAndKept() throws {
        let model = NSManagedObjectModel(SampleModels.library)
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.predicate = NSPredicate(format: "title == $TITLE AND pages > 3")
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: false, textOrder: .caseInsensitive)]
        (request.fetchLimit, request.includesSubentities, request.resultType) = (5, false, .dictionaryResultType)
        request.propertiesToFetch = ["title"]
        model.setFetchRequestTemplate(request, forName: "ByTitle")
        // As a file has it.
        let read = NSManagedObjectModel(try ModelCache.decode(ModelCache.encode(model.modelDescription)))
        let found = try #require(
            read.fetchRequestFromTemplate(withName: "ByTitle", substitutionVariables: ["TITLE": "Emma"]))
        #expect(found.predicate?.predicateFormat == "title == \"Emma\" AND pages > 3")
        #expect(found.sortDescriptors?.map(\.key) == ["title"] && found.sortDescriptors?.first?.ascending == false)
        #expect(found.sortDescriptors?.first?.textOrder == .caseInsensitive)
        #expect(found.fetchLimit == 5 && !found.includesSubentities && found.resultType == .dictionaryResultType)
        #expect(found.propertiesToFetch as? [String] == ["title"] && found.entityName == "Book")
        #expect(read.fetchRequestTemplate(forName: "ByTitle", resultType: NSDictionary.self) != nil)
        #expect(Array(read.fetchRequestTemplatesByName.keys) == ["ByTitle"])
        #expect(read.fetchRequestTemplate(forName: "Other") == nil)
        model.setFetchRequestTemplate(nil as NSFetchRequest<NSManagedObject>?, forName: "ByTitle")
        #expect(model.fetchRequestTemplatesByName.isEmpty)
    }
}
