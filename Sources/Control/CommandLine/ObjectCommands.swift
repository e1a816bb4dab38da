import Foundation
import StoreFormat
import Varlink

extension DaemonCommands {
    static let objectCommands: [Command] = [
        command(
            "fetch", "ENTITY [--where PREDICATE] [--sort KEY[:desc],…] [--limit N] [--offset N] [--stack S] [--count]",
            "Objects by a predicate in NSPredicate's format", flags: ["count"],
            options: ["where", "sort", "limit", "offset", "stack"], operands: 1...1, run: fetch),
        command(
            "get", "OBJECT… [--stack S] [--fresh]", "Objects by Entity/12 or Core Data URI", flags: ["fresh"],
            options: ["stack"], operands: 1...10_000
        ) { arguments, output, client in
            var parameters: JSONObject = ["objects": .array(arguments.operands.map { .string($0) })]
            parameters["stack"] = try arguments.stack().map { .string($0.rawValue) }
            parameters["fresh"] = arguments.has("fresh") ? true : nil
            show(try client.call("Get", parameters)["objects"]?.arrayValue ?? [], output)
            return 0
        },
        command(
            "insert", "ENTITY key=value… [--stack S] [--author A]",
            "A new object; key:=JSON gives a JSON value, such as key:=null, and key:=@FILE a file's bytes",
            options: ["stack", "author"],
            operands: 1...10_000
        ) { arguments, output, client in
            var parameters = try writing(arguments)
            parameters["entity"] = .string(arguments.operands[0])
            parameters["values"] = .object(try values(arguments.operands.dropFirst()))
            showWritten(try client.call("Insert", parameters), output)
            return 0
        },
        command(
            "update", "OBJECT key=value… [--expect VERSION] [--stack S] [--author A]",
            "Sets properties of an object; key:=JSON gives a JSON value, key:=@FILE a file's bytes",
            options: ["stack", "author", "expect"],
            operands: 2...10_000
        ) { arguments, output, client in
            var parameters = try writing(arguments)
            parameters["object"] = .string(arguments.operands[0])
            parameters["values"] = .object(try values(arguments.operands.dropFirst()))
            parameters["expect"] = try arguments.number("expect").map { JSON($0) }
            showWritten(try client.call("Update", parameters), output)
            return 0
        },
        command(
            "delete", "OBJECT… [--stack S] [--author A]",
            "Deletes objects in one transaction, with what the delete rules say",
            options: ["stack", "author"], operands: 1...10_000
        ) { arguments, output, client in
            var parameters = try writing(arguments)
            parameters["objects"] = .array(arguments.operands.map { .string($0) })
            let reply = try client.call("Delete", parameters)
            if output.isJSON {
                output.json(.object(reply))
            } else {
                showDeleted(reply, output)
            }
            return 0
        },
    ]

    private static func writing(_ arguments: Arguments) throws -> JSONObject {
        var parameters: JSONObject = [:]
        parameters["stack"] = try arguments.stack().map { .string($0.rawValue) }
        parameters["author"] = arguments.value("author").map { .string($0) }
        return parameters
    }

    /// `key=value` as a text that the daemon reads by the property's type, `key:=JSON` as what it says, `key:=@FILE` as
    /// the file's bytes.
    private static func values(_ words: ArraySlice<String>) throws -> JSONObject {
        var values: JSONObject = [:]
        for word in words {
            guard let place = word.firstIndex(of: "="), place != word.startIndex else {
                throw CommandFailure.usage("\(word) is no key=value", "write key=value, or key:=JSON")
            }
            let key = word[..<place]
            let text = String(word[word.index(after: place)...])
            let name = String(key.last == ":" ? key.dropLast() : key)
            guard values[name] == nil else {
                throw CommandFailure.usage("\(name) is given twice", "give each key one value")
            }
            if key.last == ":", text.hasPrefix("@") {
                values[name] = try FileValue.json(String(text.dropFirst()), of: name)
            } else if key.last == ":" {
                do {
                    values[name] = try JSON(parsing: text)
                } catch {
                    throw CommandFailure.usage(
                        "the value of \(name) is no JSON: \(error)",
                        "write key:=JSON, such as key:=null, or key=TEXT")
                }
            } else {
                values[name] = .string(text)
            }
        }
        return values
    }

    private static func fetch(_ arguments: Arguments, _ output: Output, _ client: DaemonClient) throws -> Int32 {
        var parameters: JSONObject = ["entity": .string(arguments.operands[0])]
        parameters["where"] = arguments.value("where").map { .string($0) }
        parameters["stack"] = try arguments.stack().map { .string($0.rawValue) }
        parameters["limit"] = try arguments.number("limit").map { JSON($0) }
        parameters["offset"] = try arguments.number("offset").map { JSON($0) }
        if arguments.has("count") {
            let count = try client.call("Count", parameters)["count"] ?? 0
            if output.isJSON { output.json(count) } else { output.line(count.description) }
            return 0
        }
        let sort = arguments.values("sort").flatMap { $0.split(separator: ",") }.map { JSON.string(String($0)) }
        if !sort.isEmpty { parameters["sort"] = .array(sort) }
        var objects: [JSON] = []
        try client.stream("Fetch", parameters) { page in
            objects += page["objects"]?.arrayValue ?? []
            return true
        }
        show(objects, output)
        return 0
    }

    private static func show(_ objects: [JSON], _ output: Output) {
        if output.isJSON {
            output.json(.array(objects))
            return
        }
        for object in objects { ObjectText.print(object, output) }
        output.line(CountText.text(objects.count, "object"))
    }

    private static func showDeleted(_ reply: JSONObject, _ output: Output) {
        func list(_ key: String) -> String? {
            let counts = reply[key]?.objectValue ?? [:]
            return counts.isEmpty ? nil : counts.map { "\($1.description) \($0)" }.joined(separator: ", ")
        }
        if let deleted = list("deleted") { output.line("deleted: \(deleted)") }
        if let nullified = list("nullified") { output.line("let go of them: \(nullified)") }
        output.line(reply["token"]?.stringValue.map { "deleted in \($0)" } ?? "there was nothing to delete")
    }

    private static func showWritten(_ reply: JSONObject, _ output: Output) {
        let object = reply["object"] ?? .null
        if output.isJSON {
            output.json(object)
            return
        }
        ObjectText.print(object, output)
        output.line(reply["token"]?.stringValue.map { "saved as \($0)" } ?? "nothing changed, and nothing was saved")
    }
}
