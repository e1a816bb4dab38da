import Foundation
import FuzzTargets

/// Reads given inputs, within bounds of memory and time.
enum Check {
    /// The memory that reading may take in all, and the processor time.
    private static let maximumBytes: rlim_t = 4 << 30
    private static let maximumSeconds: rlim_t = 120

    /// Reads each file, or each file of a folder, and changed copies of it.
    /// - Returns: 1 if a reading ended otherwise than with a value or a typed error. What crashes the process is the
    ///   input that was announced last.
    static func run(_ target: FuzzTarget, paths: [String], mutations: Int) throws -> Int32 {
        limit()
        let files = try paths.flatMap(files)
        let inputs = try files.map { try Data(contentsOf: URL(fileURLWithPath: $0)) }
        var failures = 0
        var (values, refusals) = (0, 0)
        for (path, input) in zip(files, inputs) {
            announce(path)
            let changed: [Data] = Array(Mutations(of: input, others: inputs, count: mutations))
            for (number, bytes) in ([input] + changed).enumerated() {
                if number > 0 { announce("\(path), change \(number)") }
                do {
                    if case .value = try target.read(bytes) { values += 1 } else { refusals += 1 }
                } catch {
                    failures += 1
                    FuzzCommand.complain("\(path), change \(number): \(error)\n\(bytes.base64EncodedString())")
                }
            }
        }
        print("\(target.name): \(files.count) files, \(values) values, \(refusals) refused, \(failures) failures")
        return failures == 0 ? 0 : 1
    }

    private static func limit() {
        var memory = rlimit(rlim_cur: maximumBytes, rlim_max: maximumBytes)
        setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &memory)
        var time = rlimit(rlim_cur: maximumSeconds, rlim_max: maximumSeconds)
        setrlimit(__rlimit_resource_t(RLIMIT_CPU.rawValue), &time)
    }

    /// The last line on standard output names the input that is being read, should it end the process.
    private static func announce(_ text: String) {
        guard ProcessInfo.processInfo.environment["COEXIST_FUZZ_ANNOUNCE"] != nil else { return }
        FileHandle.standardOutput.write(Data((text + "\n").utf8))
    }

    private static func files(_ path: String) throws -> [String] {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue else {
            return [path]
        }
        return try FileManager.default.contentsOfDirectory(atPath: path).sorted().map { "\(path)/\($0)" }
    }
}
