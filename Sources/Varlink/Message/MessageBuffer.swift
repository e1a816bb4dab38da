import Glibc

/// Bytes from a stream, cut into messages at their NULs.
package struct MessageBuffer {
    private var bytes: [UInt8] = []
    /// Where the first message that was not taken begins.
    private var start = 0
    /// How far was looked for a NUL, so that a long message is not searched again with each piece.
    private var searched = 0
    let maximumMessageBytes: Int

    package init(maximumMessageBytes: Int) {
        self.maximumMessageBytes = maximumMessageBytes
    }

    /// Bytes that belong to no message taken so far.
    var count: Int { bytes.count - start }

    /// Adds bytes. The memory of a long message is given back once it was taken.
    package mutating func append(_ piece: UnsafeBufferPointer<UInt8>) {
        if start > 0, start == bytes.count || start > 1 << 16 {
            if start == bytes.count, bytes.capacity > 1 << 18 { bytes = [] } else { bytes.removeFirst(start) }
            searched -= start
            start = 0
        }
        bytes.append(contentsOf: piece)
    }

    /// Takes the next whole message and passes its text, without the NUL, to the body; nil if none is there yet.
    package mutating func next<Value>(
        _ body: (UnsafeBufferPointer<UInt8>) throws(MessageError) -> Value
    ) throws(MessageError) -> Value? {
        guard let end = endOfMessage() else {
            if count > maximumMessageBytes { throw .tooLong(limit: maximumMessageBytes) }
            return nil
        }
        let message = start..<end
        start = end + 1
        searched = start
        guard message.count <= maximumMessageBytes else { throw .tooLong(limit: maximumMessageBytes) }
        return try bytes.withUnsafeBufferPointer { (buffer) throws(MessageError) in
            try body(UnsafeBufferPointer(rebasing: buffer[message]))
        }
    }

    private mutating func endOfMessage() -> Int? {
        let from = searched
        let found: Int? = bytes.withUnsafeBytes { buffer in
            guard let base = buffer.baseAddress, from < buffer.count,
                let hit = memchr(base + from, 0, buffer.count - from)
            else { return nil }
            return UnsafeRawPointer(hit) - base
        }
        if found == nil { searched = bytes.count }
        return found
    }
}
