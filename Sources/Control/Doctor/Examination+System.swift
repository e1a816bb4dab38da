import Foundation
import Varlink

extension Examination {
    /// The system, and the daemon's unit where systemd runs.
    static func system() -> Examination {
        var result = Examination("system", "system")
        var names = utsname()
        uname(&names)
        result.add("kernel", "\(text(&names.sysname)) \(text(&names.release)) \(text(&names.machine))")
        result.add("libc", configuration(Int32(_CS_GNU_LIBC_VERSION)))
        result.add("system", description())
        result.add("coexist", CoexistVersion.text)
        result.add("user", "\(getuid()):\(getgid())")
        for unit in ["coexistd.socket", "coexistd.service"] {
            guard let state = unitState(unit) else { continue }
            result.add(unit, state)
            if state.contains("failed") {
                result.findings.append(
                    .wrong("UnitFailed", "systemd says that \(unit) has failed", way: "see `journalctl -u \(unit)`"))
            }
        }
        return result
    }

    private static func text<T>(_ field: inout T) -> String {
        withUnsafeBytes(of: &field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }

    private static func configuration(_ name: Int32) -> String? {
        var buffer = [UInt8](repeating: 0, count: 256)
        let count = buffer.withUnsafeMutableBytes {
            confstr(name, $0.baseAddress?.assumingMemoryBound(to: CChar.self), $0.count)
        }
        return count > 1 ? String(decoding: buffer.prefix { $0 != 0 }, as: UTF8.self) : nil
    }

    private static func description() -> String? {
        let text = try? String(contentsOfFile: "/etc/os-release", encoding: .utf8)
        let line = text?.split(separator: "\n").first { $0.hasPrefix("PRETTY_NAME=") }
        return line.map { $0.dropFirst("PRETTY_NAME=".count).filter { $0 != "\"" } }
    }

    /// What systemd says of a unit, in one line; nil where systemd does not run or does not know it.
    private static func unitState(_ unit: String) -> String? {
        guard FileManager.default.fileExists(atPath: "/run/systemd/system") else { return nil }
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["systemctl", "show", unit, "--property=LoadState,ActiveState,SubState,Result,NRestarts"]
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return nil }
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0, !text.contains("LoadState=not-found"), !text.isEmpty else { return nil }
        return text.split(separator: "\n").joined(separator: " ")
    }
}
