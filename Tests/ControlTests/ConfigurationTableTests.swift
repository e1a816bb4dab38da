import Foundation
import Testing
import Varlink

@testable import Control

/// The table of the configuration's keys in Documentation/Control.md, against what the code reads.
@Suite struct ConfigurationTableTests {
    /// The table's rows: key, type, default, effect.
    private func rows() throws -> [[String]] {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let text = try String(contentsOf: folder.appendingPathComponent("Documentation/Control.md"), encoding: .utf8)
        let section = try #require(text.components(separatedBy: "## Configuration\n").last)
        return section.split(separator: "\n").filter { $0.hasPrefix("| `") }.map { line in
            line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        }
    }

    private func bare(_ text: String) -> String { text.replacingOccurrences(of: "`", with: "") }

    @Test func everyKeyIsInTheTableAndNoOther() throws {
        var keys = Set(Configuration.plainKeys)
        for (section, inner) in Configuration.sections { keys.formUnion(inner.map { "\(section).\($0)" }) }
        let documented = try rows().map { bare($0[0]) }
        #expect(Set(documented) == keys)
        #expect(documented.count == keys.count)
        for row in try rows() { #expect(row.count == 4 && row.allSatisfy { !$0.isEmpty }, "\(row)") }
    }

    @Test func theDefaultsAreThoseOfTheCode() throws {
        let effective = Configuration(store: "/x").json
        for row in try rows() {
            let path = bare(row[0]).split(separator: ".").map(String.init)
            // The one key that gives two others their value.
            guard path != ["cache", "maximumObjects"], path != ["store"] else { continue }
            var value: JSON? = effective
            for name in path { value = value?[name] }
            let expected = try #require(value, "\(row[0])")
            let text = expected.isNull ? "none" : expected.stringValue ?? expected.description
            #expect(bare(row[2]) == text, "\(row[0])")
        }
    }
}
