/// The version of the programs.
public enum CoexistVersion {
    /// The version as `major.minor.patch`.
    public static let text = "0.1.0"
}
