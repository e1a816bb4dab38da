import Foundation
import Systemd
import Varlink

/// Where a command writes: JSON for a script, aligned text for a person.
final class Output {
    let isJSON: Bool
    private let isTerminal: Bool
    private var buffer: [UInt8] = []

    init(isJSON: Bool) {
        self.isJSON = isJSON
        isTerminal = isatty(STDOUT_FILENO) == 1
    }

    /// One JSON value on a line of its own.
    func json(_ value: JSON) {
        value.write(to: &buffer)
        buffer.append(UInt8(ascii: "\n"))
        if buffer.count > 1 << 16 { flush() }
    }

    /// A part of a JSON text, as it is.
    func jsonPart(_ text: some Sequence<UInt8>) {
        buffer.append(contentsOf: text)
        if buffer.count > 1 << 16 { flush() }
    }

    /// One line for a person, whatever the text holds.
    func line(_ text: String = "") { write(LineText.printable(text)) }

    /// Text of ours that has several lines.
    func lines(_ text: String) {
        for part in text.split(separator: "\n", omittingEmptySubsequences: false) { line(String(part)) }
    }

    private func write(_ text: String) {
        buffer += Array(text.utf8)
        buffer.append(UInt8(ascii: "\n"))
        // A person and a pipe behind a stream want each line at once.
        if isTerminal || buffer.count > 1 << 16 { flush() }
    }

    /// Rows with columns as wide as their widest cell; the first row is the head.
    func table(_ rows: [[String]]) {
        let rows = rows.map { $0.map(LineText.printable) }
        guard let columns = rows.map(\.count).max() else { return }
        let widths = (0..<columns).map { column in rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0 }
        for (i, row) in rows.enumerated() {
            let cells = row.enumerated().map { column, cell in
                column == row.count - 1 ? cell : cell + String(repeating: " ", count: widths[column] - cell.count)
            }
            let text = cells.joined(separator: "  ")
            write(i == 0 && isTerminal ? "\u{1B}[1m\(text)\u{1B}[0m" : text)
        }
    }

    func flush() {
        buffer.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = Foundation.write(
                    STDOUT_FILENO, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                guard count > 0 || errno == EINTR else { return }
                rest = rest.dropFirst(max(0, count))
            }
        }
        buffer.removeAll(keepingCapacity: true)
    }

    /// Says on standard error what a person should know although the command did what it should.
    func warn(_ warnings: [String]) {
        for warning in warnings {
            FileHandle.standardError.write(Data("coexistctl: warning: \(LineText.printable(warning))\n".utf8))
        }
    }

    /// What is wrong and the way out, each as a sentence.
    static func sentences(_ message: String, way: String) -> String {
        [message, way].filter { !$0.isEmpty }.enumerated().map { i, text in
            let end = text.hasSuffix("?") || text.hasSuffix(".") ? "" : "."
            return i == 0 ? text + end : text.prefix(1).uppercased() + text.dropFirst() + end
        }.joined(separator: " ")
    }

    /// Says on standard error why a command failed; for a script also as JSON on standard output.
    func fail(_ failure: CommandFailure, program: String) {
        if isJSON {
            json([
                "error": [
                    "code": .string(failure.code), "message": .string(failure.message), "way": .string(failure.way),
                    "details": failure.details,
                ]
            ])
        }
        flush()
        let sentences = Self.sentences(failure.message, way: failure.way)
        let text = LineText.printable("\(program): \(failure.code): \(sentences)")
        FileHandle.standardError.write(Data((text + "\n").utf8))
    }
}
