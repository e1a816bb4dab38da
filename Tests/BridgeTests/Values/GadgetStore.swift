import Foundation
import LegacyStack
import ModelStack
import TestKit

/// A store of gadgets and their makers.
struct GadgetStore {
    let folder: TemporaryFolder
    let path: String
    let container: ModelContainer

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("Gadgets.store")
        container = try Self.container(path)
    }

    /// With gadgets that count from 0, each with a word and a photo in a file of its own.
    init(gadgets count: Int) throws {
        try self.init()
        let context = ModelContext(container)
        for i in 0..<count {
            let gadget = Gadget(count: i, maker: Maker(name: "Ada"))
            gadget.words = ["a"]
            gadget.photo = Data(repeating: 1, count: 200_000)
            context.insert(gadget)
        }
        try context.save()
    }

    /// Another container on the same file, as another run of the program would have.
    static func container(_ path: String) throws -> ModelContainer {
        try ModelContainer(
            for: Gadget.self, Maker.self, configurations: ModelConfiguration(url: URL(fileURLWithPath: path)))
    }

    /// Whether the `sqlite3` shell finds that true of every gadget's row.
    func holds(_ condition: String) throws -> Bool {
        try Programs.sqlite3(path, "SELECT count(*) = sum(\(condition)) FROM ZGADGET").output == "1\n"
    }

    func foreign(_ sql: String) throws {
        let result = try Programs.sqlite3(path, sql)
        if result.exitCode != 0 { throw CocoaError(.fileWriteUnknown, userInfo: ["errors": result.errors]) }
    }

    /// The gadgets by key, in a context of a container of their own.
    func gadgets() throws -> (ModelContext, [Gadget]) {
        let context = ModelContext(try Self.container(path))
        return (
            context,
            try context.fetch(FetchDescriptor<Gadget>()).sorted { $0.persistentModelID.id < $1.persistentModelID.id }
        )
    }

    /// The gadgets as the legacy stack shows them, by their counts.
    func managed(_ body: (NSManagedObjectContext, [ManagedGadget]) throws -> Void) throws {
        let context = try LegacyInstance(path: path).newContext()
        try context.performAndWait {
            let request = NSFetchRequest<ManagedGadget>(entityName: "Gadget")
            request.sortDescriptors = [NSSortDescriptor(key: "count", ascending: true)]
            try body(context, try context.fetch(request))
        }
    }
}

final class ManagedMaker: NSManagedObject {
    @Managed var name: String
}

final class ManagedGadget: NSManagedObject {
    @Managed var name: String
    @Managed var count: Int
    @Managed var serial: UUID
    @Managed var day: Date
    @Managed var home: URL
    @Managed var words: [String]
    @Managed var labels: Set<String>
    @Managed var mood: [String: Any]
    @Managed var photo: Data?
    @Managed var maker: ManagedMaker
}
