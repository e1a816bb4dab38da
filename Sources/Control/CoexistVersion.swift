/// The version of the programs.
public enum CoexistVersion {
    public static let text = "0.1.0"
}
