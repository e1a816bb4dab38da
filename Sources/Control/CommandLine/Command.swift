/// One command of `coexistctl`.
struct Command: Sendable {
    var name: String
    /// After the name: operands and options.
    var usage: String
    var summary: String
    var form: Arguments.Form
    var run: @Sendable (Arguments, Output) throws -> Int32

    init(
        _ name: String, _ usage: String, _ summary: String, flags: Set<String> = [], options: Set<String> = [],
        repeatable: Set<String> = [], operands: ClosedRange<Int> = 0...0,
        run: @escaping @Sendable (Arguments, Output) throws -> Int32
    ) {
        self.name = name
        self.usage = usage
        self.summary = summary
        form = Arguments.Form(
            flags: flags.union(["json", "help"]), options: options.union(repeatable), repeatable: repeatable,
            operands: operands)
        self.run = run
    }
}
