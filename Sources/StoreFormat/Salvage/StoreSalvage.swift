import Foundation
import SQLite
import StoreModel

/// Reads what can still be read of a damaged store, and writes it to a new one.
public enum StoreSalvage {
    /// What was read of an entity, or of a join table.
    public struct Part: Sendable, Hashable {
        /// The entity, or the join table.
        public var name: String
        /// Rows that are in the new store.
        public var read: Int64 = 0
        /// Rows that are known to be lost; nil where some are and nothing tells how many.
        public var lost: Int64? = 0

        /// A part.
        public init(name: String, read: Int64 = 0, lost: Int64? = 0) {
            self.name = name
            self.read = read
            self.lost = lost
        }
    }

    /// An object that lacks what the model does not let it be without: it can be read, and not be saved before it has it.
    public struct Unsavable: Sendable, Hashable {
        /// The object's own entity.
        public var entity: String
        /// Its key.
        public var key: Int64
        /// The mandatory relationship or attribute that is empty.
        public var property: String

        /// An object that lacks a property.
        public init(entity: String, key: Int64, property: String) {
            self.entity = entity
            self.key = key
            self.property = property
        }
    }

    /// What a salvage did.
    public struct Report: Sendable, Hashable {
        /// The entities, by name in byte order.
        public var entities: [Part] = []
        /// The join tables.
        public var joins: [Part] = []
        /// Single values that could not be read, or whose external file is missing, of rows that could.
        public var values: Int64 = 0
        /// Keys that led to lost rows and were cleared.
        public var links: Int64 = 0
        /// Objects without something mandatory, at most `limit`, by table, property and key.
        public var unsavable: [Unsavable] = []
        /// How many of those there are in all, counted by property.
        public var unsavableCount = 0
        /// What was mended in the new store, a sentence each.
        public var mended: [String] = []
        /// What `verify` still finds in the new store: values and links that were as they are in the damaged one.
        public var remaining: [Violation] = []
        /// What else the person should know.
        public var notes: [String] = []

        /// Whether the damaged file was as long as it says, and its list of tables, metadata and catalogue could be read.
        /// If not, more may be lost than is counted; the notes say what it was.
        public var isSourceWhole = true

        /// Whether the new store breaks no rule.
        public var isSound: Bool { remaining.allSatisfy { $0.severity == .warning } }

        /// How many objects a report lists.
        public static let limit = 1_000

        /// Whether nothing at all was lost.
        public var isComplete: Bool {
            isSourceWhole && (entities + joins).allSatisfy { $0.lost == 0 } && values == 0 && links == 0
        }
    }

    /// Salvages. The damaged file and its sidecars are read from a copy, and stay as they are.
    /// - Parameters:
    ///   - model: the store's model; nil takes it from the file, if it can be read there.
    ///   - progress: called with the name of the table that is being read, and the rows that were.
    /// - Throws: `StoreError`: `AlreadyExists` if something lies at the target, `Busy` where a program has the store open,
    ///   `ModelUnreadable` or `ModelMissing`, `Damaged` where nothing of a store can be found, `NotADatabase` where nothing of a
    ///   database can.
    public static func salvage(
        _ path: String, to target: String, model: ModelDescription? = nil,
        progress: (String, Int64) -> Void = { _, _ in }
    ) throws -> Report {
        let draft = try StoreDraft(of: target)
        try ExternalData.requireOwnPlace(target, hasFiles: !ExternalData(storePath: path).isEmpty)
        let folder = "\(draft.path).source"
        defer {
            try? FileManager.default.removeItem(atPath: folder)
            draft.discard()
        }
        let report = try StoreBackup.translating(path, target) {
            let source = try SalvageSource(RealPath.of(path), folder: folder, model: model)
            try StoreCreator.create(draft.path, model: source.model, isPrivate: true)
            return try SalvageWriter(source, target: draft.path).run(progress)
        }
        try draft.finish(like: path)
        return report
    }
}
