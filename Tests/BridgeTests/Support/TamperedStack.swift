import Bridge
import ModelStack
import StoreFormat
import Synchronization

/// The model stack, whose reads a test can falsify.
final class TamperedStack: StackInstance {
    private let real: any StackInstance
    private let tamper: Mutex<@Sendable (ObjectRecord) throws -> ObjectRecord?>
    private let beforeRead = Mutex<@Sendable () throws -> Void>({})

    init(_ real: any StackInstance) {
        self.real = real
        let identity: @Sendable (ObjectRecord) throws -> ObjectRecord? = { $0 }
        tamper = Mutex(identity)
    }

    /// Every record read from now on goes through the closure; nil hides the object.
    func tamper(_ body: @escaping @Sendable (ObjectRecord) throws -> ObjectRecord?) {
        tamper.withLock { $0 = body }
    }

    /// Called before each read of one object or a batch.
    func beforeEachRead(_ body: @escaping @Sendable () throws -> Void) {
        beforeRead.withLock { $0 = body }
    }

    private func changed(_ record: ObjectRecord?) throws -> ObjectRecord? {
        let body = tamper.withLock { $0 }
        return try record.flatMap { try body($0) }
    }

    var stack: StackName { real.stack }
    var instanceName: String { real.instanceName }
    var store: Store { real.store }
    var authority: SaveAuthority { real.authority }
    func setDeleteForwarding(_ forwarding: DeleteForwarding?) { real.setDeleteForwarding(forwarding) }
    var position: Int64 { real.position }
    var cacheStatistics: CacheStatistics { real.cacheStatistics }
    func apply(_ transactions: [HistoryTransaction], readsEpochs: Bool) throws {
        try real.apply(transactions, readsEpochs: readsEpochs)
    }
    func dropCaches(of entities: Set<String>?, position: Int64?) { real.dropCaches(of: entities, position: position) }
    func objects(matching query: ObjectQuery) throws -> [ObjectRecord] { try real.objects(matching: query) }
    func references(matching query: ObjectQuery) throws -> [ObjectReference] { try real.references(matching: query) }
    func objects(_ references: ArraySlice<ObjectReference>) throws -> [ObjectRecord] { try real.objects(references) }
    func count(of query: ObjectQuery) throws -> Int { try real.count(of: query) }
    func object(_ reference: ObjectReference, isFresh: Bool) throws -> ObjectRecord? {
        try beforeRead.withLock { $0 }()
        return try changed(real.object(reference, isFresh: isFresh))
    }
    func forEachObject(of entity: String, _ body: (ObjectRecord) throws -> Void) throws {
        try real.forEachObject(of: entity) { record in
            if let record = try changed(record) { try body(record) }
        }
    }
    func forEachObject(
        of entity: String, after key: Int64, through last: Int64, _ body: (ObjectRecord) throws -> Bool
    ) throws {
        try beforeRead.withLock { $0 }()
        try real.forEachObject(of: entity, after: key, through: last) { record in
            guard let record = try changed(record) else { return true }
            return try body(record)
        }
    }
    func save(_ batch: ObjectBatch) throws -> SaveResult { try real.save(batch) }
    func setCommitHandler(_ handler: (@Sendable (CommitNotice) -> Void)?) { real.setCommitHandler(handler) }
    func close() { real.close() }
}

extension BridgeSample {
    /// A bridge whose model stack is one that can be falsified.
    func openTampered(_ change: (inout BridgeOptions) -> Void = { _ in }) throws -> (StoreBridge, TamperedStack) {
        var options = BridgeOptions()
        change(&options)
        let stacks = StackFactory(
            legacy: StackFactory.standard.legacy,
            model: { TamperedStack(try StackFactory.standard.model($0, $1)) })
        let bridge = try StoreBridge(path: path, options: options, stacks: stacks)
        guard let stack = bridge.model as? TamperedStack else { throw StoreError(.refused, "no tampered stack") }
        return (bridge, stack)
    }

    /// What the verifier finds now, inherited violations left out.
    func violations() throws -> [Violation] {
        let store = try Store.open(path)
        return try StoreVerifier.verify(try StoreConnector.offlineReader(path), store: store)
            .filter { $0.severity == .error }
    }
}
