import Foundation
import ModelStack
import StoreFormat

/// The work through `@Model` objects.
enum ModelBench {
    static func insert(_ container: ModelContainer, _ count: Int) throws {
        let context = ModelContext(container)
        for i in 1...count {
            let item = Sample(i)
            let object = Item()
            object.count = Int(item.count)
            object.flag = item.flag
            object.made = Date(timeIntervalSinceReferenceDate: item.made)
            object.price = item.price
            object.name = item.name
            object.note = item.note
            context.insert(object)
        }
        try context.save()
    }

    static func fetch(_ context: ModelContext) throws -> [Item] {
        try context.fetch(FetchDescriptor<Item>())
    }

    static func lookUp(_ context: ModelContext, _ ids: [PersistentIdentifier]) throws -> Int {
        var sum = 0
        for id in ids { sum += context[id, as: Item.self]?.count ?? 0 }
        return sum
    }
}
