import Foundation
import TestKit
import Testing

/// The checker that was written from the format's description alone, in another language.
enum Oracle {
    static let condition: ConditionTrait = .enabled(
        if: Corpus.tools != nil, "COEXIST_TOOLS is not set: it names the folder of check_store.py")

    struct Finding: Decodable, Hashable {
        var rule: String
        var `where`: String
        var what: String
    }

    /// What the checker finds in a store; nil if it cannot read it.
    static func check(_ path: String) throws -> [Finding]? {
        guard let folder = Corpus.tools else { return [] }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", "\(folder)/check_store.py", path, "--json"]
        process.environment = ProcessInfo.processInfo.environment.merging(["PYTHONDONTWRITEBYTECODE": "1"]) { $1 }
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return data.isEmpty ? nil : try JSONDecoder().decode([Finding].self, from: data)
    }

    /// Expects no findings, where the checker is at hand.
    static func expectSound(_ path: String, _ location: SourceLocation = #_sourceLocation) throws {
        let findings = try check(path)
        #expect(findings == [], sourceLocation: location)
    }
}
