import Foundation
import SQLite
import StoreFormat
import StoreModel
import Varlink

/// What `inspect` tells of a store.
struct Inspection {
    private let store: Store
    private let rows: [Int64: Int64]
    private let extent: HistoryReader.Extent
    private let authors: [String]
    private let register: OwnershipRegister?
    private let report: ModelReport

    init(_ store: Store) throws {
        self.store = store
        (rows, extent, authors, register) = try StoreConnector.translating(store.path) {
            let connection = try StoreConnector.offlineReader(store.path)
            return try connection.transaction(.deferred) {
                let history = HistoryReader(connection, store: store)
                return (
                    try RowCounts.read(connection, store: store), try history.extent(), try history.authors(),
                    try OwnershipRegister.read(connection)
                )
            }
        }
        report = try ModelReport(store.model)
    }

    private func size(_ suffix: String) -> Int? {
        (try? FileManager.default.attributesOfItem(atPath: store.path + suffix)[.size]) as? Int
    }

    var json: JSON {
        [
            "store": [
                "path": .string(store.path), "uuid": .string(store.uuid),
                "bytes": size("").map { JSON($0) } ?? .null,
                "walBytes": JSON(size("-wal") ?? 0), "journalMode": .string(store.isWAL ? "wal" : "rollback"),
                "frameworkVersion": store.metadata.frameworkVersion.map { JSON($0) } ?? .null,
                "versionIdentifiers": .array(store.metadata.versionIdentifiers.map { .string($0) }),
            ],
            "model": .object(model),
            "entities": .array(store.layout.entities.map(entity)),
            "history": [
                "tracked": .bool(store.historyForm.isTracked), "transactions": .integer(extent.count),
                "first": extent.first.map { .integer($0) } ?? .null, "last": .integer(extent.last),
                "authors": .array(authors.map { .string($0) }),
            ],
            "warnings": report.warnings,
            "units": UnitReport(units).json,
            "ownership": register == nil ? .null : .array(store.layout.entities.map { owner($0.name) }),
        ]
    }

    /// As the register names them, where the store is adopted.
    private var units: [OwnershipUnit] {
        OwnershipUnits.units(store.layout).map { unit in
            var unit = unit
            unit.name = register?.unit(ofEntity: unit.name)?.name ?? unit.name
            return unit
        }
    }

    private var model: JSONObject {
        var object = report.facts(origin: "\(store.modelOrigin)")
        object["agrees"] = .bool(agrees)
        let missing = entitiesWithoutTable
        object["entitiesWithoutTable"] = missing.isEmpty ? nil : DescriptionJSON.texts(missing)
        return object
    }

    private var entitiesWithoutTable: [String] {
        store.model.entities.map(\.name).filter { store.layout[$0] == nil }.sorted()
    }

    private var agrees: Bool { (try? SchemaAgreement.compare(store.model, with: store.metadata).isEmpty) ?? false }

    private func owner(_ entity: String) -> JSON {
        let unit = register?.unit(ofEntity: entity)
        return [
            "entity": .string(entity),
            "owner": .string(unit?.owner.rawValue ?? "none"), "frozen": .bool(unit?.isFrozen ?? false),
            "epoch": .integer(unit?.epoch ?? 0), "unit": .string(unit?.name ?? ""),
        ]
    }

    private func entity(_ layout: EntityLayout) -> JSON {
        var object: JSONObject = [
            "name": .string(layout.name), "number": .integer(layout.number), "table": .string(layout.table),
            "rows": .integer(rows[layout.number] ?? 0),
        ]
        guard let description = store.model[layout.name] else { return .object(object) }
        for (key, value) in report.entity(description) { object[key] = value }
        object["hash"] = [
            "computed": hash(report.hashes[layout.name]), "stored": hash(store.metadata.versionHashes[layout.name]),
        ]
        return .object(object)
    }

    private func hash(_ hash: Data?) -> JSON { DescriptionJSON.text(hash?.base64EncodedString()) ?? .null }

    func print(_ output: Output) {
        output.line("store      \(store.path)")
        output.line("UUID       \(store.uuid)")
        output.line(
            "size       \(size("") ?? 0) bytes, log \(size("-wal") ?? 0) bytes, \(store.isWAL ? "WAL" : "rollback journal")"
        )
        output.line("framework  \(store.metadata.frameworkVersion.map { "\($0)" } ?? "unknown")")
        output.line(
            "model      from \(store.modelOrigin); its hashes \(agrees ? "agree with" : "DIFFER from") the store's")
        output.line("checksum   \(report.checksum)")
        if store.historyForm.isTracked {
            let by = authors.isEmpty ? "" : "; authors \(authors.joined(separator: ", "))"
            output.line(
                "history    \(CountText.text(extent.count, "transaction")), \(extent.first.map { "\($0)" } ?? "-") to \(extent.last)\(by)"
            )
        } else {
            output.line("history    not tracked")
        }
        output.line("ownership  \(register == nil ? "not adopted" : "adopted")")
        output.line()
        let units = units
        var table = [["entity", "number", "table", "parent", "rows", "attributes", "relationships", "owner", "unit"]]
        for layout in store.layout.entities {
            let unit = register?.unit(ofEntity: layout.name)
            table.append([
                layout.name + (layout.isAbstract ? " (abstract)" : ""), "\(layout.number)", layout.table,
                layout.superentityName ?? "-", "\(rows[layout.number] ?? 0)", "\(layout.attributes.count)",
                "\(layout.relationships.count)",
                unit.map { $0.owner.rawValue + ($0.isFrozen ? " (frozen)" : "") } ?? "-",
                units.first { $0.entities.contains(layout.name) }?.name ?? "-",
            ])
        }
        output.table(table)
        UnitReport(units).print(output)
        for missing in entitiesWithoutTable { output.line("\(missing) is in the model, but has no table here") }
        output.line()
        report.print(output)
    }
}
