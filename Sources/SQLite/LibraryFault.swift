import CSQLite

/// A fault of the SQLite library that this process runs on.
public struct LibraryFault: Sendable, Hashable {
    /// A short name.
    public var name: String
    /// What can happen.
    public var what: String
    /// The first version without it.
    public var fixedIn: String
    /// What Coexist does about it.
    public var remedy: String

    /// The known faults of a version that matter here.
    /// - Parameter version: as `Connection.libraryVersionNumber` has it: 3040001 for 3.40.1.
    public static func known(in version: Int = Connection.libraryVersionNumber) -> [LibraryFault] {
        hasResetFault(version) ? [reset] : []
    }

    /// From the release notes of 3.51.3: there since 3.7.0, fixed also in 3.50.7 and 3.44.6.
    private static func hasResetFault(_ version: Int) -> Bool {
        let isFixed =
            version >= 3_051_003 || (3_050_007..<3_051_000).contains(version)
            || (3_044_006..<3_045_000).contains(version)
        return version >= 3_007_000 && !isFixed
    }

    private static let reset = LibraryFault(
        name: "the WAL-reset fault",
        what: "a checkpoint that meets a commit which starts the log anew can damage the database",
        fixedIn: "3.51.3", remedy: "automatic checkpoints are off, and checkpoints take the writer's lock")
}
