import Foundation
import SQLite
import StoreFormat

/// The instance's one writing connection, one save at a time.
final class WriterLane: @unchecked Sendable {
    // Safe to share: `writer` is only touched under `lock`.
    private let lock = NSLock()
    private var writer: StoreWriter?

    init(_ store: Store, _ options: ModelInstance.Options) throws {
        let writer = try StoreWriter(
            store: store, durability: options.durability, isTracking: options.isTracking,
            busyTimeout: options.busyTimeout, maximumLogBytes: options.maximumLogBytes)
        try PredicateFunctions.register(on: writer.connection)
        try TextFunctions.register(on: writer.connection)
        self.writer = writer
    }

    /// Runs a save when the ones before have ended.
    func use<T>(_ body: (StoreWriter) throws -> T) throws -> T {
        lock.lock()
        defer { lock.unlock() }
        guard let writer else { throw StoreError(.refused, "the store has been closed", way: "open it again") }
        return try body(writer)
    }

    /// Why the log could not be moved into the store, as the writer last found.
    var logProblem: StoreError? {
        lock.lock()
        defer { lock.unlock() }
        return writer?.logProblem
    }

    func close() {
        lock.lock()
        writer = nil
        lock.unlock()
    }
}
