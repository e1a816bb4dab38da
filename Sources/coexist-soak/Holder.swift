import Foundation
import SQLite
import StoreFormat

/// Processes that misbehave, for tests: one that stays inside a save, and one that writes past everything.
enum Holder {
    /// Begins a save of the stack, says `held` with the instance's name, and stays in it until standard input ends.
    /// - Parameter arguments: the store, and the stack; with `waiting`, it says `waiting` before it begins.
    static func run(_ arguments: [String]) throws {
        guard arguments.count >= 2, let stack = StackName(rawValue: arguments[1]) else {
            throw Soak.WrongUsage(message: "hold STORE legacy|model")
        }
        let writer = try StoreWriter(store: Store.open(arguments[0]), busyTimeout: 60_000)
        let name = UUID().uuidString
        say("waiting \(name)")
        _ = try writer.save(SaveAuthority(stack: stack, instanceName: name, epochs: [:]), TransactionIdentity()) { _ in
            say("held \(name)")
            while readLine() != nil {}
        }
        say("done \(name)")
    }

    private static func say(_ text: String) {
        FileHandle.standardOutput.write(Data((text + "\n").utf8))
    }

    /// Changes a counter with a connection that the guard does not keep out, without ownership or history.
    static func writePastEverything(_ store: String, _ entity: String, _ counter: Int64) throws {
        let connection = try StoreConnector.connect(store, .writer(.normal), busyTimeout: 10_000)
        try connection.transaction(.immediate) {
            try connection.run(
                "UPDATE \("Z\(entity.uppercased())".sqlIdentifier) SET ZVALUE = ZVALUE + 1, Z_OPT = Z_OPT + 1 WHERE Z_PK = ?",
                [.integer(counter)])
        }
    }
}
