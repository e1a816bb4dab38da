import CoreData
import Foundation
import StoreFormat
import TestKit
import Testing

/// Real stores, each a folder in the one that `COEXIST_CORPUS` names; `COEXIST_TOOLS` names the folder of the independent
/// reader that they are compared with.
private enum Corpus {
    static let stores = ProcessInfo.processInfo.environment["COEXIST_CORPUS"]
    static let tools = ProcessInfo.processInfo.environment["COEXIST_TOOLS"]
    /// Stores without a readable model cache.
    static let skipped = ["08", "10", "34", "44"]

    static var folders: [String] {
        guard let stores, tools != nil else { return [] }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: stores)) ?? []
        return names.filter { !skipped.contains(String($0.prefix(2))) }.sorted()
    }
}

@Suite(.enabled(if: !Corpus.folders.isEmpty, "COEXIST_CORPUS and COEXIST_TOOLS are not set"))
struct CorpusDumpTests {
    @Test(arguments: Corpus.folders)
    func recordsEqualTheIndependentReaders(_ name: String) throws {
        let stores = try #require(Corpus.stores)
        let tools = try #require(Corpus.tools)
        let folder = try TemporaryFolder()
        let copy = folder.file(name)
        try FileManager.default.copyItem(atPath: stores + "/" + name, toPath: copy)
        let file = try #require(
            try FileManager.default.contentsOfDirectory(atPath: copy).first {
                $0 != "SOURCE.txt" && $0.contains(".") && !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm")
                    && !$0.hasPrefix(".")
            })
        let path = copy + "/" + file
        var options = LegacyInstance.Options()
        options.isReadOnly = true
        let instance = try LegacyInstance(path: path, options: options)
        var lines = Data()
        for entity in instance.store.layout.entities {
            try instance.forEachObject(of: entity.name) { record in
                lines += try RecordJSON.line(record, entity, storeUUID: instance.store.uuid) + Data("\n".utf8)
            }
        }
        instance.close()
        let dump = folder.file("dump.jsonl")
        try lines.write(to: URL(fileURLWithPath: dump))
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", tools + "/dump_store.py", path, "--compare", dump]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(output)")
    }
}
