import Foundation
import KeyedArchive

extension ModelArchiveWriter {
    /// - Parameter className: the class of a dictionary.
    mutating func value(
        _ value: ModelValue, _ place: String, dictionary className: String = "NSDictionary"
    ) throws(ModelError) -> KeyedArchiver.Reference {
        switch value {
        case .null: return .null
        case .bool(let value): return archiver.value(.bool(value))
        case .integer(let value): return archiver.value(.integer(value))
        case .double(let value): return archiver.value(.real(value))
        case .string(let value): return archiver.string(value)
        case .data(let value): return archiver.value(.data(value))
        case .date(let value):
            return archiver.object(
                "NSDate", bases: ["NSObject"], ["NS.time": .real(value.timeIntervalSinceReferenceDate)])
        case .uuid(let value):
            let bytes = withUnsafeBytes(of: value.uuid) { Data($0) }
            return archiver.object("NSUUID", bases: ["NSObject"], ["NS.uuidbytes": .data(bytes)])
        case .url(let value):
            return archiver.object(
                "NSURL", bases: ["NSObject"],
                ["NS.base": KeyedArchiver.Reference.null.node, "NS.relative": archiver.string(value).node])
        case .decimal(let value): return archiver.decimal(value)
        case .array(let values):
            var references: [KeyedArchiver.Reference] = []
            for element in values { references.append(try self.value(element, place)) }
            return archiver.collection("NSArray", references)
        case .dictionary(let values):
            var entries: [(key: KeyedArchiver.Reference, value: KeyedArchiver.Reference)] = []
            for (key, element) in values.sorted(by: { $0.key < $1.key }) {
                entries.append((archiver.string(key), try self.value(element, place)))
            }
            return archiver.dictionary(className, entries)
        case .archived(let className, let data):
            return try copy(data, className, place)
        }
    }

    /// What stands in an archive of its own, with all that it reaches.
    mutating func copy(_ archive: Data, _ className: String, _ place: String) throws(ModelError)
        -> KeyedArchiver.Reference
    {
        guard let root = try? KeyedArchive(data: archive).root else {
            throw .malformed(source: place, reason: "the archived \(className) in it is no archive")
        }
        return archiver.copy(root)
    }

    mutating func predicate(parsing format: String, _ place: String) throws(ModelError) -> KeyedArchiver.Reference {
        let node: PredicateNode
        do {
            node = try PredicateNode.parse(format)
        } catch {
            throw .malformed(source: place, reason: "\(error)")
        }
        return try predicate(node, place)
    }

    mutating func expression(parsing format: String, _ place: String) throws(ModelError) -> KeyedArchiver.Reference {
        let node: ExpressionNode
        do {
            node = try ExpressionNode.parse(format)
        } catch {
            throw .malformed(source: place, reason: "\(error)")
        }
        return try expression(node, place)
    }
}

extension ModelValue {
    /// The value as an archive of its own; nil where it holds what is no archive.
    var keyedArchive: Data? {
        var writer = ModelArchiveWriter(ModelDescription())
        guard let root = try? writer.value(self, "a value") else { return nil }
        return try? writer.archiver.archive(root: root)
    }
}
