import CoreData
import Foundation
import StoreFormat
import TestKit
import Testing

/// A file that imports Foundation as well means our classes by the names that both have.
@Suite struct ImportTests {
    @Test func ourPredicateIsMeantBesideFoundation() throws {
        let folder = try TemporaryFolder()
        try StoreCreator.create(folder.file("s.sqlite"), model: SampleModels.library)
        let instance = try LegacyInstance(path: folder.file("s.sqlite"))
        defer { instance.close() }
        let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
        request.predicate = NSCompoundPredicate(
            andPredicateWithSubpredicates: [NSPredicate(format: "name == %@", "a"), NSPredicate(format: "name != nil")])
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: false)]
        #expect(try instance.newContext().fetch(request).isEmpty)
    }
}
