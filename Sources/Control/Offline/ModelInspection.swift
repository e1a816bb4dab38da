import Foundation
import StoreFormat
import StoreModel
import Varlink

/// What `inspect` tells of a model: all its versions, and the current one at the top.
struct ModelInspection {
    private let path: String
    private let kind: ModelKind
    private let versions: [Version]
    private let info: VersionInfo?
    /// The version that is named as the current one, whether it is there or not.
    private let namedVersion: String?

    private struct Version {
        let name: String
        let path: String
        let isCurrent: Bool
        let report: Result<ModelReport, any Error>
    }

    /// - Throws: `ModelError` where the only version, or the current one, cannot be read.
    init(_ path: String) throws {
        self.path = path
        kind = try ModelReader.kind(at: path)
        let found = try ModelReader.versions(at: path)
        info = kind == .versionedCompiled ? try ModelReader.versionInfo(at: path) : nil
        namedVersion = found.isEmpty ? nil : try ModelReader.namedCurrentVersion(at: path)
        if found.isEmpty {
            let report = try ModelReport(try ModelReader.read(at: path).model)
            let name = URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
            versions = [Version(name: name, path: path, isCurrent: true, report: .success(report))]
            return
        }
        versions = found.map { version in
            Version(
                name: version.name, path: version.path, isCurrent: version.isCurrent,
                report: Result { try ModelReport(try version.load()) })
        }
        if case .failure(let error)? = current?.report { throw error }
    }

    private var current: Version? { versions.first(where: \.isCurrent) }
    private var hasVersions: Bool { kind == .versionedSource || kind == .versionedCompiled }

    private func origin(_ version: Version) -> String { URL(fileURLWithPath: version.path).lastPathComponent }

    var json: JSON {
        var object: JSONObject = ["path": .string(path), "kind": .string(kind.rawValue)]
        object["version"] = hasVersions ? DescriptionJSON.text(current?.name) ?? .null : nil
        if let current, case .success(let report) = current.report {
            add(report, origin(current), to: &object)
        } else {
            (object["model"], object["entities"], object["units"], object["warnings"]) = (.null, [], [], [])
        }
        guard hasVersions else { return .object(object) }
        object["versions"] = .array(
            versions.map { item in
                var object: JSONObject = [
                    "name": .string(item.name), "current": .bool(item.isCurrent),
                    "path": .string(item.path),
                ]
                switch item.report {
                case .success(let report): add(report, origin(item), to: &object)
                case .failure(let error): object["error"] = .string("\(error)")
                }
                return .object(object)
            })
        object["missingVersion"] = current == nil ? DescriptionJSON.text(namedVersion) : nil
        if let info, !info.otherKeys.isEmpty { object["versionInfoKeys"] = DescriptionJSON.texts(info.otherKeys) }
        return .object(object)
    }

    private func add(_ report: ModelReport, _ origin: String, to object: inout JSONObject) {
        object["model"] = .object(report.facts(origin: origin))
        object["entities"] = report.entities
        object["units"] = UnitReport(OwnershipUnits.units(report.model)).json
        object["warnings"] = report.warnings
    }

    func print(_ output: Output) {
        output.line("model      \(path)")
        if hasVersions {
            var table = [["version", "checksum", "entities", ""]]
            for item in versions {
                let mark = item.isCurrent ? "current" : ""
                switch item.report {
                case .success(let report):
                    table.append([item.name, report.checksum, "\(report.model.entities.count)", mark])
                case .failure(let error): table.append([item.name, "-", "-", "cannot be read: \(error)"])
                }
            }
            output.table(table)
            if let info, !info.otherKeys.isEmpty {
                output.line("VersionInfo.plist has more than is read: \(info.otherKeys.joined(separator: ", "))")
            }
        }
        guard let current, case .success(let report) = current.report else {
            let reason = namedVersion.map { "\($0) is named as the current version, but is not there" }
            output.line("\(reason ?? "no version is the current one"): each can be inspected by its path")
            return
        }
        if !hasVersions {
            output.line("checksum   \(report.checksum)")
            output.line("entities   \(report.model.entities.count)")
        }
        UnitReport(OwnershipUnits.units(report.model)).print(output)
        output.line()
        report.print(output)
    }
}
