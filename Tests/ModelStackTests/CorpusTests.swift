import Foundation
import ModelStack
import StoreFormat
import TestKit
import Testing

/// Every object of the stores of a corpus reads as an independent reader has it. The corpus and its tools are where
/// COEXIST_CORPUS and COEXIST_TOOLS point.
@Suite struct CorpusTests {
    /// A store to read.
    struct Sample: Sendable, CustomTestStringConvertible {
        let folder: String
        let name: String
        var testDescription: String { "\(folder)/\(name)" }
    }

    private static let corpus = ProcessInfo.processInfo.environment["COEXIST_CORPUS"]
    private static let tools = ProcessInfo.processInfo.environment["COEXIST_TOOLS"]
    /// Stores without a model cache, or with a damaged one.
    private static let unreadable = ["08", "10", "34", "44"]

    static let samples: [Sample] = {
        guard let corpus, tools != nil else { return [] }
        let files = FileManager.default
        let folders = ((try? files.contentsOfDirectory(atPath: corpus)) ?? []).sorted()
        return folders.filter { folder in !unreadable.contains { folder.hasPrefix($0 + "_") } }.flatMap { folder in
            let names = ((try? files.contentsOfDirectory(atPath: corpus + "/" + folder)) ?? []).sorted()
            return names.filter {
                $0.hasSuffix("sqlite") || $0.hasSuffix("store") || $0.hasSuffix("db") || $0.hasSuffix("storedata")
            }
            .map { Sample(folder: corpus + "/" + folder, name: $0) }
        }
    }()

    @Test(.enabled(if: !samples.isEmpty), arguments: samples)
    func everyObjectReadsAsTheIndependentReaderHasIt(_ sample: Sample) throws {
        let folder = try TemporaryFolder()
        let copy = folder.file("copy")
        try FileManager.default.copyItem(atPath: sample.folder, toPath: copy)
        let path = copy + "/" + sample.name
        let instance = try ModelInstance(path: path, options: .readOnly)
        var text = ""
        for entity in instance.store.layout.entities {
            try instance.forEachObject(of: entity.name) { record in
                text += RecordText.line(record, entity, storeUUID: instance.store.uuid) + "\n"
            }
        }
        instance.close()
        let dump = folder.file("dump.jsonl")
        try text.write(toFile: dump, atomically: false, encoding: .utf8)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", (Self.tools ?? "") + "/dump_store.py", path, "--compare", dump]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let said = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(said)")
    }
}
