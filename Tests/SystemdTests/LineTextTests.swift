import Systemd
import Testing

/// What a person's terminal, and the log, are given.
@Suite struct LineTextTests {
    @Test(
        arguments: [
            ("plain", "plain"), ("Łódź 𝕏 שלום", "Łódź 𝕏 שלום"), ("a\nb\r\nc\td", "a\\nb\\r\\nc\\td"),
            ("\u{1B}[2J", "\\u{1B}[2J"), ("\u{0}\u{7F}\u{9B}31m", "\\u{0}\\u{7F}\\u{9B}31m"),
            ("a\u{202E}b\u{2066}c\u{200F}", "a\\u{202E}b\\u{2066}c\\u{200F}"), ("a\u{2028}b", "a\\u{2028}b"),
            ("👩\u{200D}🚀", "👩\u{200D}🚀"),
        ])
    func holdsNothingThatATerminalWouldObey(text: String, shown: String) {
        #expect(LineText.printable(text) == shown)
    }
}
