/// The grammar of names in interface descriptions.
enum InterfaceNames {
    /// `[A-Za-z]([-]*[A-Za-z0-9])*(\.[A-Za-z0-9]([-]*[A-Za-z0-9])*)+`
    static func isInterface(_ name: String) -> Bool {
        let labels = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard labels.count >= 2, name.utf8.first?.isLetter == true else { return false }
        return labels.allSatisfy { label in
            guard let first = label.first, let last = label.last, first.isAlphanumeric, last.isAlphanumeric else {
                return false
            }
            return label.allSatisfy { $0.isAlphanumeric || $0 == UInt8(ascii: "-") }
        }
    }

    /// `[A-Z][A-Za-z0-9]*`
    static func isMember(_ name: String) -> Bool {
        name.utf8.first?.isUpper == true && name.utf8.allSatisfy(\.isAlphanumeric)
    }

    /// `[A-Za-z](_?[A-Za-z0-9])*`
    static func isField(_ name: String) -> Bool {
        guard name.utf8.first?.isLetter == true else { return false }
        var mayUnderscore = true
        for byte in name.utf8 {
            if byte == UInt8(ascii: "_") {
                guard mayUnderscore else { return false }
                mayUnderscore = false
            } else {
                guard byte.isAlphanumeric else { return false }
                mayUnderscore = true
            }
        }
        return mayUnderscore
    }
}

extension UInt8 {
    /// Whether this is an ASCII letter or digit.
    fileprivate var isAlphanumeric: Bool { isLetter || isDigit }
}
