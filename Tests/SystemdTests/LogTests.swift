import Glibc
import Systemd
import Testing

@Suite("Log")
struct LogTests {
    private let record = LogRecord(
        .warning, "disk is\nfull", id: "0123456789abcdef0123456789abcdef",
        fields: [("COEXISTD_STORE", "/a b"), ("lag-ms", "5"), ("_PID", "1"), ("9", "x")],
        file: "M/F.swift", line: 7, function: "f()")

    @Test("The journal's fields have names that it takes")
    func fields() {
        #expect(
            record.journalFields == [
                "MESSAGE=disk is\\nfull", "PRIORITY=4", "MESSAGE_ID=0123456789abcdef0123456789abcdef",
                "CODE_FILE=M/F.swift", "CODE_LINE=7", "CODE_FUNC=f()", "COEXISTD_STORE=/a b", "LAG_MS=5", "X_PID=1",
                "X9=x",
            ])
    }

    @Test("The text is one line, with a prefix for the journal or the level's name")
    func text() {
        let details = "(COEXISTD_STORE=/a b, lag-ms=5, _PID=1, 9=x)"
        #expect(record.text(isPrefixed: true) == "<4>disk is\\nfull \(details)")
        #expect(record.text(isPrefixed: false) == "warning: disk is\\nfull \(details)")
        #expect(LogRecord(.info, "plain").text(isPrefixed: true) == "<6>plain")
    }

    @Test("Nothing that somebody else chose begins a line of its own, or is obeyed by a terminal")
    func othersText() {
        let forged = "x\n<0>all is lost\r\u{1B}[2J\u{85}\u{2028}\u{202E}"
        let shown = #"x\n<0>all is lost\r\u{1B}[2J\u{85}\u{2028}\u{202E}"#
        let record = LogRecord(.info, forged, fields: [("AUTHOR", forged)], file: "F", line: 1, function: "f")
        #expect(record.text(isPrefixed: true) == "<6>\(shown) (AUTHOR=\(shown))")
        #expect(
            record.journalFields == [
                "MESSAGE=\(shown)", "PRIORITY=6", "CODE_FILE=F", "CODE_LINE=1", "CODE_FUNC=f", "AUTHOR=\(shown)",
            ])
    }

    @Test("Only what is grave enough is written, and the text not even made otherwise")
    func level() throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        let log = Log(level: .notice, target: .descriptor(ends[1]))
        var made = 0
        func text(_ text: String) -> String {
            made += 1
            return text
        }
        log(.error, text("one"))
        log(.notice, text("two"), fields: [("N", "1")])
        log(.info, text("three"))
        close(ends[1])
        var buffer = [UInt8](repeating: 0, count: 1000)
        let count = read(ends[0], &buffer, buffer.count)
        close(ends[0])
        #expect(String(decoding: buffer.prefix(max(0, count)), as: UTF8.self) == "error: one\nnotice: two (N=1)\n")
        #expect(made == 2)
    }

    @Test("Levels have syslog's numbers, names and order")
    func levels() {
        #expect(LogLevel(name: "warning")?.rawValue == 4)
        #expect(LogLevel(name: "loud") == nil)
        #expect(LogLevel.allCases.map(\.rawValue) == Array(0...7))
        #expect(LogLevel.error < .debug)
        #expect(LogLevel.info.name == "info")
    }
}
