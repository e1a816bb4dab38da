import Foundation

/// A bar on standard error for a step that takes a while: shown only on a terminal, and only after a second.
final class ProgressBar {
    private let title: String
    private let isShown = isatty(STDERR_FILENO) == 1
    private let began = DispatchTime.now().uptimeNanoseconds
    private var lastDrawn: UInt64 = 0
    private var hasDrawn = false

    init(_ title: String) {
        self.title = title
    }

    /// So much is done of so much; a total of 0 is not known, and a count is shown instead of a bar.
    func update(_ done: Int, of total: Int, detail: String = "") {
        guard isShown else { return }
        let now = DispatchTime.now().uptimeNanoseconds
        guard now - began > 1_000_000_000, now - lastDrawn > 100_000_000 else { return }
        lastDrawn = now
        hasDrawn = true
        let width = 30
        var text = "\r\u{1B}[K\(title) "
        if total > 0 {
            let full = min(width, max(0, done * width / total))
            text += "[" + String(repeating: "#", count: full) + String(repeating: " ", count: width - full) + "] "
            text += "\(min(100, done * 100 / total))% "
        } else {
            text += "\(done) "
        }
        FileHandle.standardError.write(Data((text + detail).utf8))
    }

    /// Takes the bar away.
    func finish() {
        if hasDrawn { FileHandle.standardError.write(Data("\r\u{1B}[K".utf8)) }
    }
}
