import Foundation
import StoreFormat
import Varlink

extension Examination {
    /// Whether the store's pages fit together. That reads all of them, so a large store's are looked at where it is asked.
    static func pages(_ store: String, isAsked: Bool) -> Examination {
        var result = Examination("pages", "pages")
        let size = FileState(store)?.size ?? 0
        guard isAsked || size <= StoreHealth.examinedBytes else {
            result.add("checked", .bool(false), "no: the store has \(size) bytes; `--pages` looks at them")
            return result
        }
        do {
            let problem = try StoreHealth.examine(store, checksIndexes: true)
            result.add("checked", .bool(true), "yes")
            result.add("problem", problem.map { .string($0.message) } ?? .null, problem?.message ?? "none")
            if let problem { result.findings.append(.wrong(problem)) }
        } catch {
            // What keeps it from being read, the examination of what adoption left says too.
            result.add("checked", .bool(false), "no: \(error)")
        }
        return result
    }
}
