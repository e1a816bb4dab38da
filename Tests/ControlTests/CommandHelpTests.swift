import TestKit
import Testing

@testable import Control

/// `coexistctl help COMMAND` and `COMMAND --help`.
@Suite struct CommandHelpTests {
    static let names = Set(CoexistCtl.commands.map(\.name)).sorted()

    @Test(arguments: names)
    func everyOptionIsExplainedWithItsDefault(name: String) throws {
        let result = try Programs.ctl("help", name)
        #expect(result.exitCode == 0)
        #expect(result.errors == "")
        #expect(try Programs.ctl(name, "--help").output == result.output)
        for command in CoexistCtl.commands where command.name == name {
            #expect(result.output.contains("usage: coexistctl \(name) \(command.usage)"))
            #expect(result.output.contains(command.summary))
            for option in command.form.flags.union(command.form.options) {
                let line = result.lines.first { $0.split(separator: " ").first == "--\(option)" }
                #expect(line?.contains("default: ") == true, "--\(option)")
                let help = try #require(OptionHelp.of(option, in: name), "--\(option)")
                #expect((help.value != nil) == command.form.options.contains(option), "--\(option)")
            }
        }
    }

    /// What the usage shows is what is taken.
    @Test(arguments: names)
    func theUsageNamesOptionsThatThereAre(name: String) {
        for command in CoexistCtl.commands where command.name == name {
            let known = command.form.flags.union(command.form.options)
            for word in command.usage.matches(of: /--([a-z-]+)/) {
                #expect(known.contains(String(word.1)), "\(word.0)")
            }
        }
    }

    @Test func noHelpIsLeftOverFromAnOptionThatIsGone() {
        for key in OptionHelp.table.keys {
            let words = key.split(separator: " ").map(String.init)
            let option = words.last ?? ""
            #expect(
                CoexistCtl.commands.contains { command in
                    (words.count == 1 || command.name == words[0])
                        && command.form.flags.union(command.form.options).contains(option)
                }, "\(key)")
        }
    }

    @Test func theDefaultOfAStackDependsOnTheCommand() throws {
        #expect(try Programs.ctl("help", "fetch").output.contains("default: legacy"))
        #expect(try Programs.ctl("help", "update").output.contains("default: the entity's owner"))
        #expect(try Programs.ctl("help", "replay").output.contains("default: both"))
    }

    @Test func anUnknownCommandIsNamedWithTheNearest() throws {
        let result = try Programs.ctl("help", "fetsch")
        #expect(result.exitCode == 2)
        #expect(result.errors.contains("no command fetsch") && result.errors.contains("fetch"))
        #expect(try Programs.ctl("help").exitCode == 0)
        #expect(try Programs.ctl("--help").output == Programs.ctl("help").output)
    }

    @Test(
        arguments: [
            (0, "0 s"), (0.9, "0 s"), (59.99, "59 s"), (60, "1 min"), (185, "3 min 5 s"), (7_800, "2 h 10 min"),
            (3_605, "1 h"), (356_400, "4 d 3 h"), (-5, "0 s"), (86_400, "1 d"),
        ] as [(Double, String)])
    func aSpanOfTimeHasAtMostTwoUnits(seconds: Double, text: String) {
        // A unit that is zero is left out.
        let shown = DurationText.text(seconds)
        #expect(shown == text)
    }
}
