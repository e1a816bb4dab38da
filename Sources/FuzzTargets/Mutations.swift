import Foundation
import TestKit

/// Changed copies of an input, the same on every run: what the tests read beside the seeds themselves.
public struct Mutations: Sequence, IteratorProtocol {
    private var random: SplitMix
    private let seed: [UInt8]
    private let others: [[UInt8]]
    private var remaining: Int

    /// - Parameters:
    ///   - seed: the input to change.
    ///   - others: inputs whose parts are spliced in.
    ///   - count: how many copies.
    public init(of seed: Data, others: [Data], count: Int) {
        self.seed = [UInt8](seed)
        self.others = others.map { [UInt8]($0) }
        remaining = count
        // Each seed has a sequence of its own, and an input added elsewhere changes nothing here.
        random = SplitMix(seed: seed.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 })
    }

    /// The next copy; nil when there were as many as asked for.
    public mutating func next() -> Data? {
        guard remaining > 0 else { return nil }
        remaining -= 1
        var bytes = seed
        for _ in 0...Int(random.next() % 4) { change(&bytes) }
        return Data(bytes)
    }

    private static let numbers: [UInt8] = [0, 1, 2, 0x0F, 0x10, 0x7F, 0x80, 0xFE, 0xFF, 0x22, 0x27, 0x28, 0x5B, 0x7B]

    private mutating func place(in count: Int) -> Int { count == 0 ? 0 : Int(random.next() % UInt64(count)) }

    private mutating func change(_ bytes: inout [UInt8]) {
        guard !bytes.isEmpty else {
            bytes.append(UInt8(truncatingIfNeeded: random.next()))
            return
        }
        let at = place(in: bytes.count)
        let length = 1 + place(in: Swift.min(64, bytes.count - at))
        switch random.next() % 8 {
        case 0: bytes[at] ^= 1 << UInt8(random.next() % 8)
        case 1: bytes[at] = Self.numbers[place(in: Self.numbers.count)]
        case 2: bytes[at] = UInt8(truncatingIfNeeded: random.next())
        case 3: bytes.removeSubrange(at..<at + length)
        case 4: bytes.removeSubrange(at...)
        case 5: bytes.insert(contentsOf: bytes[at..<at + length], at: place(in: bytes.count))
        case 6: for i in at..<at + Swift.min(8, length) { bytes[i] = 0xFF }
        default:
            guard !others.isEmpty else { return bytes[at] = 0 }
            let other = others[place(in: others.count)]
            let from = place(in: other.count)
            bytes.replaceSubrange(at..<at + length, with: other[from..<Swift.min(other.count, from + length)])
        }
    }
}
