/// Writes values into a buffer.
struct JSONWriter {
    var bytes: [UInt8]
    let format: JSONFormat

    mutating func write(_ value: JSON, level: Int) {
        switch value {
        case .null: append("null")
        case .bool(let value): if value { append("true") } else { append("false") }
        case .integer(let value): write(magnitude: value.magnitude, isNegative: value < 0)
        case .unsigned(let value): write(magnitude: value, isNegative: false)
        case .double(let value): write(value)
        case .number(let text): bytes.append(contentsOf: text.utf8)
        case .string(let value): write(value)
        case .array(let elements): write(elements, level: level)
        case .object(let object): write(object, level: level)
        }
    }

    private mutating func write(_ elements: [JSON], level: Int) {
        bytes.append(UInt8(ascii: "["))
        for index in elements.indices {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            breakLine(level + 1)
            write(elements[index], level: level + 1)
        }
        if !elements.isEmpty { breakLine(level) }
        bytes.append(UInt8(ascii: "]"))
    }

    private mutating func write(_ object: JSONObject, level: Int) {
        bytes.append(UInt8(ascii: "{"))
        if format.sortsKeys {
            let sorted = object.sorted { $0.key.unicodeScalars.lexicographicallyPrecedes($1.key.unicodeScalars) }
            for (index, member) in sorted.enumerated() {
                write(member.key, member.value, isFirst: index == 0, level: level + 1)
            }
        } else {
            for index in object.indices {
                let member = object[index]
                write(member.key, member.value, isFirst: index == 0, level: level + 1)
            }
        }
        if !object.isEmpty { breakLine(level) }
        bytes.append(UInt8(ascii: "}"))
    }

    private mutating func write(_ key: String, _ value: JSON, isFirst: Bool, level: Int) {
        if !isFirst { bytes.append(UInt8(ascii: ",")) }
        breakLine(level)
        write(key)
        bytes.append(UInt8(ascii: ":"))
        if format.indentation != nil { bytes.append(UInt8(ascii: " ")) }
        write(value, level: level)
    }

    private mutating func breakLine(_ level: Int) {
        guard let indentation = format.indentation else { return }
        bytes.append(UInt8(ascii: "\n"))
        bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: indentation * level))
    }

    private mutating func append(_ word: StaticString) {
        bytes.append(contentsOf: UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
    }

    private mutating func write(magnitude: UInt64, isNegative: Bool) {
        if isNegative { bytes.append(UInt8(ascii: "-")) }
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            var rest = magnitude
            var first = 20
            repeat {
                let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
                first -= 1
                digits[first] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: digit)
                rest = quotient
            } while rest > 0
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: digits[first..<20]))
        }
    }

    private mutating func write(_ value: Double) {
        guard value.isFinite else { return append("null") }
        // Swift's own description is the shortest text that reads back equal, and valid JSON for finite values.
        bytes.append(contentsOf: value.description.utf8)
    }

    private mutating func write(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { utf8 in
            var run = 0
            for index in utf8.indices {
                let byte = utf8[index]
                guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else { continue }
                bytes.append(contentsOf: UnsafeBufferPointer(rebasing: utf8[run..<index]))
                escape(byte)
                run = index + 1
            }
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: utf8[run..<utf8.count]))
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func escape(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): append("\\\"")
        case UInt8(ascii: "\\"): append("\\\\")
        case 0x08: append("\\b")
        case 0x09: append("\\t")
        case 0x0A: append("\\n")
        case 0x0C: append("\\f")
        case 0x0D: append("\\r")
        default:
            append("\\u00")
            for nibble in [byte >> 4, byte & 0xF] {
                bytes.append(nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") + nibble - 10)
            }
        }
    }
}
