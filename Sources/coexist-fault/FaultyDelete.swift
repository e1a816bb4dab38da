import Bridge
import Foundation
import StoreFormat

/// A delete by the legacy stack that is forwarded to the model stack, which owns `Book`, and whose process ends itself with
/// SIGKILL at a moment: for tests of what is left.
///
/// Before it the author and the book that the cascade reaches are inserted.
enum FaultyDelete {
    static func run(_ path: String, until moment: DeleteForwarding.Moment) throws {
        var options = BridgeOptions()
        options.seed = OwnershipSeed(entities: ["Book": .model])
        options.forwardsDeletes = true
        options.forwardProbe = { if $0 == moment { kill(getpid(), SIGKILL) } }
        let bridge = try StoreBridge(path: path, options: options)
        let author = try bridge.legacy.save(
            ObjectBatch([.insert(entity: "Author", name: "new", values: ["name": .attribute(.string("Defoe"))])]))
        guard let author = author.objects["new"] else { return }
        _ = try bridge.model.save(
            ObjectBatch([
                .insert(
                    entity: "Book", name: "new",
                    values: ["title": .attribute(.string("Moll Flanders")), "author": .toOne(.existing(author))])
            ]))
        _ = try bridge.legacy.save(ObjectBatch([.delete(author, expecting: nil)]))
        bridge.close()
    }
}
