import CSystemd
import Glibc

/// The system's journal (sd_journal_sendv(3)).
public enum Journal {
    /// Whether a journal listens on this machine. libsystemd drops messages without an error where none does.
    public static var isAvailable: Bool {
        access("/run/systemd/journal/socket", W_OK) == 0
    }

    /// Whether standard error is the journal: `$JOURNAL_STREAM` holds its device and inode (systemd.exec(5)).
    public static var isStandardError: Bool {
        guard let variable = getenv("JOURNAL_STREAM") else { return false }
        var status = stat()
        guard fstat(STDERR_FILENO, &status) == 0 else { return false }
        return String(cString: variable) == "\(status.st_dev):\(status.st_ino)"
    }

    /// Sends a message with its fields.
    /// - Returns: whether the journal took it.
    @discardableResult
    public static func send(_ record: LogRecord) -> Bool {
        guard isAvailable else { return false }
        return send(fields: record.journalFields)
    }

    private static func send(fields: [String]) -> Bool {
        var bytes: [UInt8] = []
        var lengths: [Int] = []
        for field in fields {
            lengths.append(field.utf8.count)
            bytes += field.utf8
        }
        return bytes.withUnsafeMutableBytes { buffer in
            var vectors: [iovec] = []
            var offset = 0
            for length in lengths {
                vectors.append(iovec(iov_base: buffer.baseAddress?.advanced(by: offset), iov_len: length))
                offset += length
            }
            return sd_journal_sendv(vectors, Int32(vectors.count)) == 0
        }
    }
}
