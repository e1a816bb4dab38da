import Bridge
import Foundation
import LegacyStack
import StoreFormat

/// A handover of `Tag` to the model stack whose process ends itself with SIGKILL at a moment: for tests of what is left.
///
/// Before the handover the bridge inserts a tag `before`, and when the preflight has passed another program's stack
/// inserts `during`. Each is printed when it is committed.
enum FaultyHandover {
    static func run(_ path: String, until moment: HandoverMoment) throws {
        let other = try LegacyInstance(path: path)
        var options = BridgeOptions()
        options.handoverProbe = { now in
            if now == .preflightPassed { try? insert("during", other) }
            if now == moment { kill(getpid(), SIGKILL) }
        }
        let bridge = try StoreBridge(path: path, options: options)
        try insert("before", bridge.legacy)
        // The other instance was opened before the adoption: it has to have seen the register.
        try other.replay()
        _ = try bridge.handover("Tag", to: .model)
        bridge.close()
    }

    private static func insert(_ name: String, _ instance: any StackInstance) throws {
        _ = try instance.save(
            ObjectBatch([.insert(entity: "Tag", name: "new", values: ["name": .attribute(.string(name))])]))
        FileHandle.standardOutput.write(Data("\(name)\n".utf8))
    }
}
