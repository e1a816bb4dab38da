import Foundation
import StoreFormat

/// `coexist-soak`: processes of both stacks write one store while entities change hands and processes are killed; then
/// everything that must hold is checked.
enum Soak {
    static let usage = """
        usage: coexist-soak [--seconds N] [--turns N] [--workers N] [--folder FOLDER] [--calm] [--reader] [--fault FAULT] [--json]

          --seconds N      how long the workers write (60)
          --turns N        end earlier, when each worker has tried as many saves
          --workers N      how many processes write, of each stack in turn (8)
          --folder FOLDER  where to keep the store and the workers' logs; otherwise they go at the end if all is well
          --calm           kill and stop nobody
          --reader         have somebody stay in a read transaction all the time, with the log's maximum at 256 KiB
          --fault FAULT    have a worker do something wrong, which the end must find: \
        \(Fault.allCases.map(\.rawValue).joined(separator: ", "))
          --json           print the report as one JSON object
        """

    /// - Returns: 0 if everything held, 1 if something did not, 2 for wrong usage.
    static func run(_ arguments: [String]) -> Int32 {
        let words = Array(arguments.dropFirst())
        do {
            switch words.first {
            case "worker": try Worker(Array(words.dropFirst())).run()
            case "hold": try Holder.run(Array(words.dropFirst()))
            case "--help", "-h": print(usage)
            default:
                let options = try Options(words)
                let report = try Supervisor(options).run()
                print(try options.isJSON ? report.json() : report.text)
                return report.violations.isEmpty ? 0 : 1
            }
            return 0
        } catch let error as WrongUsage {
            FileHandle.standardError.write(Data("coexist-soak: \(error.message)\n\(usage)\n".utf8))
            return 2
        } catch {
            FileHandle.standardError.write(Data("coexist-soak: \(error)\n".utf8))
            return 1
        }
    }

    struct WrongUsage: Error {
        let message: String
    }

    /// What a worker can be told to do wrong.
    enum Fault: String, CaseIterable {
        /// Reports a save that it did not make.
        case lostUpdate = "lost-update"
        /// Adds 2 and reports 1.
        case doubleUpdate = "double-update"
        /// Saves under another worker's name.
        case wrongAuthor = "wrong-author"
        /// Writes with SQL, past ownership and history.
        case unowned = "unowned"
    }

    /// What the command line says.
    struct Options {
        var seconds = 60.0
        var turns: Int?
        var workers = 8
        var folder: String?
        var isCalm = false
        var hasReader = false
        var fault: Fault?
        var isJSON = false

        init(_ words: [String]) throws {
            var words = words[...]
            func value(_ name: String) throws -> String {
                guard let value = words.popFirst() else { throw WrongUsage(message: "\(name) needs a value") }
                return value
            }
            while let word = words.popFirst() {
                switch word {
                case "--seconds":
                    guard let number = Double(try value(word)), number > 0 else {
                        throw WrongUsage(message: "--seconds takes a number above 0")
                    }
                    seconds = number
                case "--turns":
                    guard let number = Int(try value(word)), number > 0 else {
                        throw WrongUsage(message: "--turns takes a number above 0")
                    }
                    turns = number
                case "--workers":
                    guard let number = Int(try value(word)), (1...64).contains(number) else {
                        throw WrongUsage(message: "--workers takes a number from 1 to 64")
                    }
                    workers = number
                case "--folder": folder = try value(word)
                case "--calm": isCalm = true
                case "--reader": hasReader = true
                case "--json": isJSON = true
                case "--fault":
                    let name = try value(word)
                    guard let known = Fault(rawValue: name) else {
                        throw WrongUsage(message: "there is no fault \(name)")
                    }
                    fault = known
                default: throw WrongUsage(message: "there is no option \(word)")
                }
            }
        }
    }
}
