import StoreFormat

/// A command's options and operands, taken apart by what the command allows.
struct Arguments {
    /// What a command takes.
    struct Form: Sendable {
        /// Options without a value, as `--json`.
        var flags: Set<String> = []
        /// Options with a value, as `--model FILE`.
        var options: Set<String> = []
        /// Those of them that may be given several times.
        var repeatable: Set<String> = []
        /// How many operands.
        var operands: ClosedRange<Int> = 0...0
    }

    private(set) var operands: [String] = []
    private var flags: Set<String> = []
    private var options: [String: [String]] = [:]

    /// - Throws: `CommandFailure` of wrong usage, with the nearest option.
    init(_ words: [String], form: Form, usage: String) throws {
        var words = words[...]
        var isOperandsOnly = false
        while let word = words.popFirst() {
            guard word.hasPrefix("--"), !isOperandsOnly else {
                operands.append(word)
                continue
            }
            if word == "--" {
                isOperandsOnly = true
                continue
            }
            let parts = word.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(
                String.init)
            let name = parts[0]
            if form.flags.contains(name) {
                guard parts.count == 1 else {
                    throw CommandFailure.usage("--\(name) takes no value", "usage: \(usage)")
                }
                flags.insert(name)
            } else if form.options.contains(name) {
                guard let value = parts.count == 2 ? parts[1] : words.popFirst() else {
                    throw CommandFailure.usage("--\(name) needs a value", "usage: \(usage)")
                }
                if let first = options[name]?.first, !form.repeatable.contains(name) {
                    throw CommandFailure.usage("--\(name) is given twice: \(first) and \(value)", "give it once")
                }
                options[name, default: []].append(value)
            } else {
                let nearest = NearestName.of(name, among: Array(form.flags.union(form.options)))
                throw CommandFailure.usage(
                    "there is no option --\(name)", nearest.map { "did you mean --\($0)?" } ?? "usage: \(usage)")
            }
        }
        guard operands.count >= form.operands.lowerBound else {
            let missing = Self.operand(operands.count, in: usage) ?? "something"
            throw CommandFailure.usage(
                operands.isEmpty
                    ? "nothing is named: \(missing) is missing"
                    : "\(missing) is missing behind \(operands.joined(separator: " "))",
                "usage: \(usage)")
        }
        if operands.count > form.operands.upperBound {
            throw CommandFailure.usage(
                "\"\(operands[form.operands.upperBound])\" is more than the command takes", "usage: \(usage)")
        }
    }

    /// What the usage calls an operand: those stand first, behind the names of program and command.
    private static func operand(_ index: Int, in usage: String) -> String? {
        let words = usage.split(separator: " ").dropFirst(2).prefix { !$0.hasPrefix("[") && !$0.hasPrefix("-") }
        return words.count > index ? String(words[words.startIndex + index]) : nil
    }

    func has(_ flag: String) -> Bool { flags.contains(flag) }
    func value(_ option: String) -> String? { options[option]?.first }
    func values(_ option: String) -> [String] { options[option] ?? [] }

    /// - Throws: `CommandFailure` if the option is there and names no stack.
    func stack(_ option: String = "stack") throws -> StackName? {
        guard let name = value(option) else { return nil }
        guard let stack = StackName(rawValue: name) else {
            let choice =
                StackName.named(name).map { "--\(option) \($0.rawValue) for \(name)" }
                ?? "--\(option) legacy or --\(option) model"
            throw CommandFailure.usage("there is no stack \"\(name)\"", "give \(choice): \(OptionHelp.stacks)")
        }
        return stack
    }

    /// A history token or a date; only whether it is written as one is looked at.
    /// - Throws: `CommandFailure` if the option is there and is neither.
    func tokenOrDate(_ option: String) throws -> String? {
        guard let text = value(option) else { return nil }
        guard HistoryToken.isWritten(text) || DateText.date(text) != nil else {
            throw CommandFailure.usage(
                "--\(option) takes a history token or a date, not \"\(text)\"",
                "write a date in ISO 8601, 2026-02-03 or 2026-02-03T18:30:00Z, or a token as `coexistctl history` prints it"
            )
        }
        return text
    }

    /// - Throws: `CommandFailure` if the option is there and no number from 0.
    func number(_ option: String) throws -> Int? {
        guard let text = value(option) else { return nil }
        guard let number = Int(text), number >= 0 else {
            throw CommandFailure.usage(
                "--\(option) takes a whole number from 0 to \(Int.max), not \"\(text)\"", "give a number")
        }
        return number
    }
}
