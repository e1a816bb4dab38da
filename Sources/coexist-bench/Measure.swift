import Foundation

/// Times and memory of a piece of work.
struct Measure {
    /// Wall-clock seconds.
    var seconds: Double
    /// Seconds that the process' threads ran for; other processes hardly change it.
    var processor: Double
    /// How far the process' resident memory rose at most during the work, in bytes.
    var peak: Int
    /// How much of that the result still holds.
    var held: Int

    /// Runs the work; its result is held until its memory has been read.
    static func run<T>(_ work: () throws -> T) rethrows -> Measure {
        giveBackFreeMemory()
        resetPeak()
        let before = memory("VmRSS")
        let clock = ContinuousClock()
        let (start, startProcessor) = (clock.now, processorTime())
        let result = try work()
        let (time, processor) = (clock.now - start, processorTime() - startProcessor)
        let peak = memory("VmHWM") - before
        giveBackFreeMemory()
        let held = memory("VmRSS") - before
        withExtendedLifetime(result) {}
        let (seconds, fraction) = time.components
        return Measure(
            seconds: Double(seconds) + Double(fraction) / 1e18, processor: processor, peak: peak, held: held)
    }

    /// The fastest of several runs, each with what `prepare` makes anew.
    static func best<P, T>(of runs: Int, prepare: () throws -> P, _ work: (P) throws -> T) rethrows -> Measure {
        var best: Measure?
        for _ in 0..<runs {
            let prepared = try prepare()
            let measure = try run { try work(prepared) }
            if best.map({ measure.seconds < $0.seconds }) ?? true { best = measure }
        }
        return best ?? Measure(seconds: 0, processor: 0, peak: 0, held: 0)
    }

    private static func processorTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// Has the allocator return what is free, so that only what is held counts. The Glibc module does not show the call.
    private static func giveBackFreeMemory() {
        typealias Trim = @convention(c) (Int) -> Int32
        if let symbol = dlsym(nil, "malloc_trim") { _ = unsafeBitCast(symbol, to: Trim.self)(0) }
    }

    /// Linux counts the peak of resident memory anew after this (proc(5), clear_refs).
    private static func resetPeak() {
        guard let file = FileHandle(forWritingAtPath: "/proc/self/clear_refs") else { return }
        try? file.write(contentsOf: Data("5".utf8))
        try? file.close()
    }

    private static func memory(_ field: String) -> Int {
        guard let text = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return 0 }
        let line = text.split(separator: "\n").first { $0.hasPrefix(field + ":") }
        return (line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 1024
    }
}

extension Double {
    /// Seconds as milliseconds, for a person.
    var inMilliseconds: String { "\((self * 100_000).rounded() / 100) ms" }
    /// A ratio, for a person.
    var inHundredths: String { "\((self * 100).rounded() / 100)" }
}
