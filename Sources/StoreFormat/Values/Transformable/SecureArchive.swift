import Foundation
import KeyedArchive

/// Keyed archives of plain values: what transformable attributes hold unless a program says otherwise.
///
/// An archive in a file is hostile input. It is read as a tree, of which only the classes below are taken; no class is
/// looked up by a name in the archive, nothing is made of another one, and depth and size are bounded. Taken are strings,
/// numbers, decimals, dates, data, UUIDs, URLs, `NSNull`, and arrays, sets, ordered sets and dictionaries of them.
public enum SecureArchive {
    /// Why data is no such archive, or a value has none.
    public struct Problem: Error, Sendable, CustomStringConvertible {
        /// What is wrong, for a person.
        public let description: String
    }

    static let maximumDepth = 64
    static let maximumValues = 1_000_000

    /// The value: `String`, `NSNumber`, `NSDecimalNumber`, `Date`, `Data`, `UUID`, `URL`, `NSNull`, `[Any]`, `NSSet`,
    /// `NSOrderedSet`, `[String: Any]`, or `NSDictionary` where keys are no strings.
    public static func object(_ data: Data) throws(Problem) -> Any {
        let limits = PropertyList.Limits(depth: maximumDepth, nodes: maximumValues)
        guard let archive = try? KeyedArchive(data: data, limits: limits) else {
            throw Problem(description: "the data is no keyed archive")
        }
        guard let root = archive.root else { throw Problem(description: "the archive has no root") }
        var reader = Reader()
        return try reader.value(root, depth: 0)
    }

    /// Whether data is a keyed archive of anything.
    static func isArchive(_ data: Data) -> Bool {
        let limits = PropertyList.Limits(depth: maximumDepth, nodes: maximumValues)
        return (try? KeyedArchive(data: data, limits: limits))?.root != nil
    }

    private struct Reader {
        /// A value that is shared counts each time, so that sharing cannot make much of little.
        private var left = SecureArchive.maximumValues

        mutating func value(_ object: ArchivedObject, depth: Int) throws(Problem) -> Any {
            left -= 1
            guard left > 0 else { throw Problem(description: "the archive holds too many values") }
            guard depth < SecureArchive.maximumDepth else {
                throw Problem(description: "the archive is too deep, or contains itself")
            }
            switch object.node {
            case .bool(let value): return NSNumber(value: value)
            case .integer(let value): return NSNumber(value: value)
            case .unsigned(let value): return NSNumber(value: value)
            case .real(let value): return NSNumber(value: value)
            case .string(let value): return value
            case .date(let value): return value
            case .data(let value): return value
            default: return try instance(object, depth)
            }
        }

        private mutating func instance(_ object: ArchivedObject, _ depth: Int) throws(Problem) -> Any {
            let name = object.className ?? ""
            let found: Any? =
                switch name {
                case "NSString", "NSMutableString": object.string
                case "NSDate": object.date
                case "NSData", "NSMutableData": object.data
                case "NSUUID": object.uuid
                case "NSURL": object.url.flatMap { URL(string: $0) }
                case "NSNull": NSNull()
                case "NSDecimalNumber": object.decimal.map { NSDecimalNumber(decimal: $0) }
                case "NSNumber", "NSValue": object.real.map { NSNumber(value: $0) }
                case "NSArray", "NSMutableArray": try elements(object, depth)
                case "NSSet", "NSMutableSet": try elements(object, depth).map { NSSet(array: $0) }
                case "NSOrderedSet", "NSMutableOrderedSet":
                    try elements(object, depth).map { NSOrderedSet(array: $0) }
                case "NSDictionary", "NSMutableDictionary": try entries(object, depth)
                default: throw Problem(description: "the archive holds a \(name.isEmpty ? "value of no class" : name)")
                }
            guard let found else { throw Problem(description: "the archive holds a \(name) without its value") }
            return found
        }

        private mutating func elements(_ object: ArchivedObject, _ depth: Int) throws(Problem) -> [Any]? {
            guard let elements = object.elements else { return nil }
            var values: [Any] = []
            for element in elements {
                values.append(
                    try element.map { element throws(Problem) in try value(element, depth: depth + 1) } ?? NSNull())
            }
            return values
        }

        private mutating func entries(_ object: ArchivedObject, _ depth: Int) throws(Problem) -> Any? {
            guard let entries = object.entries else { return nil }
            let result = NSMutableDictionary()
            var named: [String: Any]? = [:]
            for (key, element) in entries {
                let key = try value(key, depth: depth + 1)
                let element = try value(element, depth: depth + 1)
                if let name = key as? String { named?[name] = element } else { named = nil }
                guard let key = key as? AnyHashable else {
                    throw Problem(description: "a dictionary has a key of no use")
                }
                result[key] = element
            }
            return named ?? result
        }
    }

    // MARK: Writing

    /// The archive of such a value.
    /// - Throws: ``Problem`` for a value of any other type, and one that is too deep.
    public static func data(_ object: Any) throws(Problem) -> Data {
        var archiver = KeyedArchiver()
        let root = try add(object, to: &archiver, depth: 0)
        guard let data = try? archiver.archive(root: root) else { throw Problem(description: "has no archive") }
        return data
    }

    private static func add(
        _ object: Any, to archiver: inout KeyedArchiver, depth: Int
    ) throws(Problem) -> KeyedArchiver.Reference {
        guard depth < maximumDepth else { throw Problem(description: "is too deep") }
        func references(
            _ elements: [Any], _ archiver: inout KeyedArchiver
        ) throws(Problem) -> [KeyedArchiver.Reference] {
            var result: [KeyedArchiver.Reference] = []
            for element in elements { result.append(try add(element, to: &archiver, depth: depth + 1)) }
            return result
        }
        switch object {
        case let value as String: return archiver.string(value)
        case let value as Date:
            return archiver.object(
                "NSDate", bases: ["NSObject"], ["NS.time": .real(value.timeIntervalSinceReferenceDate)])
        case let value as Data: return archiver.value(.data(value))
        case let value as UUID:
            let bytes = withUnsafeBytes(of: value.uuid) { Data($0) }
            return archiver.object("NSUUID", bases: ["NSObject"], ["NS.uuidbytes": .data(bytes)])
        case let value as URL:
            return archiver.object(
                "NSURL", bases: ["NSObject"],
                [
                    "NS.base": KeyedArchiver.Reference.null.node,
                    "NS.relative": archiver.string(value.absoluteString).node,
                ])
        case is NSNull: return archiver.object("NSNull", bases: ["NSObject"], [:])
        case let value as Decimal: return archiver.decimal(value)
        case let value as NSDecimalNumber: return archiver.decimal(value.decimalValue)
        case let value as NSNumber: return archiver.value(node(value))
        case let value as NSOrderedSet:
            return archiver.collection("NSOrderedSet", try references(value.array, &archiver))
        case let value as NSSet: return archiver.collection("NSSet", try references(value.allObjects, &archiver))
        case let value as [Any]: return archiver.collection("NSArray", try references(value, &archiver))
        case let value as [String: Any]:
            var entries: [(key: KeyedArchiver.Reference, value: KeyedArchiver.Reference)] = []
            for (key, element) in value.sorted(by: { $0.key < $1.key }) {
                entries.append((archiver.string(key), try add(element, to: &archiver, depth: depth + 1)))
            }
            return archiver.dictionary("NSDictionary", entries)
        default: throw Problem(description: "is no plain value")
        }
    }

    private static func node(_ number: NSNumber) -> PropertyListNode {
        switch String(cString: number.objCType) {
        // Foundation here gives a Boolean and a byte the same type.
        case "c" where number.intValue == 0 || number.intValue == 1, "B": .bool(number.boolValue)
        case "f", "d": .real(number.doubleValue)
        case "Q", "L":
            number.uint64Value > UInt64(Int64.max) ? .unsigned(number.uint64Value) : .integer(number.int64Value)
        default: .integer(number.int64Value)
        }
    }
}
