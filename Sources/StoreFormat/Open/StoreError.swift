import Foundation
import SQLite
import StoreModel

/// Why a store cannot be opened, read or written.
public struct StoreError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kinds of failure; the raw values are the error names that people and scripts see.
    public enum Code: String, Sendable, Hashable {
        case notFound = "NotFound"
        case notADatabase = "NotADatabase"
        case encrypted = "Encrypted"
        case empty = "Empty"
        case damaged = "Damaged"
        case notAStore = "NotAStore"
        case tooOld = "TooOld"
        case modelMissing = "ModelMissing"
        case modelUnreadable = "ModelUnreadable"
        case metadataUnreadable = "MetadataUnreadable"
        case schemaMismatch = "SchemaMismatch"
        /// The log beside the file is of another file, or of another state of it.
        case staleLog = "StaleLog"
        /// The path no longer leads to the file that is open.
        case storeReplaced = "StoreReplaced"
        case readOnly = "ReadOnly"
        /// The file has a second name, beside which others would keep another log and another lock.
        case hardLinked = "HardLinked"
        /// The daemon's lock file was removed, and somebody else has the lock now.
        case lockLost = "LockLost"
        case busy = "Busy"
        case diskFull = "DiskFull"
        case inputOutput = "InputOutput"
        case accessDenied = "AccessDenied"
        case unknownEntity = "UnknownEntity"
        case unknownKey = "UnknownKey"
        case unknownObject = "UnknownObject"
        case typeMismatch = "TypeMismatch"
        case precisionLoss = "PrecisionLoss"
        case externalData = "ExternalData"
        case invalidValue = "InvalidValue"
        case invalidRawValue = "InvalidRawValue"
        case missingValue = "MissingValue"
        case transformerUnknown = "TransformerUnknown"
        case objectDeleted = "ObjectDeleted"
        case badPredicate = "BadPredicate"
        case validationFailed = "ValidationFailed"
        case ownershipViolation = "OwnershipViolation"
        case staleEpoch = "StaleEpoch"
        case frozen = "Frozen"
        case versionConflict = "VersionConflict"
        case uniqueConflict = "UniqueConflict"
        case deleteDenied = "DeleteDenied"
        case crossStackDelete = "CrossStackDelete"
        case tokenExpired = "TokenExpired"
        /// A reader kept its snapshot for longer than readers may.
        case readerExpired = "ReaderExpired"
        case otherStore = "OtherStore"
        case alreadyExists = "AlreadyExists"
        case notAdopted = "NotAdopted"
        case unsupportedDerivation = "UnsupportedDerivation"
        /// What is asked for at once is too much.
        case tooLarge = "TooLarge"
        /// What the configuration says of the store does not fit it.
        case badConfiguration = "BadConfiguration"
        /// What was under way was called off before it changed anything.
        case cancelled = "Cancelled"
        case refused = "Refused"
    }

    /// The kind of failure.
    public var code: Code
    /// What is wrong, naming the thing.
    public var message: String
    /// What the person can do about it.
    public var way: String
    /// The objects that a refused save is about.
    public var objects: [Offence]

    /// One object of a refused save.
    public struct Offence: Sendable, Hashable {
        /// The object that may not be written.
        public var object: ObjectReference
        /// The stack that owns the entity, where ownership is what was violated.
        public var owner: StackName?
        /// The unit's epoch in the register.
        public var epoch: Int64?
        /// Why, in words.
        public var reason: String
        /// The property that failed validation.
        public var property: String?
        /// What to call the object where it has no row yet.
        public var label: String?
        /// Core Data's number for the failure of a validation, such as 1570 for a value that is missing.
        public var validationCode: Int?
        /// The relationship, `Entity.name`, whose delete rule reaches the object.
        public var relationship: String?
        /// That rule: `cascade` or `nullify`.
        public var rule: String?

        /// An object of a refused save.
        public init(
            object: ObjectReference, owner: StackName? = nil, epoch: Int64? = nil, reason: String,
            property: String? = nil, validationCode: Int? = nil, label: String? = nil, relationship: String? = nil,
            rule: String? = nil
        ) {
            self.label = label
            self.object = object
            self.owner = owner
            self.epoch = epoch
            self.reason = reason
            self.property = property
            self.validationCode = validationCode
            self.relationship = relationship
            self.rule = rule
        }

        /// How messages name the object: as `Entity/12`, or by its values where it has no row yet.
        public var name: String { label ?? "\(object)" }
    }

    /// The objects that a list of offences is about, no more of them than a person reads.
    static func list(_ offences: [Offence]) -> String { list(offences.lazy.map(\.name)) }

    /// Names in a row, no more of them than a person reads.
    static func list(_ names: some Collection<String>) -> String {
        let more = names.count > 10 ? ", and \(names.count - 10) more" : ""
        return names.prefix(10).joined(separator: ", ") + more
    }

    /// The refusal of deletions by the rule of a relationship that holds objects still.
    /// - Parameter denied: each object that was to be deleted, with the relationship (`Entity.name`) and what it holds.
    package static func deleteDenied(
        _ denied: [(object: ObjectReference, relationship: String, held: [ObjectReference])]
    ) -> StoreError {
        let offences = denied.map { object, relationship, held in
            Offence(
                object: object,
                reason: "\(relationship) denies it while it holds \(list(held.lazy.map { "\($0)" }))")
        }
        let more = offences.count > 10 ? "; and \(offences.count - 10) more" : ""
        return StoreError(
            .deleteDenied, offences.prefix(10).map { "\($0.name): \($0.reason)" }.joined(separator: "; ") + more,
            way: "delete what the relationship holds first, or take it out of it", objects: offences)
    }

    /// An error with what is wrong and the way out.
    public init(_ code: Code, _ message: String, way: String = "", objects: [Offence] = []) {
        self.code = code
        self.message = message
        self.way = way
        self.objects = objects
    }

    /// Code, message and way in one line.
    public var description: String {
        way.isEmpty
            ? "\(code.rawValue): \(message)"
            : "\(code.rawValue): \(message). \(way.prefix(1).uppercased())\(way.dropFirst())"
    }

    static func typeMismatch(_ leaf: LeafLayout, _ what: String) -> StoreError {
        StoreError(.typeMismatch, "\(leaf.path) is \(leaf.type): \(what)", way: "give a value of that type")
    }
}

extension StoreError {
    /// The store error that an SQLite error at a path means.
    public init(_ error: SQLiteError, path: String) {
        switch true {
        case error.isNotADatabase:
            self.init(
                .notADatabase, "\(path) is no SQLite database, or is encrypted",
                way: "decrypt it first, or give the store's own file; if its header is damaged, let "
                    + "`coexistctl salvage \(path) NEW` read what can be read")
        case error.isCorrupt:
            self.init(
                .damaged, "\(path) is damaged: \(error.message)", way: Self.wayOfDamage(path))
        case error.isBusy:
            self.init(busy: error.holder, path: path)
        case error.isSyncFailure:
            self.init(
                .inputOutput,
                "\(path) could not be brought to the disk: \(Self.reason(error)). What was written last may be there or not",
                way: "check the disk, and open the store anew: its pages are looked at then")
        case error.isFull:
            self.init(full: path, isQuota: error.systemCode == EDQUOT)
        case error.isReadOnly:
            self.init(
                .readOnly, "\(path) cannot be written: \(error.message)",
                way: "check the permissions of file and folder")
        case error.isCannotOpen:
            self.init(
                .accessDenied, "\(path) cannot be opened: \(Self.reason(error))",
                way: "check that it exists and who may read it")
        case error.isInputOutput:
            self.init(
                .inputOutput, "reading or writing \(path) failed: \(Self.reason(error))",
                way: "check the disk; nothing was retried")
        case error.isInterrupted:
            self.init(
                .readerExpired,
                "a read of \(path) took longer than readers may keep the log from being moved, and was ended",
                way: "read in smaller parts, from a backup, or raise readers.maximumAge")
        case error.isTooBig:
            self.init(
                .tooLarge,
                "a value or a statement is longer than the \(error.exceededLimit ?? 0) bytes that SQLite takes",
                way: "give, or ask for, less at once")
        case error.isOutOfMemory:
            self.init(
                .tooLarge, "there is not enough memory for what is read of, or written to, \(path)",
                way: "ask for less at once, or give the process more memory")
        case error.exceededLimit != nil:
            self.init(
                .badPredicate,
                "the request is too large for SQLite: \(error.message) (the limit is \(error.exceededLimit ?? 0))",
                way: "ask for less at once, or filter the fetched objects")
        case error.isMissingPart:
            self.init(
                .damaged, "\(path) lacks a part of the store: \(error.message)",
                way: "`coexistctl verify \(path)` says what is missing; restore a backup, or release the store")
        default:
            self.init(.damaged, "\(path): \(error.description)")
        }
    }

    /// What to do about a damaged file.
    package static func wayOfDamage(_ path: String) -> String {
        "restore a backup, or let `coexistctl salvage \(path) NEW` read what can be read"
    }

    /// SQLite's words, and the system's where a call of it failed.
    private static func reason(_ error: SQLiteError) -> String {
        error.systemCode == 0
            ? error.message : "\(error.message) (\(String(cString: strerror(error.systemCode))))"
    }

    private init(busy holder: LockHolder?, path: String) {
        guard let holder else {
            self.init(.busy, "\(path) is locked by another process", way: "try again when it has finished")
            return
        }
        let way =
            holder.isStopped
            ? "continue that process, or end it: its transaction is undone then"
            : "try again when it has finished, or end it"
        let what = holder.isReader ? "cannot be written while it is read by" : "is locked for writing by"
        self.init(.busy, "\(path) \(what) \(holder)", way: way)
    }
}
