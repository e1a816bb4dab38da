import Foundation
import StoreFormat
import Varlink

/// The program `coexistctl`.
public enum CoexistCtl {
    static let commands: [Command] = StoreCommands.all + RecoveryCommands.all + DaemonCommands.all

    /// Runs a command.
    /// - Parameter arguments: as the process got them, the program's name first.
    /// - Returns: the exit code.
    public static func run(_ arguments: [String]) -> Int32 {
        signal(SIGPIPE, SIG_DFL)
        let words = Array(arguments.dropFirst())
        let output = Output(isJSON: words.contains("--json"))
        defer { output.flush() }
        do {
            return try run(words, output)
        } catch {
            let failure = CommandFailure(error)
            output.fail(failure, program: "coexistctl")
            return failure.exitCode
        }
    }

    private static func run(_ words: [String], _ output: Output) throws -> Int32 {
        guard let place = commandPlace(words) else {
            if words.contains("--version") { return version(output) }
            help(output)
            return words.contains("--help") || words.contains("-h") ? 0 : 2
        }
        let name = words[place]
        var rest = words
        rest.remove(at: place)
        switch name {
        case "help":
            guard let topic = rest.first(where: { !$0.hasPrefix("-") }) else {
                help(output)
                return 0
            }
            for command in try named(topic) { command.printHelp(output) }
            return 0
        case "version": return version(output)
        default: break
        }
        let given = try named(name)
        if rest.contains("--help") || rest == ["-h"] {
            for command in given { command.printHelp(output) }
            return 0
        }
        try refuseStore(rest, of: given)
        // A name can stand for a command on a store and one on the daemon: the operands tell.
        var failure: (any Error)?
        for command in given {
            let usage = ["coexistctl", command.name, command.usage].filter { !$0.isEmpty }.joined(separator: " ")
            let arguments: Arguments
            do {
                arguments = try Arguments(rest, form: command.form, usage: usage)
            } catch {
                failure = failure ?? error
                continue
            }
            return try command.run(arguments, output)
        }
        // One form's usage would hide the others.
        if given.count > 1, var usage = failure as? CommandFailure, usage.way.hasPrefix("usage: ") {
            usage.way =
                "usage: "
                + given.map { "coexistctl \($0.name) \($0.usage)".trimmingCharacters(in: .whitespaces) }
                .joined(separator: ", or ")
            throw usage
        }
        throw failure ?? CommandFailure.usage("\(name) cannot be run so", "`coexistctl help` lists the commands")
    }

    /// Refuses a store that is given to a command which asks a daemon: that no daemon is there would be no answer.
    private static func refuseStore(_ words: [String], of commands: [Command]) throws {
        let onStores = Set((StoreCommands.all + RecoveryCommands.all).map(\.name))
        guard let name = commands.first?.name, !onStores.contains(name) else { return }
        // A name of the model has none of these signs.
        let store = words.first { word in
            !word.hasPrefix("-") && !word.contains("=") && (word.contains("/") || word.contains("."))
                && StoreProbe.startsAsDatabase(word)
        }
        guard let store else { return }
        throw CommandFailure.usage(
            "`\(name)` asks a running daemon, and takes no store; \(store) is one",
            "read it by `coexistctl dump` or `inspect`, or serve it without changing it: "
                + "coexistd --config FILE, with \"store\" and \"history\": {\"tracking\": \"off\"} in FILE")
    }

    /// Where the command's name stands: options may be before it.
    private static func commandPlace(_ words: [String]) -> Int? {
        var place = 0
        while place < words.count, words[place].hasPrefix("-") { place += words[place] == "--socket" ? 2 : 1 }
        return place < words.count ? place : nil
    }

    private static func named(_ name: String) throws -> [Command] {
        let given = commands.filter { $0.name == name }
        guard given.isEmpty else { return given }
        let nearest = NearestName.of(name, among: commands.map(\.name))
        throw CommandFailure.usage(
            name.isEmpty ? "the command's name is empty" : "there is no command \(name)",
            nearest.map { "did you mean \($0)?" } ?? "`coexistctl help` lists the commands")
    }

    private static func version(_ output: Output) -> Int32 {
        output.line("coexistctl \(CoexistVersion.text)")
        return 0
    }

    private static func help(_ output: Output) {
        output.line("usage: coexistctl COMMAND … [--json]")
        for (title, commands) in [
            ("on a store, without a daemon", StoreCommands.all + RecoveryCommands.all),
            ("on the running daemon", DaemonCommands.all),
        ] {
            output.line()
            output.line("\(title):")
            for command in commands {
                output.line("  \(command.name) \(command.usage)")
                output.line("      \(command.summary)")
            }
        }
        output.line()
        output.line("`coexistctl help COMMAND` tells a command's options and their defaults.")
        output.line("Stacks: \(OptionHelp.stacks).")
        output.line("The daemon's socket: --socket PATH, else COEXIST_SOCKET, else \(Configuration.defaultSocket).")
        output.line("Exit codes: 0 done, 1 refused or found something wrong, 2 wrong usage, 3 no daemon,")
        output.line("4 store cannot be opened, 5 access denied.")
    }
}
