import Foundation
import KeyedArchive

extension ModelArchiveWriter {
    mutating func value(_ value: ModelValue, _ place: String) throws(ModelError) -> KeyedArchiver.Reference {
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
        case .decimal(let value): return decimal(value)
        case .array(let values):
            var references: [KeyedArchiver.Reference] = []
            for element in values { references.append(try self.value(element, place)) }
            return archiver.collection("NSArray", references)
        case .dictionary(let values):
            var entries: [(key: KeyedArchiver.Reference, value: KeyedArchiver.Reference)] = []
            for (key, element) in values.sorted(by: { $0.key < $1.key }) {
                entries.append((archiver.string(key), try self.value(element, place)))
            }
            return archiver.dictionary("NSDictionary", entries)
        case .archived(let className, let data):
            guard let root = try? KeyedArchive(data: data).root else {
                throw .malformed(source: place, reason: "the archived \(className) in it is no archive")
            }
            return archiver.copy(root)
        }
    }

    /// `NSDecimalNumber`: up to eight 16-bit words, least significant first, in little-endian order.
    private mutating func decimal(_ value: Decimal) -> KeyedArchiver.Reference {
        var rest = value.significand.magnitude
        var words: [UInt8] = []
        var length: Int64 = 0
        for _ in 0..<8 {
            var quotient = Decimal()
            var scaled = rest / 65536
            NSDecimalRound(&quotient, &scaled, 0, .down)
            let word = NSDecimalNumber(decimal: rest - quotient * 65536).intValue & 0xFFFF
            words += [UInt8(word & 0xFF), UInt8(word >> 8)]
            if rest != 0 { length += 1 }
            rest = quotient
        }
        return archiver.object(
            "NSDecimalNumber", bases: ["NSNumber", "NSValue", "NSObject"],
            [
                "NS.mantissa": .data(Data(words)), "NS.mantissa.bo": .integer(1), "NS.length": .integer(length),
                "NS.exponent": .integer(Int64(value.exponent)), "NS.negative": .bool(value.sign == .minus),
                "NS.compact": .bool(true),
            ])
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
