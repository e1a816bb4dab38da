import Foundation
import Systemd

/// Tells the system's journal, where there is one, what a command did to a store that no daemon has: beside a daemon's own
/// log it is then told what became of its store.
enum OfflineRecord {
    /// - Parameter act: in words that go on behind the store's path.
    static func note(_ path: String, _ act: String) {
        let file = URL(fileURLWithPath: path).standardizedFileURL.path
        Journal.send(LogRecord(.notice, "\(file) \(act), by \(UserName.of(getuid()))"))
    }
}
