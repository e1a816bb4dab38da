/// Why a DEFLATE stream could not be read or written.
public enum CompressionError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The stream ends before its last block does, after that many bytes of output.
    case truncated(output: Int)
    /// The bytes are no DEFLATE stream.
    case corrupt(offset: Int)
    /// The output would be larger than the caller allows.
    case tooLarge(limit: Int)
    /// Bytes follow the stream's end.
    case trailingBytes(count: Int)
    /// zlib could not start, which it does only for want of memory.
    case unavailable(code: Int)

    /// What is wrong with the stream, in words.
    public var description: String {
        switch self {
        case .truncated(let output): "the compressed stream is cut short after \(output) bytes of output"
        case .corrupt(let offset): "the compressed stream is damaged near byte \(offset)"
        case .tooLarge(let limit): "the compressed stream grows above \(limit) bytes"
        case .trailingBytes(let count): "\(count) bytes follow the compressed stream"
        case .unavailable(let code): "zlib could not start (code \(code))"
        }
    }
}
