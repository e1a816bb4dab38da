import Foundation

/// Inputs that targets start from, made from models and texts written for it.
public enum Seeds {
    /// An input with its file's name.
    typealias Seed = (name: String, bytes: Data)

    /// Writes the seeds of every target into a folder of its name.
    public static func write(to folder: String) throws {
        for (target, seeds) in try all() {
            let place = URL(fileURLWithPath: folder).appendingPathComponent(target)
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
            for seed in seeds { try seed.bytes.write(to: place.appendingPathComponent(seed.name)) }
        }
    }

    private static func all() throws -> [String: [Seed]] {
        let models = try modelSeeds()
        return try models.merging(listSeeds()) { $0 + $1 }.merging(valueSeeds()) { $0 + $1 }
            .merging(textSeeds()) { $0 + $1 }.merging(storeSeeds()) { $0 + $1 }
    }

    static func seeds(_ texts: [(String, String)]) -> [Seed] { texts.map { ($0.0, Data($0.1.utf8)) } }

    /// Seeds named by their place, for short texts.
    static func numbered(_ texts: [String]) -> [Seed] {
        texts.enumerated().map { (String(format: "%02d", $0.offset + 1), Data($0.element.utf8)) }
    }
}
