import Foundation
import FuzzTargets

/// Feeds bytes to the targets: files and changed copies of them, or what libFuzzer makes up.
enum FuzzCommand {
    private static let usage = """
        usage: coexist-fuzz list                              every target, and what it reads
               coexist-fuzz seeds FOLDER                      writes the seeds of each target into FOLDER/TARGET
               coexist-fuzz check TARGET MUTATIONS PATH…      reads each file, and so many changed copies of it
               coexist-fuzz run TARGET [OPTION|FOLDER]…       libFuzzer with its own options: `make fuzz`
        """

    static func run(_ words: [String]) -> Int32 {
        defer { FuzzTarget.clear() }
        do {
            switch (words.first, words.count) {
            case ("list", 1):
                for target in FuzzTarget.all { print("\(target.name)\t\(target.purpose)") }
            case ("seeds", 2): try Seeds.write(to: words[1])
            case ("check", 4...):
                guard let target = FuzzTarget.named(words[1]), let count = Int(words[2]) else { return wrong() }
                return try Check.run(target, paths: Array(words[3...]), mutations: count)
            case ("run", 2...):
                guard let target = FuzzTarget.named(words[1]) else { return wrong() }
                return Fuzzer.run(target, Array(words[2...]))
            default: return wrong()
            }
            return 0
        } catch {
            complain("coexist-fuzz: \(error)")
            return 1
        }
    }

    private static func wrong() -> Int32 {
        complain(usage)
        return 2
    }

    static func complain(_ text: String) {
        FileHandle.standardError.write(Data((text + "\n").utf8))
    }
}
