import StoreFormat
import Systemd
import Varlink

extension Configuration {
    /// The effective values, as `coexistd --check-config` prints them.
    public var json: JSON {
        func owners(_ values: [String: StackName]) -> JSON {
            .object(JSONObject(values.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value.rawValue)) }))
        }
        func texts(_ values: [String]) -> JSON { .array(values.map { .string($0) }) }
        return [
            "store": .string(store),
            "model": model.map { .string($0) } ?? .null,
            "socket": .string(socket),
            "ownership": [
                "default": .string(ownership.defaultOwner.rawValue), "entities": owners(ownership.entities),
                "relationships": owners(ownership.relationships),
            ],
            "guard": .string(guardMode.rawValue),
            "crossStackDeletes": .string(crossStackDeletes.rawValue),
            "history": [
                "tracking": .string(history.isTracking ? "on" : "off"),
                "retention": history.retention.map { JSON($0) } ?? .null,
                "maximumTransactions": history.maximumTransactions.map { JSON($0) } ?? .null,
                "slowConsumer": .string(history.slowConsumer.rawValue),
            ],
            "durability": .string(durability.rawValue),
            "readers": ["count": JSON(readers.count), "maximumAge": JSON(readers.maximumAge)],
            "cache": ["legacy": JSON(cache.legacy), "model": JSON(cache.model)],
            "wal": ["maximumBytes": JSON(maximumLogBytes)],
            "access": ["observe": texts(access.observe), "write": texts(access.write), "admin": texts(access.admin)],
            "limits": [
                "clients": JSON(limits.clients), "messageBytes": JSON(limits.messageBytes),
                "queuedBytes": JSON(limits.queuedBytes), "idle": JSON(limits.idle),
                "stall": JSON(limits.stall),
            ],
            "log": ["level": .string(logLevel.name), "target": .string(logTarget.rawValue)],
            "metricsFile": metricsFile.map { .string($0) } ?? .null,
        ]
    }
}
