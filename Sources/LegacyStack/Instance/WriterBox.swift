import Foundation
import StoreFormat

/// The instance's one writer, opened with the first save.
///
/// `@unchecked Sendable`: `writer` and `isClosed` are only touched under `lock`, which is held for the whole of a save, so
/// that one thread at a time uses the writer and its connection.
final class WriterBox: @unchecked Sendable {
    private let lock = NSLock()
    private var writer: StoreWriter?
    private var isClosed = false
    private let store: Store
    private let options: LegacyInstance.Options
    private let readOnlyReason: String?

    init(store: Store, options: LegacyInstance.Options, readOnlyReason: String?) {
        self.store = store
        self.options = options
        self.readOnlyReason = readOnlyReason
    }

    /// Runs the body with the writer.
    /// - Throws: `StoreError`: `ReadOnly` where the store was opened for reading.
    func use<T>(_ body: (StoreWriter) throws -> T) throws -> T {
        lock.lock()
        defer { lock.unlock() }
        if let readOnlyReason {
            throw StoreError(.readOnly, readOnlyReason, way: "open it for writing, with history tracking on")
        }
        guard !isClosed else { throw StoreError(.refused, "\(store.path) has been closed", way: "open it again") }
        if let writer { return try body(writer) }
        let made = try StoreWriter(
            store: store, durability: options.durability, isTracking: options.isTracking,
            busyTimeout: options.busyTimeout, maximumLogBytes: options.maximumLogBytes)
        try StoreConnector.translating(store.path) { try PredicateFunctions.register(on: made.connection) }
        writer = made
        return try body(made)
    }

    /// Why the log could not be moved into the store, as the writer last found.
    var logProblem: StoreError? {
        lock.lock()
        defer { lock.unlock() }
        return writer?.logProblem
    }

    /// Waits for a save that is running, and closes the connection.
    func close() {
        lock.lock()
        defer { lock.unlock() }
        isClosed = true
        writer = nil
    }
}
