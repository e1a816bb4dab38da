import Bridge
import Foundation
import SQLite
import StoreFormat
import Varlink

extension Requests {
    /// What is measured, as OpenMetrics text.
    func metrics(clients: Int) throws -> String {
        var text = MetricsText()
        text.add(
            "coexist_build", .info, "Versions.",
            [.init(1, [("version", CoexistVersion.text), ("sqlite", Connection.libraryVersion)])])
        text.add(
            "coexist_store", .info, "The store.", [.init(1, [("path", store.path), ("uuid", store.uuid)])])
        text.add(
            "coexist_read_only", .gauge, "1 where nothing may be written, for whatever reason.",
            [.init(bridge.readOnlyReason == nil && bridge.problem == nil ? 0 : 1)])
        text.add(
            "coexist_degraded", .gauge, "1 where the store is damaged, or its files are gone from their path.",
            [.init(bridge.problem == nil ? 0 : 1)])
        text.add("coexist_clients", .gauge, "Connections to the control socket.", [.init(Double(clients))])
        text.add(
            "coexist_wal_bytes", .gauge, unit: "bytes", "Size of the write-ahead log.", [.init(Double(logBytes))])
        text.add(
            "coexist_wal_held", .gauge, "1 while a reader keeps the write-ahead log above its maximum.",
            [.init(bridge.logReader == nil ? 0 : 1)])
        try inTrouble(()) { try addHistory(to: &text) }
        addStacks(to: &text)
        try inTrouble(()) { try addOwners(to: &text) }
        return text.finish()
    }

    private func addHistory(to text: inout MetricsText) throws {
        let extent = try bridge.extent()
        text.add("coexist_history_last", .gauge, "The last transaction's number.", [.init(Double(extent.last))])
        text.add(
            "coexist_history_transactions", .gauge, "Transactions that history holds.", [.init(Double(extent.count))])
        func stacks(_ value: (StackName) -> Double) -> [MetricsText.Sample] {
            StackName.allCases.map { .init(value($0), [("stack", $0.rawValue)]) }
        }
        text.add(
            "coexist_replay_lag", .gauge, "Transactions that a stack has not replayed yet.",
            stacks { Double(max(0, extent.last - bridge.instance($0).position)) })
        let consumers = try bridge.consumers()
        text.add(
            "coexist_readers_ended", .counter, "Reads that were ended at readers.maximumAge.",
            [.init(Double(bridge.readerAge.ended))])
        let (seconds, fraction) = (bridge.readerAge.oldest ?? .zero).components
        text.add(
            "coexist_oldest_reader_seconds", .gauge, unit: "seconds", "Age of the oldest read that is at work.",
            [.init(Double(seconds) + Double(fraction) / 1e18)])
        // One that is expired has no place any more that it could be behind at.
        func each(_ value: (ConsumerStatus) -> Double?) -> [MetricsText.Sample] {
            consumers.compactMap { consumer in value(consumer).map { .init($0, [("consumer", consumer.name)]) } }
        }
        text.add(
            "coexist_consumer_lag", .gauge, "Transactions that a consumer has not acknowledged.",
            each { $0.lag.map(Double.init) })
        text.add(
            "coexist_consumer_lag_seconds", .gauge, unit: "seconds",
            "Age of the oldest transaction that a consumer has not acknowledged.", each(\.lagSeconds))
        text.add(
            "coexist_consumer_expired", .gauge, "1 where a consumer was given up.",
            each { $0.state == .expired ? 1 : 0 })
    }

    private func addStacks(to text: inout MetricsText) {
        let counts = bridge.counts
        let staleness = bridge.staleness
        text.add(
            "coexist_staleness_seconds", .summary, unit: "seconds",
            "From a commit to its replay into the other stack; quantiles of the last thousand or so.",
            [0.5, 0.9, 0.99].compactMap { quantile in
                staleness.value(at: quantile).map { .init($0, [("quantile", "\(quantile)")]) }
            } + [.init(Double(staleness.count), suffix: "_count"), .init(staleness.sum, suffix: "_sum")])
        text.add("coexist_alarms", .counter, "Alarms since the start.", [.init(Double(counts.alarms))])
        text.add(
            "coexist_untracked_commits", .counter,
            "Commits by other programs that no history tells of; all from a time without a daemon count as one.",
            [.init(Double(counts.untracked))])
        func stacks(_ value: (StackName) -> Int) -> [MetricsText.Sample] {
            StackName.allCases.map { .init(Double(value($0)), [("stack", $0.rawValue)]) }
        }
        text.add("coexist_commits", .counter, "Commits of the daemon's stacks.", stacks { counts.commits[$0] ?? 0 })
        text.add(
            "coexist_forwarded_deletes", .counter,
            "Deletes of a stack whose rules reached the other stack's rows, and were carried out in its name.",
            stacks { counts.forwardedDeletes[$0] ?? 0 })
        text.add(
            "coexist_pending_forwards", .gauge, "Forwarded deletes that are neither committed nor undone yet.",
            [.init(Double(bridge.deleteForwarding.pending))])
        text.add(
            "coexist_resyncs", .counter, "Times that a stack dropped its cache since history was purged before it.",
            stacks { counts.resyncs[$0] ?? 0 })
        let caches = Dictionary(
            uniqueKeysWithValues: StackName.allCases.map { ($0, bridge.instance($0).cacheStatistics) })
        text.add("coexist_cache_objects", .gauge, "Rows in a stack's cache.", stacks { caches[$0]?.objects ?? 0 })
        text.add("coexist_cache_hits", .counter, "Reads that a cache answered.", stacks { caches[$0]?.hits ?? 0 })
        text.add("coexist_cache_misses", .counter, "Reads that went to the file.", stacks { caches[$0]?.misses ?? 0 })
        text.add(
            "coexist_cache_invalidations", .counter, "Rows that replay dropped.",
            stacks { caches[$0]?.invalidations ?? 0 })
        text.add(
            "coexist_cache_stale_reads", .counter, "Reads of a row that a newer commit had changed already.",
            stacks { caches[$0]?.stale ?? 0 })
    }

    private func addOwners(to text: inout MetricsText) throws {
        let units = (try bridge.register()?.units ?? [:]).values.sorted { $0.name < $1.name }
        text.add(
            "coexist_unit_epoch", .gauge, "A unit's epoch, with its owner.",
            units.map {
                .init(Double($0.epoch), [("unit", $0.name), ("owner", $0.owner.rawValue)])
            })
        text.add(
            "coexist_unit_frozen", .gauge, "1 while nobody writes a unit, for a handover or by hand.",
            units.map { .init($0.isFrozen ? 1 : 0, [("unit", $0.name)]) })
    }
}
