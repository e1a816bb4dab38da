import Foundation
import SQLite
import StoreFormat
import Varlink

/// What a support request needs: the library, the store's file and folder, who holds which lock, what adoption left, and
/// the system. Looks only: nothing of the store is written, and no file is made.
struct Doctor {
    let examinations: [Examination]

    /// - Parameters:
    ///   - store: nil looks at what is there without a store.
    ///   - looksAtPages: whether the pages are looked at however large the store is.
    init(_ store: String?, looksAtPages: Bool = false) {
        var examinations = [Examination.sqlite()]
        if let store = store.map(RealPath.of) {
            // Raw files first: that is possible only before this process has the store open.
            examinations.append(.file(store))
            examinations.append(.locks(store))
            // Of what is no store the file says it all.
            if (try? StoreProbe.check(store)) != nil {
                examinations.append(.pages(store, isAsked: looksAtPages))
                examinations.append(.coexistence(store))
            }
        }
        examinations.append(.system())
        self.examinations = examinations
    }

    var findings: [Finding] { examinations.flatMap(\.findings) }
    var isWell: Bool { !findings.contains { $0.severity == .wrong } }

    var json: JSON {
        var object = JSONObject(examinations.map { ($0.name, $0.json) })
        object["findings"] = .array(findings.map(\.json))
        return .object(object)
    }

    func print(_ output: Output) {
        let width = examinations.flatMap(\.facts).map(\.name.count).max() ?? 0
        for examination in examinations {
            output.line(examination.title)
            for fact in examination.facts {
                let name = fact.name + String(repeating: " ", count: width - fact.name.count)
                let lines = fact.text.split(separator: "\n", omittingEmptySubsequences: false)
                output.line("  \(name)  \(lines.first ?? "")")
                for line in lines.dropFirst() {
                    output.line("  \(String(repeating: " ", count: width))  \(line)")
                }
            }
            output.line()
        }
        for finding in findings.sorted(by: { $0.severity == .wrong && $1.severity != .wrong }) {
            output.line(finding.text)
        }
        let wrong = findings.count { $0.severity == .wrong }
        let isStore = examinations.contains { $0.name == "store" }
        let without = isStore ? "" : "; no store was looked at: `coexistctl doctor STORE` does"
        output.line((wrong == 0 ? "nothing is wrong" : "\(wrong) thing\(wrong == 1 ? " is" : "s are") wrong") + without)
    }
}
