import Foundation

/// Where a path leads. What lies beside a database (its log, lock, queue, folders) lies beside the file, and not beside a
/// link to it: whoever comes by a link has to meet whoever comes by the file's own name.
public enum RealPath {
    /// The path with its links followed, also those of folders; the path as it is where there are none in it. Of a file
    /// that is not there yet its folder's links are followed. A link that leads nowhere stays: it is nobody's name.
    public static func of(_ path: String) -> String {
        guard let real = resolved(path) ?? resolvedFolder(of: path) else { return path }
        // A relative path stays as the person wrote it.
        return real == plain(path) ? path : real
    }

    /// The folder that the path's last part lies in: the working directory for a bare name.
    public static func folder(of path: String) -> String {
        let folder = (path as NSString).deletingLastPathComponent
        return folder.isEmpty ? "." : folder
    }

    private static func resolved(_ path: String) -> String? {
        guard let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        return String(cString: real)
    }

    private static func resolvedFolder(of path: String) -> String? {
        var info = stat()
        guard !path.isEmpty, lstat(path, &info) != 0, errno == ENOENT else { return nil }
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard let name = parts.last, !name.isEmpty, name != ".", name != ".." else { return nil }
        let folder = parts.count == 1 ? "." : parts.dropLast().joined(separator: "/")
        guard let real = resolved(folder.isEmpty ? "/" : folder) else { return nil }
        return real == "/" ? "/\(name)" : "\(real)/\(name)"
    }

    /// The absolute path, by its text alone.
    private static func plain(_ path: String) -> String {
        let absolute = path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
        var parts: [Substring] = []
        for part in absolute.split(separator: "/") where part != "." {
            if part == ".." { _ = parts.popLast() } else { parts.append(part) }
        }
        return "/" + parts.joined(separator: "/")
    }
}
