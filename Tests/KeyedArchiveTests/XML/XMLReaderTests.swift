import Foundation
import KeyedArchive
import Testing

@Suite struct XMLReaderTests {
    private func read(_ bytes: some Sequence<UInt8>, depth: Int = 8) throws -> [XMLReader.Event] {
        var reader = try XMLReader(Data(bytes), maximumDepth: depth)
        var events: [XMLReader.Event] = []
        while let event = try reader.next() {
            // Text can come in pieces.
            if case .text(let more) = event, case .text(let before)? = events.last {
                events[events.count - 1] = .text(before + more)
            } else {
                events.append(event)
            }
        }
        return events
    }

    private func read(_ text: String, depth: Int = 8) throws -> [XMLReader.Event] { try read(text.utf8, depth: depth) }

    @Test func elementsAttributesAndText() throws {
        let text = """
            \u{FEFF}<?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE a PUBLIC "-//A//>" 'x'>
            <!-- before --><a b="1" c:d='2"'><e/>text<f >x</f ></a>
            <!-- after --><?done?>
            """
        #expect(
            try read(text) == [
                .start(name: "a", attributes: ["b": "1", "c:d": "2\""]), .start(name: "e", attributes: [:]),
                .end(name: "e"), .text("text"), .start(name: "f", attributes: [:]), .text("x"), .end(name: "f"),
                .end(name: "a"),
            ])
    }

    @Test func whatReferencesAndSectionsStandFor() throws {
        #expect(
            try read("<a b='&lt;&#65;&#x1F6F6;\n\t'>&amp;&quot;&apos;&gt;<![CDATA[<&amp;]]>\r\n\rß</a>") == [
                .start(name: "a", attributes: ["b": "<A🛶  "]), .text("&\"'><&amp;\n\nß"), .end(name: "a"),
            ])
    }

    @Test(arguments: [
        "", " ", "text", "<a>", "<a", "<a b>", "<a b=1/>", "<a b='1' b='2'/>", "<a b='1'c='2'/>", "<a b='<'/>",
        "<a></b>",
        "</a>", "<a/><b/>", "<a/>text", "<1/>", "<-a/>", "< a/>", "<a>&b;</a>", "<a>&#0;</a>", "<a>&#xD800;</a>",
        "<a>&lt</a>",
        "<a>&#x110000;</a>", "<a>&#99999999999999999999;</a>", "<a>&;</a>", "<a>\u{1}</a>", "<a><!-- </a>",
        "<a><![CDATA[</a>",
        "<?xml ", "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", "<!DOCTYPE a", "<a><!DOCTYPE a></a>", "<a b='",
        "<?xml version='1.0' encoding='KOI8-R'?><a/>", "<a><![CDATA[x]]></a><![CDATA[x]]>",
    ])
    func whatIsNotWellFormed(text: String) {
        #expect(throws: XMLError.self) { try read(text) }
    }

    @Test func bytesThatAreNotUTF8() {
        for bytes: [UInt8] in [
            Array("<a ".utf8) + [0xC9] + Array("l='1'/>".utf8), [0xFF, 0xFE, 0x3C, 0x00, 0x61, 0x00],
            [0x3C, 0xC0, 0x80],
        ] {
            #expect(throws: XMLError.self) { try read(bytes) }
        }
    }

    @Test func depthIsBounded() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth)
        }
        #expect(try read(nested(8)).count == 16)
        #expect(throws: XMLError.self) { try read(nested(9)) }
        #expect(throws: XMLError.self) { try read(nested(1_000_000)) }
    }

    @Test func errorsNameTheLine() throws {
        let error = #expect(throws: XMLError.self) { try read("<a>\n<b>\n\n</c>") }
        #expect(error?.line == 4)
    }
}
