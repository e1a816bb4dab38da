import Bridge
import Foundation
import LegacyStack
import SQLite
import StoreFormat
import StoreModel
import TestKit
import Testing

/// A store for predicates: every attribute type with missing and extreme values, a composite, relationships of every kind,
/// inheritance; and one predicate asked of it in three ways.
struct PredicateSample {
    let folder: TemporaryFolder
    let bridge: StoreBridge
    let context: NSManagedObjectContext

    /// The library, with a composite on books, and readers: an ordered many-to-many, and a to-one without an inverse.
    static let model: ModelDescription = {
        var model = SampleModels.library
        for i in model.entities.indices {
            switch model.entities[i].name {
            case "Book":
                var size = AttributeDescription(name: "size", type: .composite, isOptional: true)
                size.elements = [
                    AttributeDescription(name: "width", type: .double, isOptional: true),
                    AttributeDescription(name: "unit", type: .string, isOptional: true),
                ]
                model.entities[i].attributes.append(size)
                model.entities[i].relationships += [
                    RelationshipDescription(
                        name: "readers", destination: "Member", inverse: "reading", maxCount: 0, isOrdered: true),
                    RelationshipDescription(name: "sequel", destination: "Book", inverse: nil),
                ]
            case "Member":
                model.entities[i].relationships.append(
                    RelationshipDescription(name: "reading", destination: "Book", inverse: "readers", maxCount: 0))
            default: break
            }
        }
        return model
    }()

    init(model: ModelDescription = Self.model) throws {
        folder = try TemporaryFolder()
        let path = folder.file("Library.sqlite")
        try StoreCreator.create(path, model: model)
        bridge = try StoreBridge(path: path, options: BridgeOptions())
        context = try #require(bridge.legacy as? LegacyInstance).newContext()
    }

    func insert(_ entity: String, _ values: [String: Any]) -> NSManagedObject {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
        object.setValuesForKeys(values)
        return object
    }

    func save() throws {
        try context.save()
        try bridge.replay()
        context.reset()
    }

    /// What a predicate gave.
    enum Answer: Equatable, CustomStringConvertible {
        case keys([Int64])
        case error(StoreError.Code)

        var description: String {
            switch self {
            case .keys(let keys): "\(keys)"
            case .error(let code): code.rawValue
            }
        }
    }

    /// Through one stack's SQL.
    func answer(_ node: PredicateNode, of entity: String, through stack: StackName) -> Answer {
        do {
            let query = ObjectQuery(entity: entity, predicate: node)
            return .keys(try bridge.instance(stack).objects(matching: query).map(\.reference.key))
        } catch let error as StoreError {
            return .error(error.code)
        } catch {
            Issue.record("\(node.formatString): \(error)")
            return .keys([])
        }
    }

    /// Object by object in memory; an error finds nothing.
    func inMemory(_ node: PredicateNode, of entity: String) throws -> [Int64] {
        let predicate = NSPredicate(node)
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        return try context.fetch(request).filter { predicate.evaluate(with: $0) }.compactMap {
            Int64($0.objectID.uriRepresentation().lastPathComponent.dropFirst())
        }
    }

    /// The one answer that the two stacks' SQL and the evaluation in memory agree on.
    @discardableResult
    func agreed(
        _ node: PredicateNode, of entity: String = "Book", _ location: SourceLocation = #_sourceLocation
    ) throws -> Answer {
        let legacy = answer(node, of: entity, through: .legacy)
        let model = answer(node, of: entity, through: .model)
        #expect(legacy == model, "\(node.formatString)", sourceLocation: location)
        let memory = try inMemory(node, of: entity)
        if case .keys(let keys) = legacy {
            #expect(memory == keys, "in memory: \(node.formatString)", sourceLocation: location)
        } else {
            #expect(memory == [], "in memory: \(node.formatString)", sourceLocation: location)
        }
        return legacy
    }

    @discardableResult
    func agreed(
        _ format: String, of entity: String = "Book", _ location: SourceLocation = #_sourceLocation
    ) throws -> Answer {
        try agreed(PredicateNode.parse(format), of: entity, location)
    }
}
