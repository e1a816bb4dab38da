import Foundation
import StoreFormat

extension FuzzTarget {
    static let stores: [FuzzTarget] = [
        FuzzTarget("store", "a whole store file", errors: [StoreError.self]) { bytes in
            let path = Workshop.path("given.sqlite")
            StoreBackup.remove(path)
            try bytes.write(to: URL(fileURLWithPath: path))
            try Workshop.readThroughBothStacks(path)
            let store = try Store.open(path)
            try StoreConnector.translating(path) {
                _ = try StoreVerifier.verify(StoreConnector.offlineReader(path), store: store)
            }
        },
        FuzzTarget("salvage", "a store file without a list of tables, page by page", errors: [StoreError.self]) {
            bytes in
            let (path, target) = (Workshop.path("given.sqlite"), Workshop.path("salvaged.sqlite"))
            StoreBackup.remove(path)
            StoreBackup.remove(target)
            try bytes.write(to: URL(fileURLWithPath: path))
            _ = try StoreSalvage.salvage(path, to: target)
        },
        FuzzTarget("trigger", "a store's trigger, as it is mirrored", errors: []) { bytes in
            let sql = String(decoding: bytes, as: UTF8.self)
            if let copy = TriggerMirror.temporary(sql, name: "name", table: "TABLE") {
                try promise(copy.hasPrefix("CREATE TEMP TRIGGER \"MIRROR_name\""), "not a temporary trigger: \(copy)")
            }
        },
    ]
}
