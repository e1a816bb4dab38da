import Foundation
import Testing

@testable import StoreModel

@Suite struct RawDeflateTests {
    /// Made with Python: `zlib.compressobj(9, zlib.DEFLATED, -15)` over `b"coexist " * 100`.
    private let stream = Data(base64Encoded: "S85PrcgsLlFIHqVH6VEagwYA")

    @Test func aStreamOfAnotherWriterIsRead() throws {
        let expected = Data(String(repeating: "coexist ", count: 100).utf8)
        #expect(try RawDeflate.inflate(#require(stream)) == expected)
    }

    @Test func whatIsWrittenReadsBack() throws {
        for size in [0, 1, 100, 70_000, 300_000] {
            let data = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 3) })
            #expect(try RawDeflate.inflate(RawDeflate.deflate(data)) == data)
        }
    }

    @Test func aCutStreamIsRefusedAtEveryByte() throws {
        let whole = try #require(stream)
        for length in 0..<whole.count {
            #expect(throws: CompressionError.self) { try RawDeflate.inflate(whole.prefix(length)) }
        }
    }

    @Test func outputIsBounded() throws {
        let bomb = try RawDeflate.deflate(Data(count: 8 << 20))
        #expect(throws: CompressionError.tooLarge(limit: 1 << 20)) {
            try RawDeflate.inflate(bomb, maximumSize: 1 << 20)
        }
    }

    @Test func bytesBehindTheStreamAreNoticed() throws {
        let data = try RawDeflate.deflate(Data([1, 2, 3])) + Data([0, 0])
        #expect(throws: CompressionError.trailingBytes(count: 2)) { try RawDeflate.inflate(data) }
    }
}
