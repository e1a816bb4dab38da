import Bridge
import Foundation
import StoreFormat

/// Migrates a store to another one's model, and kills itself at one of the points that it passes: what a power cut or
/// `kill -9` there would leave, tests look at.
enum InterruptedMigration {
    /// - Parameter arguments: the program, the store, the store whose model it gets, and at which point: 1 is the first.
    ///   Where there are fewer points, the migration goes through, and their number is printed.
    static func run(_ arguments: [String]) -> Int32 {
        guard arguments.count == 4, let last = Int(arguments[3]) else { return 2 }
        do {
            let migrator = StoreMigrator(arguments[1], to: try Store.open(arguments[2]).model)
            var points = 0
            _ = try StoreMigration.migrate(migrator, path: arguments[1], allowsDataLoss: true) { stage in
                points += 1
                if points == last {
                    FileHandle.standardOutput.write(Data("\(stage)\n".utf8))
                    kill(getpid(), SIGKILL)
                }
            }
            print(points)
            return 0
        } catch {
            print(error)
            return 1
        }
    }
}
