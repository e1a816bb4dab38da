import Foundation
import LegacyStack
import StoreFormat

/// The work through managed objects.
enum LegacyBench {
    static func insert(_ instance: LegacyInstance, _ count: Int) throws {
        let context = instance.newContext()
        for i in 1...count {
            let item = Sample(i)
            let object = NSEntityDescription.insertNewObject(forEntityName: "Item", into: context)
            object.setValue(item.count, forKey: "count")
            object.setValue(item.flag, forKey: "flag")
            object.setValue(Date(timeIntervalSinceReferenceDate: item.made), forKey: "made")
            object.setValue(item.price, forKey: "price")
            object.setValue(item.name, forKey: "name")
            object.setValue(item.note, forKey: "note")
        }
        try context.save()
    }

    static func fetch(_ context: NSManagedObjectContext) throws -> [NSManagedObject] {
        try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Item"))
    }

    static func lookUp(_ context: NSManagedObjectContext, _ ids: [NSManagedObjectID]) throws -> Int64 {
        var sum: Int64 = 0
        for id in ids { sum += try context.existingObject(with: id).value(forKey: "count") as? Int64 ?? 0 }
        return sum
    }

    static func ids(_ context: NSManagedObjectContext) throws -> [Int64: NSManagedObjectID] {
        let ids = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Item")).map(\.objectID)
        return Dictionary(ids.map { ($0.reference?.key ?? 0, $0) }, uniquingKeysWith: { first, _ in first })
    }
}
