/// Why a model could not be read, written or hashed. Each message names the thing and, where there is one, the way out.
public enum ModelError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Nothing is at the path, or it cannot be read.
    case unreadable(path: String, reason: String)
    /// What is at the path is no model of a known kind.
    case unknownKind(path: String)
    /// The model is in Xcode's binary form from before 2011 (a file `elements`), which only Xcode reads.
    case binaryModelSource(path: String)
    /// A folder of versions without one that could be told as the current one.
    case noCurrentVersion(path: String, versions: [String])
    /// What names the current version names one that is not in the folder.
    case currentVersionMissing(path: String, name: String, versions: [String])
    /// The file is there but what it says is no model.
    case malformed(source: String, reason: String)
    /// The store's model cache is empty.
    case emptyCache
    /// The store's model cache, or another compressed part, cannot be expanded.
    case damagedCache(CompressionError)
    /// Something that the model may well say, but that is not understood here.
    case unsupported(what: String, place: String)
    /// An entity inherits from itself.
    case inheritanceCycle(entity: String)
    /// An entity, property or composite that is named but not there.
    case missing(what: String, place: String)

    /// What is wrong and, where there is one, the way out, in words.
    public var description: String {
        switch self {
        case .unreadable(let path, let reason): "\(path): \(reason)"
        case .unknownKind(let path):
            "\(path) is no model: .xcdatamodeld, .xcdatamodel, .mom and .momd are read"
        case .binaryModelSource(let path):
            "\(path) is in the binary form of Xcode 3 (`elements`): open and save it with a newer Xcode, or give the compiled .mom"
        case .noCurrentVersion(let path, let versions):
            versions.isEmpty
                ? "\(path) holds no model version"
                : "\(path) does not say which of its versions is current: name one of them, such as "
                    + "\(path)/\(versions[versions.count - 1])"
        case .currentVersionMissing(let path, let name, let versions):
            "\(path) calls \(name) its current version, but holds only \(versions.joined(separator: ", ")): name one of them"
        case .malformed(let source, let reason): "\(source) is no model: \(reason)"
        case .emptyCache: "the store's model cache is empty"
        case .damagedCache(let error): "the store's model cache is damaged (\(error))"
        case .unsupported(let what, let place): "\(place): \(what) is not supported"
        case .inheritanceCycle(let entity): "entity \(entity) inherits from itself"
        case .missing(let what, let place): "\(place): \(what) does not exist in the model"
        }
    }
}
