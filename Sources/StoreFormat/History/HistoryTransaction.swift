import Foundation
import SQLite

/// One transaction of persistent history, with its changes.
public struct HistoryTransaction: Sendable, Hashable {
    /// `ATRANSACTION.Z_PK`: what a token points at.
    public var number: Int64
    /// When it was committed.
    public var timestamp: Date
    /// `transactionAuthor` of the context that saved.
    public var author: String?
    /// The context's name.
    public var contextName: String?
    /// The name of the process.
    public var processID: String?
    /// The bundle identifier of the program.
    public var bundleID: String?
    /// Which instance of ours wrote it; nil for a foreign one, or one from before adoption.
    public var writer: Writer?
    /// One change for each object, in the order in which they were written.
    public var changes: [HistoryChange]
    /// The entities that it changed objects of, in place of `changes`, where it has more of them than the reader would
    /// hold at once.
    public var changedEntities: Set<String>?

    /// Why the changes are not all that it did to the objects, where that shows: rows of it that cannot be read, or, in a
    /// stranger's, none at all. Whoever has a cache cannot know what to drop.
    public var unreadable: String?

    /// Whether the instance of that name has it in its caches already, as the one that wrote it. What was forwarded is
    /// written in an instance's name by another, so it has not.
    public func isKnown(to instanceName: String) -> Bool {
        writer?.instanceName == instanceName && writer?.cause == nil
    }

    /// Whether it says that a migration made it.
    var isMigration: Bool { author?.hasPrefix(TransactionOrigin.migrator) ?? false }

    /// Who committed a transaction, from `COEXIST_TRANSACTION`.
    public struct Writer: Sendable, Hashable {
        /// The stack that wrote it.
        public var stack: StackName
        /// The instance's random name.
        public var instanceName: String
        /// The transaction of the other stack that had it written, for the owner's part of a forwarded delete.
        public var cause: Int64?

        /// A writer.
        public init(stack: StackName, instanceName: String, cause: Int64? = nil) {
            self.stack = stack
            self.instanceName = instanceName
            self.cause = cause
        }
    }
}

/// Where a transaction says that it comes from.
public struct TransactionOrigin: Sendable, Hashable {
    /// `transactionAuthor` of the context that saved.
    public var author: String?
    /// The name of the process.
    public var processID: String?
    /// The bundle identifier of the program.
    public var bundleID: String?

    /// What begins the author of a migration's own transaction (Format, section 8.2).
    static let migrator = "com.apple.coredata.schemamigrator:"

    /// Whether it is the transaction that a migration leaves, if it changes no object.
    public var isMigration: Bool { author?.hasPrefix(Self.migrator) ?? false }

    /// The digest of the model before, for a migration that says it.
    public var digestBefore: String? {
        guard isMigration, let start = author?.lastIndex(of: "{"), let end = author?.lastIndex(of: "}"), start < end
        else { return nil }
        return author.map { $0[$0.index(after: start)..<end].trimmingCharacters(in: .whitespaces) }
    }

    /// Process and bundle, as far as they are known; nil where neither is.
    public var program: String? {
        guard let processID, processID != bundleID else { return bundleID }
        return bundleID.map { "\(processID) (\($0))" } ?? processID
    }
}

/// A change to one object.
public struct HistoryChange: Sendable, Hashable {
    /// `ACHANGE.ZCHANGETYPE`.
    public enum Kind: Int64, Sendable, Hashable {
        case insert = 0
        case update = 1
        case delete = 2
    }

    /// What happened to the object.
    public var kind: Kind
    /// The object's `Z_PK`.
    package let key: Int64
    /// What many changes have in common, so that a long history does not hold it for each.
    package let details: Details

    /// The object, by its concrete entity.
    public var object: ObjectReference { ObjectReference(entity: details.entity, key: key) }
    /// The properties that an update marked, by name. To-many marks in Apple's files are not reliable.
    public var properties: [String] { details.properties }
    /// What a deletion kept, by attribute.
    public var tombstone: [String: AttributeValue] { details.tombstone }

    /// What is the same in many changes.
    package final class Details: Sendable {
        package let entity: String
        package let properties: [String]
        package let tombstone: [String: AttributeValue]

        package init(entity: String, properties: [String] = [], tombstone: [String: AttributeValue] = [:]) {
            self.entity = entity
            self.properties = properties
            self.tombstone = tombstone
        }
    }

    package init(kind: Kind, key: Int64, details: Details) {
        self.kind = kind
        self.key = key
        self.details = details
    }

    /// Equal by content, whether or not it is shared.
    public static func == (a: HistoryChange, b: HistoryChange) -> Bool {
        a.kind == b.kind && a.key == b.key
            && (a.details === b.details
                || a.details.entity == b.details.entity && a.properties == b.properties && a.tombstone == b.tombstone)
    }

    /// By kind, object and marked properties.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
        hasher.combine(object)
        hasher.combine(properties)
    }
}

/// A place in a store's history.
public struct HistoryToken: Sendable, Hashable, CustomStringConvertible {
    /// The store that the number counts in.
    public var storeUUID: String
    /// Which life of the store: a restore starts a new one.
    public var timeline: Int64
    /// The number of the last transaction that is behind the token.
    public var transaction: Int64

    /// What a reader does whose place is gone. In this order: what is committed while it reads comes after the place.
    public static let wayOfExpired =
        "first note the newest token (`last` in `coexistctl status --json`), then read everything once, and go on from the "
        + "noted token"

    /// A token.
    public init(storeUUID: String, timeline: Int64, transaction: Int64) {
        self.storeUUID = storeUUID
        self.timeline = timeline
        self.transaction = transaction
    }

    /// `<store UUID>:<timeline>:<transaction>`.
    public var description: String { "\(storeUUID):\(timeline):\(transaction)" }

    /// Whether a text is written as a token, or as a number, of whatever store.
    public static func isWritten(_ text: String) -> Bool { parts(text) != nil }

    private static func parts(_ text: String) -> (store: Substring?, timeline: Int64, transaction: Int64)? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 1 || parts.count == 3, let number = Int64(parts[parts.count - 1]), number >= 0 else {
            return nil
        }
        guard parts.count == 3 else { return (nil, 0, number) }
        return Int64(parts[1]).map { (parts[0], $0, number) }
    }

    /// Reads the text form; a number alone is a transaction of this store and timeline.
    /// - Throws: `StoreError` `OtherStore`, or `TokenExpired` for another timeline.
    public init(parsing text: String, storeUUID: String, timeline: Int64) throws {
        guard let (store, line, number) = Self.parts(text) else {
            throw StoreError(
                .refused, "\(text.isEmpty ? "\"\"" : text) is no history token",
                way: "use UUID:timeline:number, as `history` prints it")
        }
        guard let store else {
            self.init(storeUUID: storeUUID, timeline: timeline, transaction: number)
            return
        }
        guard store.uppercased() == storeUUID.uppercased() else {
            throw StoreError(
                .otherStore, "the token is of the store \(store), this one is \(storeUUID)",
                way: "use a token of this store")
        }
        guard line == timeline else {
            throw StoreError(
                .tokenExpired,
                "the token is of timeline \(line), the store was restored or adopted anew since and is at \(timeline)",
                way: Self.wayOfExpired)
        }
        self.init(storeUUID: storeUUID, timeline: line, transaction: number)
    }
}
