import Foundation

/// What a worker writes down of each save, before and after it: what a process that was killed had done.
///
/// A line is written with one system call, so it is there whole, whatever becomes of the process.
final class WorkLog {
    /// One line.
    enum Line {
        /// A worker's beginning: its instance's name.
        case start(instance: String)
        /// A save is about to be tried.
        case trying(save: Int, entity: String, counter: Int64)
        case saved(save: Int)
        case refused(save: Int, code: String)
        /// Busy, after so many seconds of the timeout.
        case busy(save: Int, seconds: Double, timeout: Double)
        /// The worker has come to its end; without it, it was killed.
        case end

        var text: String {
            switch self {
            case .start(let instance): "start \(instance)"
            case .trying(let save, let entity, let counter): "trying \(save) \(entity) \(counter)"
            case .saved(let save): "saved \(save)"
            case .refused(let save, let code): "refused \(save) \(code)"
            case .busy(let save, let seconds, let timeout): "busy \(save) \(seconds) \(timeout)"
            case .end: "end"
            }
        }

        init?(_ text: Substring) {
            let words = text.split(separator: " ").map(String.init)
            func save() -> Int? { words.count > 1 ? Int(words[1]) : nil }
            switch (words.first, words.count) {
            case ("start", 2): self = .start(instance: words[1])
            case ("trying", 4):
                guard let save = save(), let counter = Int64(words[3]) else { return nil }
                self = .trying(save: save, entity: words[2], counter: counter)
            case ("saved", 2):
                guard let save = save() else { return nil }
                self = .saved(save: save)
            case ("refused", 3):
                guard let save = save() else { return nil }
                self = .refused(save: save, code: words[2])
            case ("busy", 4):
                guard let save = save(), let seconds = Double(words[2]), let timeout = Double(words[3]) else {
                    return nil
                }
                self = .busy(save: save, seconds: seconds, timeout: timeout)
            case ("end", 1): self = .end
            default: return nil
            }
        }
    }

    private let descriptor: Int32

    init(_ path: String) throws {
        descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw Failed(path: path, code: errno) }
    }

    deinit { close(descriptor) }

    struct Failed: Error {
        let path: String
        let code: Int32
    }

    func write(_ line: Line) {
        let bytes = Array((line.text + "\n").utf8)
        _ = Glibc.write(descriptor, bytes, bytes.count)
    }

    /// The lines of a log.
    static func read(_ path: String) -> [Line] {
        let text = String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
        return text.split(separator: "\n").compactMap { Line($0) }
    }
}
