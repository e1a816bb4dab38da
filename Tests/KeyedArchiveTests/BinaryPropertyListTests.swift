import Foundation
import Testing

@testable import KeyedArchive

@Suite struct BinaryPropertyListTests {
    /// Written by Python's `plistlib.dumps(…, fmt=FMT_BINARY)`.
    static let sample = """
        YnBsaXN0MDDXAQIDBAUGBwgOFRYXGBlRYVFiU2JpZ1Rsb25nUW1RblF1pQkKCwwNEAET//////////4jQAwAAAAAAAAJCNMPEBESExRRY1FkUWVCAQJl\
        AGgA6QBsAGwAbzNAWQAAAAAAABQAAAAAAAAAAIAAAAAAAAAFXxAUeHh4eHh4eHh4eHh4eHh4eHh4eHgTAAABAAAAAAASAAERcIEBLAgXGRsfJCYoKjAy\
        O0RFRk1PUVNWYWp7kpugAAAAAAAAAQEAAAAAAAAAGgAAAAAAAAAAAAAAAAAAAKM=
        """

    static let expected = PropertyListNode.dictionary([
        "a": .array([.integer(1), .integer(-2), .real(3.5), .bool(true), .bool(false)]),
        "b": .dictionary([
            "c": .data(Data([1, 2])), "d": .string("héllo"), "e": .date(Date(timeIntervalSinceReferenceDate: 100)),
        ]),
        "u": .uid(300), "big": .unsigned(1 << 63 + 5), "long": .string(String(repeating: "x", count: 20)),
        "n": .integer(70000), "m": .integer(1 << 40),
    ])

    private func bytes() throws -> Data { try #require(Data(base64Encoded: Self.sample)) }

    @Test func everyKindOfValueIsRead() throws {
        #expect(try PropertyList.parse(bytes()) == Self.expected)
    }

    @Test func whatIsWrittenReadsBackEqual() throws {
        #expect(try PropertyList.parse(PropertyList.binary(Self.expected)) == Self.expected)
        let many = PropertyListNode.array((0..<70_000).map { .integer($0) })
        #expect(try PropertyList.parse(PropertyList.binary(many)) == many)
    }

    @Test func foundationReadsWhatIsWritten() throws {
        let list = PropertyListNode.dictionary([
            "text": .string("héllo \u{1F600}"), "numbers": .array([.integer(-1), .integer(256), .real(0.25)]),
            "data": .data(Data([9])),
        ])
        let read = try PropertyListSerialization.propertyList(from: PropertyList.binary(list), format: nil)
        let dictionary = try #require(read as? [String: Any])
        #expect(dictionary["text"] as? String == "héllo \u{1F600}")
        #expect(dictionary["numbers"] as? [Double] == [-1, 256, 0.25])
        #expect(dictionary["data"] as? Data == Data([9]))
    }

    @Test func aNullCannotBeWritten() {
        #expect(throws: PropertyListError.self) { try PropertyList.binary(.array([.null])) }
    }

    @Test func aListCutAtAnyByteIsRefused() throws {
        let whole = try bytes()
        for length in 0..<whole.count {
            #expect(throws: PropertyListError.self) { try PropertyList.parse(whole.prefix(length)) }
        }
    }

    @Test func anyFlippedBitGivesAValueOrATypedError() throws {
        let whole = try bytes()
        var refused = 0
        for bit in 0..<whole.count * 8 {
            var broken = whole
            broken[bit / 8] ^= 1 << (bit % 8)
            if kind(broken) != nil { refused += 1 }
        }
        #expect(refused > 0)
    }

    /// An object table given by hand: `objects` one after the other, one-byte offsets and references.
    private func list(_ objects: [[UInt8]]) -> Data {
        var out = Data("bplist00".utf8)
        var offsets: [UInt8] = []
        for object in objects {
            offsets.append(UInt8(out.count))
            out.append(contentsOf: object)
        }
        let table = UInt8(out.count)
        out.append(contentsOf: offsets + [0, 0, 0, 0, 0, 0, 1, 1])
        for number in [UInt8(objects.count), 0, table] { out.append(contentsOf: [0, 0, 0, 0, 0, 0, 0, number]) }
        return out
    }

    private func kind(_ data: Data, _ limits: PropertyList.Limits = .init()) -> PropertyListError.Kind? {
        do {
            _ = try PropertyList.parse(data, limits: limits)
            return nil
        } catch {
            return error.kind
        }
    }

    @Test func hostileObjectsAreRefusedForWhatTheyAre() {
        #expect(kind(list([[0xA1, 0]])) == .cycle)
        #expect(kind(list([[0xA1, 1], [0xA1, 0]])) == .cycle)
        #expect(kind(list([[0xA1, 7]])) == .outOfBounds)
        #expect(kind(list([[0xAF, 0x13, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]])) == .truncated)
        #expect(kind(list([[0x4F, 0x12, 0xFF, 0xFF, 0xFF, 0xFF]])) == .truncated)
        #expect(kind(list([[0xE0]])) == .unknownMarker)
        #expect(kind(list([[0x51, 0xC3]])) == .badText)
        #expect(kind(list([[0xD1, 1, 1], [0x08]])) == .badText)
        #expect(kind(Data("hello".utf8)) == .notAPropertyList)
        #expect(kind(Data()) == .notAPropertyList)
    }

    @Test func sharedContainersDoNotMultiplyWithoutBound() {
        // Each array holds the next one 14 times: 14^12 values out of 200 bytes.
        let levels = (1...12).map { [0xAE] + Array(repeating: UInt8($0), count: 14) } + [[0x08]]
        #expect(kind(list(levels)) == .tooLarge)
    }

    @Test func depthIsBounded() {
        let levels = (1...40).map { [0xA1, UInt8($0)] } + [[0x08]]
        #expect(kind(list(levels)) == nil)
        #expect(kind(list(levels), .init(depth: 30)) == .tooLarge)
    }
}
