import Varlink

/// The daemon's Varlink interface, `org.coexistd.Control`.
public enum ControlInterface {
    /// The interface's name, which is put before those of its methods and errors.
    public static let name = "org.coexistd.Control"

    /// The interface's description, as introspection gives it.
    public static func description() throws -> InterfaceDescription {
        try InterfaceDescription(parsing: text)
    }

    /// The names of the errors that a request can end with: each with what is wrong, the way out, and the objects that
    /// it is about.
    static let errors = [
        "NotFound", "NotADatabase", "Encrypted", "Empty", "Damaged", "NotAStore", "TooOld", "ModelMissing",
        "ModelUnreadable",
        "MetadataUnreadable", "SchemaMismatch", "ReadOnly", "Busy", "DiskFull", "InputOutput", "AccessDenied",
        "UnknownEntity", "UnknownKey", "UnknownObject", "TypeMismatch", "PrecisionLoss", "ExternalData",
        "InvalidValue", "InvalidRawValue", "MissingValue", "TransformerUnknown", "ObjectDeleted", "BadPredicate",
        "ValidationFailed", "OwnershipViolation", "StaleEpoch", "Frozen", "VersionConflict", "UniqueConflict",
        "DeleteDenied", "CrossStackDelete", "TokenExpired", "ReaderExpired", "OtherStore", "AlreadyExists",
        "NotAdopted", "Refused", "TooLarge", "BadConfiguration", "Stopping", "Cancelled", "StaleLog", "StoreReplaced",
        "UnsupportedDerivation", "MalformedMessage", "MessageTooLong",
    ]

    private static var text: String {
        declarations + errors.map { "\nerror \($0) (message: string, way: string, objects: []Offence)\n" }.joined()
    }

    private static let declarations = """
        # Controls a Coexist daemon: one SQLite file in Core Data's format, written through two stacks.
        interface org.coexistd.Control

        # An object that a refused save is about. Of a delete that reaches the other owner's rows: the relationship that leads
        # there, as Entity.name, and its rule, cascade or nullify.
        type Offence (
          object: string,
          owner: ?string,
          epoch: ?int,
          reason: string,
          relationship: ?string,
          rule: ?string
        )

        # Why nobody writes a unit: kind is hand or handover. By whom, why and since when is known of what this daemon froze.
        type FreezeStatus (
          kind: string,
          by: ?string,
          reason: ?string,
          since: ?string
        )

        # A handover that is under way, with the last step that has passed.
        type RunningHandover (
          unit: []string,
          to: string,
          since: string,
          by: ?string,
          reason: ?string,
          step: ?string
        )

        # The owner of an entity: legacy, model, or, at epoch 0, none in a store that was never adopted. While it is frozen the
        # owner stays, and nobody writes.
        type Owner (
          entity: string,
          owner: string,
          frozen: bool,
          freeze: ?FreezeStatus,
          epoch: int,
          rows: int,
          unit: string,
          since: ?string,
          lastWrite: ?LastWrite
        )

        # The last transaction that wrote an entity's unit: its token, the stack, the application's author, the process and
        # when, as far as history still has it. The stack is null for another program. Owners tells it, Status does not.
        type LastWrite (
          token: string,
          stack: ?string,
          author: ?string,
          process: ?string,
          at: ?string
        )

        # A stack's place in history, and how many transactions it is behind.
        type StackStatus (
          token: string,
          lag: int
        )

        # What one stack's row cache did; ageP99 is in seconds.
        type CacheStatus (
          objects: int,
          hits: int,
          misses: int,
          invalidations: int,
          stale: int,
          ageP99: ?float
        )

        # Something that a handover's preflight looked at, and what helps where it failed.
        type Check (
          check: string,
          ok: bool,
          detail: string,
          way: ?string
        )

        # A step of a handover.
        type Step (
          step: string,
          ok: bool,
          detail: string,
          checks: ?[]Check
        )

        # How many objects of how many a comparison has read.
        type Progress (
          done: int,
          total: int
        )

        # A handover that is done: the unit of entities that changed hands, and the last token under the old owner.
        type HandoverResult (
          entity: string,
          unit: []string,
          owner: string,
          epoch: int,
          token: string
        )

        # A change of owner of a unit: when, by whom, why, and the last token under the owner before.
        type HandoverRecord (
          entity: string,
          unit: []string,
          from: ?string,
          to: string,
          epoch: int,
          at: string,
          by: ?string,
          reason: ?string,
          token: string
        )

        # A durable reader of history. Lag and keeps count transactions: not acknowledged yet, and kept for this reader
        # alone. State is active or expired; of one that is expired the lag is null.
        type Consumer (
          name: string,
          token: string,
          lag: ?int,
          lagSeconds: ?float,
          keeps: int,
          state: string
        )

        # State, store, stacks, owners, history, log, clients, and what is under way. The guard is null where the store is open
        # read-only.
        method Status() -> (
          state: string,
          version: string,
          pid: int,
          started: string,
          problem: ?(code: string, message: string, way: string),
          store: (path: string, uuid: string, model: string),
          stacks: [string]StackStatus,
          owners: []Owner,
          history: (last: string),
          wal: (bytes: int, heldBy: ?string),
          guard: ?string,
          handovers: []RunningHandover,
          consumers: []Consumer,
          clients: int,
          sqlite: string,
          warnings: []string,
          alarms: []string,
          readOnly: ?string,
          staleness: (count: int, p50: ?float, p99: ?float),
          forwards: (crossStackDeletes: string, pending: int, deletes: [string]int)
        )

        # Every entity with its owner.
        method Owners() -> (owners: []Owner)

        # Moves the unit of each entity to an owner, or back to its previous one. With more: each step as it ends, how far
        # the comparison has got now and then, and the result last. Until its switch it is called off, with Cancelled, when
        # the client closes the connection or the daemon stops. A dry run takes no more than the role observe.
        method Handover(
          entities: []string,
          to: ?string,
          back: ?bool,
          dryRun: ?bool,
          reason: ?string
        ) -> (step: ?Step, result: ?HandoverResult, progress: ?Progress)

        # Every change of owner, of the entity's unit or of all, oldest first.
        method Handovers(entity: ?string) -> (handovers: []HandoverRecord)

        # Refuses writes to the entity's unit until it is thawed, or the daemon ends.
        method Freeze(entity: string, reason: ?string) -> (owners: []Owner)

        # Ends a freeze.
        method Thaw(entity: string) -> (owners: []Owner)

        # Reads every object of the entity through both stacks, or a random sample, and lists what differs: id, property,
        # and what each stack reads, of the first thousand objects. With more: how far it has got, the result last.
        method Compare(entity: string, sample: ?int) -> (
          entity: string,
          rows: int,
          differing: int,
          differences: []object,
          progress: ?Progress
        )

        # Objects by a predicate in NSPredicate's format; sort keys as key or key:desc. With more, in pages, each as of when the
        # client comes to it; without, TooLarge where it is more than 16 MiB.
        method Fetch(
          entity: string,
          where: ?string,
          sort: ?[]string,
          limit: ?int,
          offset: ?int,
          stack: ?string
        ) -> (objects: []object)

        # How many objects a fetch would find.
        method Count(entity: string, where: ?string, limit: ?int, offset: ?int, stack: ?string) -> (count: int)

        # Objects by identity: Entity/12, or a Core Data URI. Fresh reads past the cache.
        method Get(objects: []string, stack: ?string, fresh: ?bool) -> (objects: []object)

        # A new object. Without a stack the owner writes. The token is that of the transaction, here and below; null where
        # the store keeps no history of it.
        method Insert(entity: string, values: object, stack: ?string, author: ?string) -> (object: object, token: ?string)

        # Sets properties of an object; expect is the version that was read. Where every property has its value already,
        # nothing is saved, whoever asks: the token is null.
        method Update(object: string, values: object, expect: ?int, stack: ?string, author: ?string) -> (object: object, token: ?string)

        # Deletes objects in one transaction, and what the delete rules say: how many of each entity are deleted, and how many
        # others let go of one that is, the part of the other owner's rows included. Where no history tells, both are empty.
        method Delete(objects: []string, stack: ?string, author: ?string) -> (token: ?string, deleted: [string]int, nullified: [string]int)

        # Transactions with their changes, oldest first, of an author, or of all others with ! before the name. With more: one
        # a reply; with follow, new ones as they come; with last, the newest so many.
        method History(
          after: ?string,
          entity: ?string,
          author: ?string,
          limit: ?int,
          follow: ?bool,
          last: ?int
        ) -> (transaction: ?object)

        # The durable readers of history.
        method Consumers() -> (consumers: []Consumer)

        # Adds a durable reader, from a token or the newest: history after its place is kept.
        method AddConsumer(name: string, from: ?string) -> (consumers: []Consumer)

        # Takes note that a durable reader has dealt with everything up to a token.
        method Acknowledge(name: string, token: string) -> (consumers: []Consumer)

        # Removes a durable reader.
        method RemoveConsumer(name: string) -> (consumers: []Consumer)

        # Purges history before a token or a date in ISO 8601, as far as durable readers allow; without one, what they all
        # have acknowledged. The token is the last transaction that is gone; holders kept something that was to go.
        method Prune(before: ?string, dryRun: ?bool) -> (token: string, transactions: int, holders: []string)

        # What the row caches hold and did.
        method Caches() -> (caches: [string]CacheStatus)

        # What is measured, as OpenMetrics text.
        method Metrics() -> (text: string)

        # Drops cached rows of an entity, or all.
        method Invalidate(entity: ?string) -> ()

        # Replays now, into one stack or both, up to a token or the newest.
        method Replay(stack: ?string, wait: ?string) -> (stacks: [string]StackStatus)

        # Moves the log into the store. Where a reader was in the way to the end, who it was.
        method Checkpoint() -> (complete: bool, frames: int, moved: int, heldBy: ?string)

        # Copies the running store, external data included, to a new file.
        method Backup(file: string) -> (file: string, damage: ?string)

        # Checks the store against every rule of the format.
        method Verify() -> (violations: []object, warnings: []object)

        # Reads the configuration anew. What cannot change while the daemon runs is refused.
        method Reload() -> (changed: []string)

        # Stops the daemon: running saves finish, clients are told, the log is checkpointed.
        method Stop() -> ()

        """
}
