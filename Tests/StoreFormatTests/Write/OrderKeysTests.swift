import StoreFormat
import TestKit
import Testing

@Suite
struct OrderKeysTests {
    @Test("a new sequence begins at 2048, 1024 apart")
    func fresh() {
        #expect(OrderKeys.assign([nil, nil, nil]) == [2048, 3072, 4096])
        #expect(OrderKeys.assign([]) == [])
    }

    @Test("what is appended, prepended or put between leaves the others' keys as they are")
    func kept() {
        #expect(OrderKeys.assign([2048, 3072, nil]) == [2048, 3072, 4096])
        #expect(OrderKeys.assign([nil, 2048]) == [1024, 2048])
        #expect(OrderKeys.assign([4096, nil, nil, 5120]) == [4096, 4437, 4778, 5120])
        #expect(
            OrderKeys.assign([2048, 4096, 3072]) == [2048, 2560, 3072]
                || OrderKeys.assign([2048, 4096, 3072])[0] == 2048)
    }

    @Test("where no room is left between two, all get new keys")
    func crowded() {
        #expect(OrderKeys.assign([7, nil, 8]) == [2048, 3072, 4096])
        #expect(OrderKeys.assign([nil, 1]) == [2048, 3072])
        #expect(OrderKeys.assign([Int64(Int32.max), nil]) == [2048, 3072])
    }

    @Test(
        "keys ascend strictly and are positive, whatever is moved, removed and added",
        arguments: 0..<50 as Range<UInt64>)
    func ascending(_ seed: UInt64) {
        var random = SplitMix(seed: seed)
        var current: [Int64?] = []
        for _ in 0..<60 {
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                switch Int.random(in: 0..<3, using: &random) {
                case 0: current.insert(nil, at: Int.random(in: 0...current.count, using: &random))
                case 1 where !current.isEmpty: current.remove(at: Int.random(in: 0..<current.count, using: &random))
                default:
                    guard current.count > 1 else { continue }
                    let moved = current.remove(at: Int.random(in: 0..<current.count, using: &random))
                    current.insert(moved, at: Int.random(in: 0...current.count, using: &random))
                }
            }
            let keys = OrderKeys.assign(current)
            #expect(keys.count == current.count)
            #expect(zip(keys, keys.dropFirst()).allSatisfy { $0 < $1 })
            #expect(keys.allSatisfy { $0 > 0 })
            current = keys
            #expect(OrderKeys.assign(current) == keys)
        }
    }

    @Test("moving one element changes one key")
    func oneMoved() {
        let keys = OrderKeys.assign([nil, nil, nil, nil, nil])
        let moved = [keys[4], keys[0], keys[1], keys[2], keys[3]]
        let result = OrderKeys.assign(moved)
        #expect(Array(result.dropFirst()) == Array(keys.prefix(4)))
    }
}
