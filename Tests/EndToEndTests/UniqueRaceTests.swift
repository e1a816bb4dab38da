import Bridge
import Foundation
import LegacyStack
import ModelStack
import SQLite
import StoreFormat
import Synchronization
import TestKit
import Testing
import Varlink

/// Two processes insert objects with a unique attribute at the same time, half of the values in both: a daemon, for a client,
/// and an instance in this process. A third writer is of the stack that does not own the entity.
@Suite struct UniqueRaceTests {
    private static let count = 1_000

    /// What one writer was told of each name.
    private struct Outcome: Sendable {
        var inserted: Set<String> = []
        /// The object that had the name already, and who owned it at which epoch, by name.
        var refused: [String: Holder] = [:]
        var other: [String] = []
    }

    private struct Holder: Sendable, Hashable {
        var object: String
        var owner: String?
        var epoch: Int64?
    }

    /// The names in the order in which a writer inserts them: its own and the common ones in turns, the latter from either end,
    /// so that each writer comes first at some.
    private static func names(_ own: String, backwards: Bool) -> [String] {
        (0..<count / 2).flatMap { ["\(own) \($0)", "common \(backwards ? count / 2 - 1 - $0 : $0)"] }
    }

    private static func daemon(_ socket: String) -> Outcome {
        var outcome = Outcome()
        guard let client = try? Client(socket) else { return outcome }
        for name in names("daemon", backwards: false) {
            do {
                _ = try client.call(
                    "org.coexistd.Control.Insert", ["entity": "Tag", "values": ["name": .string(name)]])
                outcome.inserted.insert(name)
            } catch {
                guard case .remote("org.coexistd.Control.UniqueConflict", let parameters) = error,
                    let holder = parameters["objects"]?.arrayValue?.last
                else {
                    outcome.other.append("\(error)")
                    continue
                }
                outcome.refused[name] = Holder(
                    object: holder["object"]?.stringValue ?? "",
                    owner: holder["owner"]?.stringValue, epoch: holder["epoch"]?.int64Value)
            }
        }
        return outcome
    }

    private static func embedded(_ instance: LegacyInstance) -> Outcome {
        var outcome = Outcome()
        for name in names("embedded", backwards: true) {
            do {
                _ = try instance.save(
                    ObjectBatch([.insert(entity: "Tag", name: "n", values: ["name": .attribute(.string(name))])]))
                outcome.inserted.insert(name)
            } catch let error as StoreError where error.code == .uniqueConflict && error.objects.count == 2 {
                let holder = error.objects[1]
                outcome.refused[name] = Holder(
                    object: "\(holder.object)", owner: holder.owner?.rawValue, epoch: holder.epoch)
            } catch {
                outcome.other.append("\(error)")
            }
        }
        return outcome
    }

    @Test func everyCollisionIsOneConflictThatNamesTheOther() throws {
        let sample = try SampleStore()
        let daemon = try RunningDaemon(store: sample.path, folder: sample.folder)
        let socket = daemon.socket
        let instance = try LegacyInstance(path: sample.path)
        let stranger = try ModelInstance(path: sample.path)
        let results = Mutex<(Outcome, Outcome, tries: Int, refusals: Int)>((Outcome(), Outcome(), 0, 0))
        let isDone = Mutex(false)
        let ended = DispatchSemaphore(value: 0)
        let third = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            let outcome = Self.daemon(socket)
            results.withLock { $0.0 = outcome }
            ended.signal()
        }
        Thread.detachNewThread {
            let outcome = Self.embedded(instance)
            results.withLock { $0.1 = outcome }
            ended.signal()
        }
        Thread.detachNewThread {
            var (tries, refusals) = (0, 0)
            while !isDone.withLock({ $0 }) {
                tries += 1
                do {
                    _ = try stranger.save(
                        ObjectBatch([
                            .insert(entity: "Tag", name: "n", values: ["name": .attribute(.string("common \(tries)"))])
                        ]))
                } catch let error as StoreError where error.code == .ownershipViolation {
                    refusals += 1
                } catch {}
            }
            results.withLock { ($0.tries, $0.refusals) = (tries, refusals) }
            third.signal()
        }
        ended.wait()
        ended.wait()
        isDone.withLock { $0 = true }
        third.wait()
        instance.close()
        stranger.close()
        let (a, b, tries, refusals) = results.withLock { $0 }

        #expect(a.other == [] && b.other == [])
        #expect(tries > 0 && refusals == tries)
        // Each own name is there; of each common one, one of the two has it, and the other was told so.
        for (outcome, own) in [(a, "daemon"), (b, "embedded")] {
            #expect(outcome.inserted.count + outcome.refused.count == Self.count)
            #expect(outcome.inserted.count { $0.hasPrefix(own) } == Self.count / 2)
        }
        let common = Set((0..<Self.count / 2).map { "common \($0)" })
        #expect(a.inserted.intersection(b.inserted).isEmpty)
        #expect(a.inserted.union(b.inserted).count == Self.count * 3 / 2)
        #expect(Set(a.refused.keys) == common.intersection(b.inserted))
        #expect(Set(b.refused.keys) == common.intersection(a.inserted))
        #expect(!a.refused.isEmpty && !b.refused.isEmpty, "both came first at some")

        #expect(daemon.stop() == 0)
        let rows = try Connection(path: sample.path, mode: .readOnly).query("SELECT ZNAME, Z_PK FROM ZTAG")
        #expect(rows.count == Self.count * 3 / 2)
        let keys = Dictionary(
            rows.map { ($0[0].textValue ?? "", $0[1].integerValue ?? 0) }, uniquingKeysWith: { first, _ in first })
        #expect(Set(keys.keys) == a.inserted.union(b.inserted))
        let wrong = a.refused.merging(b.refused, uniquingKeysWith: { first, _ in first }).filter { name, holder in
            holder != Holder(object: "Tag/\(keys[name] ?? 0)", owner: "legacy", epoch: 1)
        }
        #expect(wrong == [:])
        let report = try Audit.run(Store.open(sample.path))
        #expect(report.violations == [] && report.transactions == rows.count && report.changes == rows.count)
        #expect(try Programs.ctl("verify", sample.path).exitCode == 0)
    }
}
