import Bridge
import Control
import Foundation
import SQLite
import StoreFormat
import SwiftData
import Synchronization
import TestKit

/// What targets need once: a folder, sample stores, and stacks opened on them.
enum Workshop {
    /// In memory where the system has such a file system: a target may write thousands of files a second.
    private static let folder: String = {
        let base = FileManager.default.isWritableFile(atPath: "/dev/shm") ? "/dev/shm" : NSTemporaryDirectory()
        let folder = "\(base)/coexist-fuzz-\(getpid())"
        try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        return folder
    }()

    static func path(_ name: String) -> String { folder + "/" + name }

    /// Removes the folder.
    static func clear() { try? FileManager.default.removeItem(atPath: folder) }

    private static func required<T>(_ body: () throws -> T) -> T {
        do {
            return try body()
        } catch {
            // Not input: what targets stand on could not be made at all.
            fatalError("the sample store cannot be made: \(error)")
        }
    }

    /// A store of the sample model.
    static let library: Store = required {
        try StoreCreator.create(path("library.sqlite"), model: SampleModels.library)
    }

    /// Both stacks on that store.
    static let stacks: [any StackInstance] = required {
        try StackName.allCases.map { try StackFactory.reader($0, library) }
    }

    /// Reads every object of a store through each stack, as `coexistctl dump` does.
    static func readThroughBothStacks(_ path: String) throws {
        let store = try Store.open(path)
        for stack in StackName.allCases {
            let instance = try StackFactory.reader(stack, store)
            defer { instance.close() }
            for style in [ObjectJSON.Style.dump, .control] {
                let json = ObjectJSON(store: store, style: style)
                for entity in store.layout.entities {
                    try instance.forEachObject(of: entity.name) { _ = json.object($0).text() }
                }
            }
        }
    }

    // MARK: Swift values

    private final class Voyages: Sendable {
        let container: ModelContainer
        let columns: [String]
        /// Writes the row; used by one reading at a time.
        let connection: Mutex<Box>

        init(path: String) throws {
            container = try ModelContainer(
                for: Voyage.self, configurations: ModelConfiguration(url: URL(fileURLWithPath: path)))
            let context = ModelContext(container)
            context.insert(Voyage())
            try context.save()
            columns = try container.instance.store.layout.entity("Voyage").columns
            connection = Mutex(Box(try Connection(path: path, mode: .readWrite)))
        }
    }

    /// `@unchecked Sendable`: only used under the lock around it.
    private final class Box: @unchecked Sendable {
        let connection: Connection

        init(_ connection: Connection) {
            self.connection = connection
        }
    }

    private static let voyages = required { try Voyages(path: path("voyages.store")) }

    /// Sets every column of a row to the value, and reads the properties.
    static func readVoyage(_ raw: SQLValue) throws {
        try voyages.connection.withLock { box in
            let sets = voyages.columns.map { "\($0.sqlIdentifier) = ?1" }.joined(separator: ", ")
            try box.connection.run("UPDATE ZVOYAGE SET \(sets)", [raw])
        }
        voyages.container.instance.dropCaches(of: nil, position: nil)
        let context = ModelContext(voyages.container)
        for voyage in try context.fetch(FetchDescriptor<Voyage>()) { voyage.read() }
    }
}

/// Every way in which a Swift value stands in columns.
@Model
final class Voyage {
    var name: String = ""
    var days: Int = 0
    var short: Int16 = 0
    var share: Double = 0
    var weight: Float = 0
    var isOver: Bool = false
    var start: Date?
    var price: Decimal?
    var code: UUID?
    var link: URL?
    var photo: Data?
    @Attribute(.externalStorage) var film: Data?
    var kind: Kind = Kind.ship
    var level: Level?
    var port: Port?
    var notes: [String] = []
    var parts: [Data]?

    enum Kind: String, Codable {
        case ship
        case train
    }

    enum Level: Int, Codable {
        case low = 1
        case high
    }

    struct Port: Codable {
        var city: String
        var berth: Int?
        var tags: [String]
        var inner: Inner?
    }

    struct Inner: Codable {
        var depth: Double
        var open: Date?
    }

    init() {}

    func read() {
        _ = (name, days, short, share, weight, isOver, start, price, code, link, photo, film)
        _ = (kind, level, port, notes, parts)
    }
}
