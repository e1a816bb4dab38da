import Foundation
import FuzzTargets

#if COEXIST_FUZZ
    import CLibFuzzer

    /// The target that libFuzzer's callback, which takes no context, reads with.
    nonisolated(unsafe) private var current: FuzzTarget?
#endif

/// libFuzzer over a target.
enum Fuzzer {
    #if COEXIST_FUZZ
        // `current` is set before the one thread that libFuzzer runs on begins.
        static func run(_ target: FuzzTarget, _ options: [String]) -> Int32 {
            current = target
            // libFuzzer keeps the arguments for as long as it runs.
            var arguments: [UnsafeMutablePointer<CChar>?] = (["coexist-fuzz"] + options).map { strdup($0) } + [nil]
            var count = Int32(options.count + 1)
            return arguments.withUnsafeMutableBufferPointer { buffer in
                var start = buffer.baseAddress
                return LLVMFuzzerRunDriver(&count, &start) { bytes, size in
                    let input = bytes.map { Data(bytes: $0, count: size) } ?? Data()
                    do {
                        _ = try current?.read(input)
                    } catch {
                        // A trap is what libFuzzer takes notice of.
                        fatalError("\(error)")
                    }
                    return 0
                }
            }
        }
    #else
        static func run(_ target: FuzzTarget, _ options: [String]) -> Int32 {
            FuzzCommand.complain(
                "coexist-fuzz: this build has no libFuzzer in it. Use `make fuzz TARGET=\(target.name)`")
            return 2
        }
    #endif
}
