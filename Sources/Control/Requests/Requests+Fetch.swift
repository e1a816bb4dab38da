import Foundation
import StoreFormat
import StoreModel
import Varlink

extension Requests {
    /// How many objects one reply carries at most.
    static let page = 500
    /// At about how many bytes of JSON a reply carries no more objects.
    static let pageBytes = 256 << 10
    /// About how many bytes of JSON one reply may have that carries everything.
    static let wholeBytes = 16 << 20
    /// How many objects are read in one snapshot.
    private static let chunk = 50

    /// What a fetch finds, in pages. Which objects, and in what order, is settled by the first page; each is read when its
    /// page is made, and one that was deleted meanwhile is left out: so a fetch holds neither memory nor the log while its
    /// client takes its time.
    func fetchPages(_ parameters: JSONObject) throws -> PacedReplies.Batch {
        let instance = bridge.instance(try stack(parameters["stack"]) ?? .legacy)
        return try page(of: instance.references(matching: try query(parameters))[...], instance)
    }

    private func page(
        of references: ArraySlice<ObjectReference>, _ instance: any StackInstance
    ) throws -> PacedReplies.Batch {
        let (objects, _, rest) = try objects(of: references, instance, count: Self.page, bytes: Self.pageBytes)
        var batch = PacedReplies.Batch(replies: [["objects": .array(objects)]])
        if !rest.isEmpty { batch.next = { try self.page(of: rest, instance) } }
        return batch
    }

    /// What a fetch finds, in one reply.
    /// - Throws: `StoreError` `TooLarge` where that would be more than a client can be expected to take at once.
    func fetch(_ parameters: JSONObject) throws -> JSONObject {
        let instance = bridge.instance(try stack(parameters["stack"]) ?? .legacy)
        let found = try instance.references(matching: try query(parameters))
        let (objects, bytes, _) = try objects(of: found[...], instance, count: .max, bytes: Self.wholeBytes)
        guard bytes < Self.wholeBytes else {
            throw StoreError(
                .tooLarge,
                "\(found.count) objects are more than the \(Self.wholeBytes >> 20) MiB that one reply may have",
                way: "call with more to get them in pages, or with limit and offset")
        }
        return ["objects": .array(objects)]
    }

    private func objects(
        of references: ArraySlice<ObjectReference>, _ instance: any StackInstance, count: Int, bytes: Int
    ) throws -> (objects: [JSON], bytes: Int, rest: ArraySlice<ObjectReference>) {
        var objects: [JSON] = []
        var size = 0
        var rest = references
        while !rest.isEmpty, objects.count < count, size < bytes {
            let some = rest.prefix(min(Self.chunk, count - objects.count))
            for record in try instance.objects(some) {
                let object = json.object(record)
                size += object.roughSize
                objects.append(object)
            }
            rest = rest.dropFirst(some.count)
        }
        return (objects, size, rest)
    }
}

extension JSON {
    /// About how many bytes the value is as text.
    var roughSize: Int {
        switch self {
        case .string(let text): text.utf8.count + 3
        case .array(let elements): elements.reduce(2) { $0 + $1.roughSize }
        case .object(let object): object.reduce(2) { $0 + $1.key.utf8.count + 4 + $1.value.roughSize }
        default: 8
        }
    }
}
