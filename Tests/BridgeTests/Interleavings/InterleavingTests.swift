import Bridge
import Foundation
import StoreFormat
import Testing

/// Writers, readers, a purge, a handover and a crash, in every order up to a bound.
@Suite struct InterleavingTests {
    /// How many orders of each kind are gone through here; `COEXIST_INTERLEAVINGS` changes it.
    private static let bound =
        ProcessInfo.processInfo.environment["COEXIST_INTERLEAVINGS"].flatMap { Int($0) } ?? 200

    private func goThrough(_ steps: [Character: Int]) throws {
        let world = try World()
        defer { world.close() }
        for order in Orders.all(steps, atMost: Self.bound) {
            for actor in order { try world.step(actor) }
            try world.rest()
        }
    }

    @Test func writersAndAHandover() throws {
        // Preflight, freeze, replay, comparison, switch; a writer's turns are to read and to save. 756 orders.
        try goThrough(["l": 2, "m": 2, "h": 5])
    }

    @Test func writersReadersAPurgeAndAHandover() throws {
        try goThrough(["l": 2, "m": 2, "r": 1, "s": 1, "p": 1, "h": 5])
    }

    @Test func writersReadersAndADaemonThatIsGoneAmidAFreeze() throws {
        try goThrough(["l": 2, "m": 2, "r": 1, "s": 1, "c": 2])
    }

    @Test func ordersAreCountedAndEnumerated() {
        #expect(Orders.count(["a": 2, "b": 2]) == 6)
        #expect(Orders.all(["a": 2, "b": 2], atMost: 99) == ["aabb", "abab", "abba", "baab", "baba", "bbaa"])
        #expect(Orders.count(["l": 2, "m": 2, "h": 5]) == 756)
    }
}
