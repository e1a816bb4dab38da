import Foundation
import SQLite
import Varlink

extension Examination {
    /// The SQLite library of this process.
    static func sqlite() -> Examination {
        var result = Examination("sqlite", "SQLite")
        result.add("version", .string(Connection.libraryVersion))
        let faults = LibraryFault.known()
        result.add(
            "faults", .array(faults.map { .string($0.name) }),
            faults.isEmpty ? "none known" : faults.map(\.name).joined(separator: ", "))
        for fault in faults {
            result.findings.append(
                .note(
                    "SQLiteFault",
                    "SQLite \(Connection.libraryVersion) has \(fault.name): \(fault.what); here \(fault.remedy)",
                    way: "\(fault.fixedIn) is free of it; other programs that write the store may not be so careful"))
        }
        let copies = copiesOfLibrary()
        result.add("libraries", .array(copies.map { .string($0) }), copies.joined(separator: "\n"))
        if copies.count > 1 {
            result.findings.append(
                .wrong(
                    "SQLiteTwice", "this process has \(copies.count) copies of SQLite: each drops the other's locks",
                    way: "link one: \(copies.joined(separator: ", "))"))
        }
        return result
    }

    /// The files of this process' memory that are SQLite.
    private static func copiesOfLibrary() -> [String] {
        let maps = KernelFile.text(at: "/proc/self/maps") ?? ""
        let paths = maps.split(separator: "\n").compactMap { line in
            line.firstIndex(of: "/").map { String(line[$0...]) }
        }
        return Set(paths.filter { $0.contains("libsqlite3") }).sorted()
    }
}
