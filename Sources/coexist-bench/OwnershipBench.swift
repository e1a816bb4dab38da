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
        var (wall, processor): ([Double], [Double]) = ([], [])
        for round in 0..<rounds {
            // Who comes first changes, so that neither always finds what the other left.
            let pair = round.isMultiple(of: 2) ? [off, on] : [on, off]
            let measures = try pair.map { instance in
                let batch = ObjectBatch((1...rows).map { ReplayBench.insertion(round * rows + $0) })
                return try Measure.run { try instance.save(batch) }
            }
            let (first, second) = round.isMultiple(of: 2) ? (measures[0], measures[1]) : (measures[1], measures[0])
            wall.append(second.seconds / first.seconds)
            processor.append(second.processor / first.processor)
        }
        print(
            "save of \(rows) rows, \(name): ownership and guard add \(percent(wall)) of its time, "
                + "\(percent(processor)) of its processor time (medians of \(rounds) pairs)")
    }

    private static func percent(_ ratios: [Double]) -> String {
        "\(((ratios.sorted()[ratios.count / 2] - 1) * 100).inHundredths)%"
    }
}
