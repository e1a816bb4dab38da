/// What an option of a command does, for its help.
struct OptionHelp: Sendable {
    /// What stands for its value; nil for an option without one.
    var value: String?
    var meaning: String
    /// What holds without it.
    var standard: String

    init(_ value: String?, _ meaning: String, else standard: String) {
        self.value = value
        self.meaning = meaning
        self.standard = standard
    }

    /// An option of a command: as it is there, else as it is everywhere.
    static func of(_ option: String, in command: String) -> OptionHelp? {
        table["\(command) \(option)"] ?? table[option]
    }

    /// What the two names stand for.
    static let stacks = "legacy has Core Data's API (managed objects), model SwiftData's (@Model classes)"

    private static let writer = OptionHelp(
        "legacy|model", "the stack that writes: \(stacks)", else: "the entity's owner")
    private static let reader = OptionHelp("legacy|model", "the stack that reads: \(stacks)", else: "legacy")

    /// By name, or by command and name.
    static let table: [String: OptionHelp] = [
        "json": .init(nil, "prints JSON, for scripts", else: "text, for people"),
        "dump json": .init(nil, "changes nothing: a dump is JSON lines either way", else: "JSON lines"),
        "help": .init(nil, "prints this help, and does nothing else", else: "off"),
        "socket": .init(
            "PATH", "the daemon's control socket", else: "$COEXIST_SOCKET, else \(Configuration.defaultSocket)"),
        "model": .init("MODEL", "the model to read the store by", else: "the one inside the store"),
        "create model": .init("MODEL", "the model of the new store", else: "none: it must be given"),
        "dump stack": reader, "fetch stack": reader, "get stack": reader,
        "insert stack": writer, "update stack": writer, "delete stack": writer,
        "replay stack": .init("legacy|model", "the stack to replay into: \(stacks)", else: "both"),
        "dump entity": .init("ENTITY", "only objects of this entity; may be given several times", else: "all entities"),
        "history entity": .init("ENTITY", "only transactions that changed objects of it", else: "all"),
        "author": .init("AUTHOR", "the author of the history transaction", else: "none"),
        "history author": .init("AUTHOR", "only transactions of this author", else: "all"),
        "expect": .init("VERSION", "refuses the change if the object has another version", else: "any version"),
        "where": .init("PREDICATE", "only objects that it finds, in NSPredicate's format", else: "all"),
        "sort": .init("KEY[:desc],…", "the order; further keys decide between equals", else: "by key"),
        "limit": .init("N", "at most so many", else: "no limit"),
        "offset": .init("N", "leaves out so many at the beginning", else: "0"),
        "count": .init(nil, "prints only how many there are", else: "off"),
        "fresh": .init(nil, "reads past the cache", else: "off"),
        "after": .init("TOKEN", "only transactions after it", else: "from the oldest on"),
        "last": .init("N", "only the newest so many", else: "all"),
        "follow": .init(nil, "goes on with new transactions as they come", else: "off"),
        "before": .init(
            "TOKEN|DATE", "purges what comes before it; a date is written 2026-02-03 or 2026-02-03T18:30:00Z",
            else: "what every durable reader acknowledged"),
        "dry-run": .init(nil, "says what would be done, and changes nothing", else: "off"),
        "stop wait": .init(nil, "returns when the daemon has given the store's lock back", else: "returns at once"),
        "wait": .init("TOKEN", "returns when the stacks are there", else: "replays what there is now"),
        "consumers from": .init("TOKEN", "where the reader begins", else: "the newest transaction"),
        "handover to": .init("legacy|model", "the new owner: \(stacks)", else: "none: it or --back must be given"),
        "owner": .init("legacy|model", "who owns everything at first: \(stacks)", else: "legacy"),
        "back": .init(nil, "to the previous owner", else: "off"),
        "reason": .init("TEXT", "why, for the record", else: "none"),
        "sample": .init("N", "compares only so many objects, chosen at random", else: "all"),
        "since": .init("BACKUP", "compares the rows with this backup as well", else: "history alone"),
        "pages": .init(nil, "checks the pages of a store of any size", else: "those of a store up to 256 MiB"),
        "repair": .init(nil, "mends counters and indexes first", else: "off"),
        "keep-history": .init(nil, "leaves the history that adoption began", else: "off"),
        "migrate to": .init("MODEL", "the model to migrate to", else: "none: it must be given"),
        "allow-data-loss": .init(nil, "drops values that have no place in the new model", else: "off"),
    ]
}

extension Command {
    /// Prints usage, summary, and every option with its default.
    func printHelp(_ output: Output) {
        output.line("usage: coexistctl \(name) \(usage)")
        output.line(summary + ".")
        output.line()
        let options = form.flags.union(form.options).sorted().compactMap { option in
            OptionHelp.of(option, in: name).map { help in
                ["  --\(option)\(help.value.map { " \($0)" } ?? "")", help.meaning, "default: \(help.standard)"]
            }
        }
        output.table([["options", "", ""]] + options)
    }
}
