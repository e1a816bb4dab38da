/// A strict parser over a buffer, which must outlive it. Strings and numbers are in extensions.
struct JSONParser {
    let bytes: UnsafeBufferPointer<UInt8>
    let maximumDepth: Int
    var refusesDuplicatesAtTop = false
    var position = 0
    private var depth = 0

    init(_ bytes: UnsafeBufferPointer<UInt8>, maximumDepth: Int) {
        self.bytes = bytes
        self.maximumDepth = maximumDepth
    }

    mutating func parseDocument() throws(JSONError) -> JSON {
        skipSpace()
        let value = try parseValue()
        skipSpace()
        guard position == bytes.count else { throw JSONError(.trailingBytes, at: position) }
        return value
    }

    /// The next byte; 0 at the end, which no place in the grammar accepts.
    @inline(__always)
    var current: UInt8 { position < bytes.count ? bytes[position] : 0 }

    @inline(__always)
    mutating func skipSpace() {
        while position < bytes.count {
            switch bytes[position] {
            case 0x20, 0x0A, 0x0D, 0x09: position += 1
            default: return
            }
        }
    }

    /// The error for a byte that cannot stand at the current position.
    func unexpected() -> JSONError {
        JSONError(position < bytes.count ? .unexpectedByte : .unexpectedEnd, at: position)
    }

    private mutating func parseValue() throws(JSONError) -> JSON {
        switch current {
        case UInt8(ascii: "\""): return .string(try parseString())
        case UInt8(ascii: "{"): return .object(try parseObject())
        case UInt8(ascii: "["): return .array(try parseArray())
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try parseNumber()
        case UInt8(ascii: "t"):
            try expect("true")
            return .bool(true)
        case UInt8(ascii: "f"):
            try expect("false")
            return .bool(false)
        case UInt8(ascii: "n"):
            try expect("null")
            return .null
        default: throw unexpected()
        }
    }

    private mutating func expect(_ word: StaticString) throws(JSONError) {
        for index in 0..<word.utf8CodeUnitCount {
            guard current == word.utf8Start[index] else { throw unexpected() }
            position += 1
        }
    }

    private mutating func enter() throws(JSONError) {
        guard depth < maximumDepth else { throw JSONError(.tooDeep, at: position) }
        depth += 1
        position += 1
        skipSpace()
    }

    private mutating func leave() {
        depth -= 1
        position += 1
    }

    private mutating func parseArray() throws(JSONError) -> [JSON] {
        try enter()
        var elements: [JSON] = []
        if current == UInt8(ascii: "]") {
            leave()
            return elements
        }
        while true {
            elements.append(try parseValue())
            skipSpace()
            switch current {
            case UInt8(ascii: ","):
                position += 1
                skipSpace()
            case UInt8(ascii: "]"):
                leave()
                return elements
            default: throw unexpected()
            }
        }
    }

    private mutating func parseObject() throws(JSONError) -> JSONObject {
        try enter()
        var object = JSONObject()
        if current == UInt8(ascii: "}") {
            leave()
            return object
        }
        while true {
            guard current == UInt8(ascii: "\"") else { throw unexpected() }
            let start = position
            let key = try parseString()
            skipSpace()
            guard current == UInt8(ascii: ":") else { throw unexpected() }
            position += 1
            skipSpace()
            let wasThere = object.set(key, try parseValue())
            if wasThere, refusesDuplicatesAtTop, depth == 1 { throw JSONError(.duplicateKey, at: start) }
            skipSpace()
            switch current {
            case UInt8(ascii: ","):
                position += 1
                skipSpace()
            case UInt8(ascii: "}"):
                leave()
                return object
            default: throw unexpected()
            }
        }
    }
}
