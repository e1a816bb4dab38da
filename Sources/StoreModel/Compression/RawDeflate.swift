import CZlib
import Foundation

/// DEFLATE without a header, the form of `Z_MODELCACHE.Z_CONTENT` (Format, section 7).
public enum RawDeflate {
    /// 15 bits of window; negative asks zlib for no header and no checksum.
    private static let windowBits: Int32 = -15
    private static let chunk = 64 * 1024

    /// Expands a stream.
    /// - Parameter maximumSize: how many bytes it may become. Memory stays within about twice this.
    /// - Throws: ``CompressionError``.
    public static func inflate(_ data: Data, maximumSize: Int = 256 << 20) throws(CompressionError) -> Data {
        let stream = makeStream()
        defer { stream.deallocate() }
        let code = coexist_inflate_init(stream, windowBits)
        guard code == Z_OK else { throw .unavailable(code: Int(code)) }
        defer { inflateEnd(stream) }
        var output: [UInt8] = []
        let status = run(stream, data, &output, limit: maximumSize) { CZlib.inflate($0, Z_NO_FLUSH) }
        if output.count > maximumSize { throw .tooLarge(limit: maximumSize) }
        switch status {
        case Z_STREAM_END: break
        case Z_OK, Z_BUF_ERROR: throw .truncated(output: output.count)
        default: throw .corrupt(offset: Int(stream.pointee.total_in))
        }
        let rest = data.count - Int(stream.pointee.total_in)
        guard rest == 0 else { throw .trailingBytes(count: rest) }
        return Data(output)
    }

    /// Compresses bytes.
    /// - Parameter level: zlib's level, 0 to 9.
    /// - Throws: ``CompressionError/unavailable(code:)`` only.
    public static func deflate(_ data: Data, level: Int32 = 6) throws(CompressionError) -> Data {
        let stream = makeStream()
        defer { stream.deallocate() }
        let code = coexist_deflate_init(stream, level, windowBits)
        guard code == Z_OK else { throw .unavailable(code: Int(code)) }
        defer { deflateEnd(stream) }
        var output: [UInt8] = []
        let status = run(stream, data, &output, limit: .max) { CZlib.deflate($0, Z_FINISH) }
        guard status == Z_STREAM_END else { throw .unavailable(code: Int(status)) }
        return Data(output)
    }

    /// zlib remembers the stream's address and checks it, so it must not move.
    private static func makeStream() -> UnsafeMutablePointer<z_stream> {
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        stream.initialize(to: z_stream())
        return stream
    }

    /// Calls zlib with all of the input and a chunk of room after chunk, until it ends, fails, makes nothing more or has
    /// made more than the limit.
    private static func run(
        _ stream: UnsafeMutablePointer<z_stream>, _ data: Data, _ output: inout [UInt8], limit: Int,
        _ step: (UnsafeMutablePointer<z_stream>) -> Int32
    ) -> Int32 {
        var input = [UInt8](data)
        var room = [UInt8](repeating: 0, count: chunk)
        return input.withUnsafeMutableBufferPointer { source in
            room.withUnsafeMutableBufferPointer { target in
                stream.pointee.next_in = source.baseAddress
                stream.pointee.avail_in = UInt32(clamping: source.count)
                var status = Z_OK
                while status == Z_OK, output.count <= limit {
                    stream.pointee.next_out = target.baseAddress
                    stream.pointee.avail_out = UInt32(target.count)
                    status = step(stream)
                    let made = target.count - Int(stream.pointee.avail_out)
                    output.append(contentsOf: target.prefix(made))
                    if made == 0 { break }
                }
                return status
            }
        }
    }
}
