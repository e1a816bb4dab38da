import Foundation
import Testing

@testable import KeyedArchive

@Suite struct XMLPropertyListTests {
    private func parse(_ body: String) throws -> PropertyListNode {
        try PropertyList.parse(Data("<?xml version=\"1.0\"?>\n<plist version=\"1.0\">\(body)</plist>".utf8))
    }

    @Test func everyElementIsRead() throws {
        let node = try parse(
            """
            <dict><key>a</key><array><integer>-3</integer><real>1.5</real><true/><false/></array>
            <key>b &amp; c</key><string> x &lt; y </string><key>d</key><data> AQ
            I= </data><key>e</key><date>2001-01-01T00:01:40Z</date>
            <key>u</key><dict><key>CF$UID</key><integer>7</integer></dict><key>n</key><string></string></dict>
            """)
        #expect(
            node
                == .dictionary([
                    "a": .array([.integer(-3), .real(1.5), .bool(true), .bool(false)]), "b & c": .string(" x < y "),
                    "d": .data(Data([1, 2])), "e": .date(Date(timeIntervalSinceReferenceDate: 100)), "u": .uid(7),
                    "n": .string(""),
                ]))
    }

    @Test(arguments: [
        "<dict><key>a</key></dict>", "<dict><string>a</string></dict>", "<integer>x</integer>", "<what/>",
        "<array><integer>1</array>", "<string>a</string><string>b</string>", "", "<string><true/></string>",
        "<dict><key>a</key><key>b</key><true/></dict>",
    ])
    func whatIsNoListIsRefused(_ body: String) {
        #expect(throws: PropertyListError.self) { try parse(body) }
    }

    @Test func depthIsBounded() {
        let deep = String(repeating: "<array>", count: 100_000) + String(repeating: "</array>", count: 100_000)
        #expect(throws: PropertyListError.self) { try parse(deep) }
    }

    @Test func entitiesThatMultiplyAreRefused() {
        var text = "<?xml version=\"1.0\"?><!DOCTYPE p [<!ENTITY a0 \"xxxxxxxxxx\">"
        for level in 1...12 {
            text += "<!ENTITY a\(level) \"" + String(repeating: "&a\(level - 1);", count: 10) + "\">"
        }
        text += "]><plist><string>&a12;</string></plist>"
        let node = try? PropertyList.parse(Data(text.utf8))
        #expect((node?.string?.utf8.count ?? 0) < 10_000_000)
    }
}
