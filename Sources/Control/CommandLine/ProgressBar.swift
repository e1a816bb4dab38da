import Foundation
import StoreFormat
import Systemd

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
        FileHandle.standardError.write(Data((text + LineText.printable(detail)).utf8))
    }

    /// Takes the bar away.
    func finish() {
        if hasDrawn { FileHandle.standardError.write(Data("\r\u{1B}[K".utf8)) }
    }
}

/// The bar of a migration: what it does after the stage that it has passed.
final class MigrationBar {
    private let bar = ProgressBar("migrating")
    private var pages = 0

    func passed(_ stage: MigrationStage) {
        switch stage {
        case .locked: bar.update(0, of: 6, detail: "copying rows")
        case .rowsCopied: bar.update(1, of: 6, detail: "copying history")
        case .historyCopied: bar.update(2, of: 6, detail: "making indexes")
        case .built: bar.update(3, of: 6, detail: "backing the old store up")
        case .backedUp: bar.update(4, of: 6, detail: "verifying")
        case .verified: bar.update(5, of: 6, detail: "putting the new store in place")
        case .swapping(let remaining):
            pages = max(pages, remaining)
            bar.update(5 * pages + pages - remaining, of: 6 * pages, detail: "putting the new store in place")
        case .swapped, .cleaned: finish()
        }
    }

    func finish() { bar.finish() }
}
