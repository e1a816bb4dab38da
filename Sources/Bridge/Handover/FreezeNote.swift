import Foundation
import StoreFormat
import Synchronization

/// Who froze a unit by hand, and why. Kept by the bridge, in whose lifetime such a freeze ends.
public struct FreezeNote: Sendable, Hashable {
    /// Who froze it.
    public var user: String?
    /// Why, in the words of who froze it.
    public var reason: String?
    /// Since when.
    public var at: Date

    /// By whom, when and why, behind the word "frozen".
    public var description: String {
        "\(user.map { "by \($0) " } ?? "")at \(DateText.text(at) ?? "\(at)")\(reason.map { ": \($0)" } ?? "")"
    }
}

/// A handover that is under way.
public struct RunningHandover: Sendable, Hashable {
    /// The unit that is to change hands.
    public var unit: String
    /// Its entities.
    public var entities: [String]
    /// Who would own it.
    public var owner: StackName
    /// Who asked for it.
    public var user: String?
    /// Why.
    public var reason: String?
    /// Since when.
    public var at: Date
    /// The last step that has passed; nil while the preflight looks.
    public var step: HandoverStep.Name?
}

/// What a bridge remembers of the units that somebody works at.
final class UnitsAtWork: Sendable {
    private struct State {
        var busy: Set<String> = []
        var handovers: [String: RunningHandover] = [:]
        var freezes: [String: FreezeNote] = [:]
    }

    private let state = Mutex(State())

    /// - Returns: whether nobody else works at the unit.
    func begin(_ unit: String) -> Bool { state.withLock { $0.busy.insert(unit).inserted } }

    func end(_ unit: String) {
        state.withLock { state in
            state.busy.remove(unit)
            state.handovers[unit] = nil
        }
    }

    func contains(_ unit: String) -> Bool { state.withLock { $0.busy.contains(unit) } }

    func note(_ handover: RunningHandover) { state.withLock { $0.handovers[handover.unit] = handover } }
    func passed(_ step: HandoverStep.Name, _ unit: String) { state.withLock { $0.handovers[unit]?.step = step } }
    var handovers: [RunningHandover] { state.withLock { $0.handovers.values.sorted { $0.unit < $1.unit } } }

    func note(_ freeze: FreezeNote?, _ unit: String) { state.withLock { $0.freezes[unit] = freeze } }
    var freezes: [String: FreezeNote] { state.withLock(\.freezes) }
}
