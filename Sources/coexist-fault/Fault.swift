import Bridge
import Foundation
import StoreFormat

/// Does something to a store, and ends itself with SIGKILL at the moment that is named.
enum Fault {
    static func run(_ arguments: [String]) -> Int32 {
        do {
            if arguments.count == 3, let moment = HandoverMoment(rawValue: arguments[2]) {
                try FaultyHandover.run(arguments[1], until: moment)
            } else if arguments.count == 3, let moment = DeleteForwarding.Moment(rawValue: arguments[2]) {
                try FaultyDelete.run(arguments[1], until: moment)
            } else {
                FileHandle.standardError.write(Data("usage: coexist-fault STORE MOMENT\n".utf8))
                return 2
            }
            return 0
        } catch {
            FileHandle.standardError.write(Data("coexist-fault: \(error)\n".utf8))
            return 1
        }
    }
}
