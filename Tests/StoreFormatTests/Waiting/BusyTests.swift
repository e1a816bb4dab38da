import Foundation
import SQLite
import StoreFormat
import TestKit
import Testing

/// What a save that waits in vain is told.
@Suite
struct BusyTests {
    @Test("a save names the program that holds the lock, and the pending work is not lost")
    func program() throws {
        let sample = try SampleStore()
        sample.connection.busyTimeout = 20
        let shell = try HoldingShell(sample.path)
        let error = expectStoreError(.busy) { try sample.insert("Tag", ["name": .string("new")]) }
        #expect(
            error?.message.hasPrefix(
                "\(sample.path) is locked for writing by process \(shell.processIdentifier) (sqlite3) since ") == true)
        shell.end()
        try sample.insert("Tag", ["name": .string("new")])
        #expect(try sample.count("ZTAG") == 1)
    }

    @Test("a save names the stack's instance that holds the lock")
    func instance() throws {
        let sample = try SampleStore()
        let other = try StoreWriter(store: sample.store, busyTimeout: 20)
        try sample.save(SaveAuthority(stack: .model, instanceName: "the other", epochs: [:])) { _ in
            let error = expectStoreError(.busy) {
                _ = try other.save(SampleStore.authority, TransactionIdentity()) { _ in }
            }
            let name = "this process (\(getpid())), the model stack's instance the other, since "
            #expect(error?.message.contains(name) == true)
        }
    }

    @Test("of a stopped process it is said that it is stopped, and what to do")
    func stopped() throws {
        let sample = try SampleStore()
        sample.connection.busyTimeout = 20
        let shell = try HoldingShell(sample.path)
        shell.stop()
        let error = expectStoreError(.busy) { try sample.insert("Tag", ["name": .string("new")]) }
        let name = "process \(shell.processIdentifier) (sqlite3), which is stopped, since "
        #expect(error?.message.contains(name) == true)
        #expect(error?.way.hasPrefix("continue that process, or end it") == true)
        // Killed where it is: the lock is free at once, and its transaction is undone.
        shell.kill()
        try sample.insert("Tag", ["name": .string("new")])
        try sample.expectSound()
    }

    @Test("a store has one queue, by whatever link it is opened, and nobody is in it between saves")
    func oneQueue() throws {
        let sample = try SampleStore()
        try sample.insert("Tag", ["name": .string("new")])
        #expect(FileManager.default.fileExists(atPath: StoreQueue.path(of: sample.path)))
        #expect(WriterQueue.members(at: StoreQueue.path(of: sample.path)).isEmpty)
        let link = sample.folder.file("link.sqlite")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: sample.path)
        #expect(StoreQueue.path(of: link) == StoreQueue.path(of: sample.path))
    }
}
