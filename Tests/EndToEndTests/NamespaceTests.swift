import Foundation
import LegacyStack
import SQLite
import StoreFormat
import TestKit
import Testing
import Varlink

/// Holders of locks in other process namespaces, as in containers: the numbers that they know themselves by mean others here.
@Suite(.enabled(if: Namespace.isPossible, "process namespaces cannot be made here"))
struct NamespaceTests {
    private let sample: SampleStore

    init() throws {
        sample = try SampleStore()
    }

    /// Runs `coexistctl` where no process of this test can be seen.
    private func apart(_ command: String...) throws -> Programs.Result {
        try Programs.run(try #require(Namespace.unshare), Namespace.arguments + [Programs.coexistctl] + command)
    }

    @Test(
        "a stranger outside is a lock without a process, and no other process is named", arguments: ["wal", "delete"])
    func stranger(journal: String) throws {
        _ = try Programs.sqlite3(sample.path, "PRAGMA journal_mode=\(journal)")
        let shell = try HoldingShell(sample.path)
        let report = try JSON(parsing: apart("doctor", sample.path, "--json").output)
        let locks = report["locks"]?["locks"]?.arrayValue ?? []
        #expect(locks.allSatisfy { $0["process"]?.isNull == true && $0["name"]?.isNull == true }, "\(locks)")
        let text = try apart("doctor", sample.path).output
        #expect(!text.contains("process \(shell.processIdentifier) "))
        // From outside it is named.
        #expect(try Programs.ctl("doctor", sample.path).output.contains("process \(shell.processIdentifier) (sqlite3)"))
    }

    @Test("a daemon outside is said to be in another namespace")
    func daemon() throws {
        let daemon = try RunningDaemon(store: sample.path, folder: sample.folder)
        let text = try apart("doctor", sample.path).output
        #expect(text.contains("process in another namespace holds the store"), "\(text)")
        #expect(!text.contains("process \(daemon.processIdentifier) "))
        let refused = try apart("release", sample.path)
        #expect(refused.exitCode == 1)
        #expect(refused.errors.contains("is held by another process, a Coexist daemon or command"), "\(refused.errors)")
        #expect(try Programs.ctl("release", sample.path).errors.contains("process \(daemon.processIdentifier)"))
    }

    @Test("one of ours inside is named by the number that it has here")
    func inside() throws {
        let holder = Process()
        let (input, output) = (Pipe(), Pipe())
        holder.executableURL = URL(fileURLWithPath: try #require(Namespace.unshare))
        holder.arguments = Namespace.arguments + [Programs.folder + "/coexist-soak", "hold", sample.path, "legacy"]
        holder.standardInput = input
        holder.standardOutput = output
        try holder.run()
        defer {
            try? input.fileHandleForWriting.close()
            holder.waitUntilExit()
        }
        var text = ""
        while !text.contains("held") {
            let more = output.fileHandleForReading.availableData
            try #require(!more.isEmpty)
            text += String(decoding: more, as: UTF8.self)
        }
        // The child of `unshare` is number 1 where it is.
        let children = try String(
            contentsOfFile: "/proc/\(holder.processIdentifier)/task/\(holder.processIdentifier)/children",
            encoding: .utf8)
        let id = try #require(Int32(children.trimmingCharacters(in: .whitespaces)))
        var options = LegacyInstance.Options()
        options.busyTimeout = 50
        let instance = try LegacyInstance(path: sample.path, options: options)
        let error = #expect(throws: StoreError.self) {
            try instance.save(ObjectBatch([.insert(entity: "Shelf", name: "new", values: [:])]))
        }
        #expect(error?.message.contains("by process \(id) (coexist-soak)") == true, "\(error?.message ?? "")")
        let members = WriterQueue.members(at: StoreQueue.path(of: sample.path))
        #expect(members.map(\.processID) == [0])
        #expect(
            try Programs.ctl("doctor", sample.path).output.contains("process in another namespace, the legacy stack's"))
    }
}

/// A process namespace of a program's own.
private enum Namespace {
    static let unshare = Programs.find("unshare")
    static let arguments = ["--pid", "--fork", "--mount-proc", "--kill-child"]
    static let isPossible: Bool = {
        guard let unshare, let result = try? Programs.run(unshare, arguments + ["true"]) else { return false }
        return result.exitCode == 0
    }()
}
