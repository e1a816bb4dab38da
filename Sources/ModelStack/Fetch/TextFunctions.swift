import Foundation
import SQLite
import StoreModel

/// The SQL functions that this stack's queries call, for what SQLite does not know of Unicode text.
enum TextFunctions {
    /// `standardContains(text, part)`: without case, diacritics and width.
    static let standardContains = "MODELSTACK_STANDARD_CONTAINS"
    /// `sortKey(text)`: orders as `localizedStandardCompare` does: without case and diacritics, numbers by value.
    static let sortKey = "MODELSTACK_SORT_KEY"

    /// `count(text)`: characters as Swift counts them.
    static let count = "MODELSTACK_COUNT"

    static func register(on connection: Connection) throws {
        try connection.createFunction(standardContains, argumentCount: 2) { arguments in
            guard let text = arguments[0].textValue, let part = arguments[1].textValue else { return .null }
            return .integer(text.containsStandard(part) ? 1 : 0)
        }
        try connection.createFunction(count, argumentCount: 1) { arguments in
            arguments[0].textValue.map { .integer(Int64($0.count)) } ?? .null
        }
        try connection.createFunction(sortKey, argumentCount: 1) { arguments in
            arguments[0].textValue.map { .text(standardSortKey($0)) } ?? .null
        }
    }

    private static func standardSortKey(_ text: String) -> String {
        var key = ""
        var digits = ""
        func flush() {
            guard !digits.isEmpty else { return }
            let number = digits.drop { $0 == "0" }
            // The count of digits first, so that longer numbers come later.
            key += String(repeating: "0", count: max(0, 6 - "\(number.count)".count)) + "\(number.count)" + number
            digits = ""
        }
        for character in TextMatch.fold(text, [.caseInsensitive, .diacriticInsensitive]) {
            if character.isASCII, character.isNumber {
                digits.append(character)
            } else {
                flush()
                key.append(character)
            }
        }
        flush()
        return key
    }
}

extension String {
    /// Whether the text contains the part, without regard to case, diacritics and width.
    func containsStandard(_ part: String) -> Bool {
        guard !part.isEmpty else { return true }
        let options: String.CompareOptions = [.caseInsensitive, .diacriticInsensitive, .widthInsensitive]
        return folding(options: options, locale: nil).contains(part.folding(options: options, locale: nil))
    }
}
