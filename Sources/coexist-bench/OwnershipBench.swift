import Bridge
import Foundation
import LegacyStack
import ModelStack
import StoreFormat

/// What the ownership check, the record of writers and the guard's triggers add to a save.
enum OwnershipBench {
    private static let rows = 1_000
    private static let rounds = 40

    /// Saves of 1,000 rows on a store that was adopted and on one that was not, in turns, so that both meet the same noise.
    static func run(_ folder: String) throws {
        let (plain, adopted) = (try ReplayBench.store(folder, "plain"), try ReplayBench.store(folder, "adopted"))
        try Adoption.adopt(Store.open(adopted), plan: Adoption.Plan(backupPath: "\(adopted).before"))
        try measure("managed objects", LegacyInstance(path: plain), LegacyInstance(path: adopted))

        let owned = try ReplayBench.store(folder, "owned")
        let seed = OwnershipSeed(defaultOwner: .model)
        try Adoption.adopt(Store.open(owned), plan: Adoption.Plan(seed: seed, backupPath: "\(owned).before"))
        try measure("@Model", ModelInstance(path: ReplayBench.store(folder, "free")), ModelInstance(path: owned))
    }

    private static func measure(_ name: String, _ off: any StackInstance, _ on: any StackInstance) throws {
        var times: [[Double]] = [[], []]
        for round in 0..<rounds {
            for (place, instance) in [off, on].enumerated() {
                let batch = ObjectBatch((1...rows).map { ReplayBench.insertion(round * rows + $0) })
                times[place].append(try Measure.run { try instance.save(batch) }.seconds)
            }
        }
        let (off, on) = (times[0].sorted()[rounds / 2], times[1].sorted()[rounds / 2])
        print(
            "save of \(rows) rows, \(name): without ownership and guard \(off.inMilliseconds), "
                + "with \(on.inMilliseconds): \(((on / off - 1) * 100).inHundredths)% more")
    }
}
