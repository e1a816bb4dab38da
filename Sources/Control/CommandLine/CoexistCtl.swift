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
        guard let name = words.first(where: { !$0.hasPrefix("-") }) ?? words.first else {
            help(output)
            return 2
        }
        switch name {
        case "--help", "-h", "help":
            help(output)
            return 0
        case "--version", "version":
            output.line("coexistctl \(CoexistVersion.text)")
            return 0
        default: break
        }
        let given = commands.filter { $0.name == name }
        guard !given.isEmpty else {
            let nearest = NearestName.of(name, among: commands.map(\.name))
            throw CommandFailure.usage(
                "there is no command \(name)",
                nearest.map { "did you mean \($0)?" } ?? "`coexistctl help` lists the commands")
        }
        var rest = words
        if let place = rest.firstIndex(of: name) { rest.remove(at: place) }
        if rest.contains("--help") {
            for command in given {
                output.line("usage: coexistctl \(command.name) \(command.usage)\n\(command.summary)")
            }
            return 0
        }
        // A name can stand for a command on a store and one on the daemon: the operands tell.
        var failure: (any Error)?
        for command in given {
            let usage = "coexistctl \(command.name) \(command.usage)"
            let arguments: Arguments
            do {
                arguments = try Arguments(rest, form: command.form, usage: usage)
            } catch {
                failure = failure ?? error
                continue
            }
            return try command.run(arguments, output)
        }
        throw failure ?? CommandFailure.usage("\(name) cannot be run so", "`coexistctl help` lists the commands")
    }

    private static func help(_ output: Output) {
        output.line("usage: coexistctl COMMAND … [--json]")
        for (title, commands) in [
            ("on a store, without a daemon", StoreCommands.all + RecoveryCommands.all),
            ("on the running daemon", DaemonCommands.all),
        ] {
            output.line("\n\(title):")
            output.table([["", ""]] + commands.map { ["  \($0.name) \($0.usage)", $0.summary] })
        }
        output.line("\nThe daemon's socket: --socket PATH, else COEXIST_SOCKET, else \(Configuration.defaultSocket).")
        output.line(
            "Exit codes: 0 done, 1 refused or found something wrong, 2 wrong usage, 3 no daemon, 4 store cannot be opened, 5 access denied."
        )
    }
}
