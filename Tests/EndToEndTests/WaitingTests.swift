import Foundation
import LegacyStack
import SQLite
import StoreFormat
import TestKit
import Testing

/// The queue of writers, when a process in it is killed or stopped.
@Suite
struct WaitingTests {
    private let folder: TemporaryFolder
    private let path: String
    private var queue: String { StoreQueue.path(of: path) }

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("store.sqlite")
        try StoreCreator.create(path, model: SampleModels.library)
    }

    /// A process that begins a save, and stays in it until it is let go.
    private final class Writer {
        let process = Process()
        private let input = Pipe()
        private let output = Pipe()
        private var text = ""
        var id: Int32 { process.processIdentifier }

        init(_ path: String) throws {
            process.executableURL = URL(fileURLWithPath: Programs.folder + "/coexist-soak")
            process.arguments = ["hold", path, "legacy"]
            process.standardInput = input
            process.standardOutput = output
            try process.run()
        }

        deinit {
            kill(id, SIGKILL)
            process.waitUntilExit()
        }

        /// Waits until the process says so: that it has begun its save, or has ended it.
        func says(_ word: String) -> Bool {
            while !text.contains(word) {
                let more = output.fileHandleForReading.availableData
                if more.isEmpty { return false }
                text += String(decoding: more, as: UTF8.self)
            }
            return true
        }

        func letGo() {
            try? input.fileHandleForWriting.close()
        }

        func signal(_ number: Int32) {
            kill(id, number)
        }
    }

    /// Starts writers one after the other: the first is in its save, the others wait in their order.
    private func writers(_ count: Int) throws -> [Writer] {
        try (0..<count).map { place in
            let writer = try Writer(path)
            #expect(eventually { WriterQueue.members(at: queue).contains { $0.processID == writer.id } })
            if place == 0 { #expect(writer.says("held")) }
            return writer
        }
    }

    @Test("a waiter that is killed is not waited for")
    func killedWaiter() throws {
        let all = try writers(3)
        all[1].signal(SIGKILL)
        all[0].letGo()
        #expect(all[2].says("held"))
        all[2].letGo()
        #expect(all[2].says("done"))
    }

    @Test("a holder that is killed gives the lock to the next")
    func killedHolder() throws {
        let all = try writers(3)
        all[0].signal(SIGKILL)
        #expect(all[1].says("held"))
        all[1].letGo()
        #expect(all[2].says("held"))
    }

    @Test("a waiter that is stopped is passed by, and has its turn when it goes on")
    func stoppedWaiter() throws {
        let all = try writers(4)
        all[1].signal(SIGSTOP)
        #expect(eventually { ProcessState(all[1].id)?.isStopped == true })
        all[0].letGo()
        for writer in all[2...] { writer.letGo() }
        for writer in all[2...] { #expect(writer.says("done")) }
        // Those who come later do not wait for it either.
        let late = try LegacyInstance(path: path)
        _ = try late.save(ObjectBatch([.insert(entity: "Shelf", name: "new", values: [:])]))
        all[1].signal(SIGCONT)
        #expect(all[1].says("held"))
        all[1].letGo()
        #expect(all[1].says("done"))
    }

    @Test("one that is stopped inside its save makes the others Busy, and they say who it is, until it ends")
    func stoppedHolder() throws {
        let holder = try writers(1)[0]
        holder.signal(SIGSTOP)
        #expect(eventually { ProcessState(holder.id)?.isStopped == true })
        var options = LegacyInstance.Options()
        options.busyTimeout = 50
        let instance = try LegacyInstance(path: path, options: options)
        let batch = ObjectBatch([.insert(entity: "Shelf", name: "new", values: [:])])
        let error = #expect(throws: StoreError.self) { try instance.save(batch) }
        #expect(error?.code == .busy)
        #expect(error?.message.contains("process \(holder.id) (coexist-soak), the legacy stack's instance ") == true)
        #expect(error?.message.contains(", which is stopped, since ") == true)
        holder.signal(SIGKILL)
        #expect(eventually { (try? instance.save(batch)) != nil })
    }
}
