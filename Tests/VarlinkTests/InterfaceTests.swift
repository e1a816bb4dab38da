import Testing
import Varlink

@Suite("Interface descriptions")
struct InterfaceTests {
    private static let text = """
        # About the interface,
        # in two lines.
        interface org.example-site.kitchen2

        # stray, not about what follows

        # A size.
        type Size (small, large)
        type Dish (
          # The name.
          name: string,
          size: ?Size, # trailing
          tags: [string](),
          parts: []?(a: int, b_c: [][string]float)
        )
        # Cooks.
        method Cook(dish: Dish, extra: ?object) -> (ok: bool)
        method Clean() -> ()
        error Burnt (minutes: int)
        error Empty ()
        """

    @Test("A description gives its members, types and comments")
    func parses() throws {
        let interface = try InterfaceDescription(parsing: Self.text)
        #expect(interface.name == "org.example-site.kitchen2")
        #expect(interface.documentation == "About the interface,\nin two lines.")
        #expect(interface.members.map(\.name) == ["Size", "Dish", "Cook", "Clean", "Burnt", "Empty"])
        #expect(
            interface.member("Size")
                == InterfaceMember("Size", .type(.enumeration(["small", "large"])), documentation: "A size."))
        let parts = InterfaceType.array(
            .optional(
                .structure([
                    InterfaceField("a", .int), InterfaceField("b_c", .array(.map(.float))),
                ])))
        #expect(
            interface.member("Dish")?.declaration
                == .type(
                    .structure([
                        InterfaceField("name", .string, documentation: "The name."),
                        InterfaceField("size", .optional(.named("Size"))),
                        InterfaceField("tags", .map(.structure([]))),
                        InterfaceField("parts", parts),
                    ])))
        #expect(interface.member("Cook")?.documentation == "Cooks.")
        #expect(interface.output(ofMethod: "Cook") == [InterfaceField("ok", .bool)])
        #expect(interface.input(ofMethod: "Clean") == [])
        #expect(interface.input(ofMethod: "Burnt") == nil)
        #expect(interface.parameters(ofError: "Burnt") == [InterfaceField("minutes", .int)])
    }

    @Test("The printed text parses to the same members, and prints the same again")
    func roundTrip() throws {
        let interface = try InterfaceDescription(parsing: Self.text)
        let again = try InterfaceDescription(parsing: interface.normalizedText)
        #expect(again.members == interface.members)
        #expect(again.documentation == interface.documentation)
        #expect(again.normalizedText == again.text)
        #expect(again.text.contains("\nmethod Cook(dish: Dish, extra: ?object) -> (ok: bool)\n"))
        #expect(again.text.contains("\ntype Dish (\n  # The name.\n  name: string,\n"))
    }

    @Test("Long declarations are broken, a field a line")
    func longLines() throws {
        let words = (1...20).map { "field\($0)" }
        let fields = words.map { "\($0): string" }.joined(separator: ", ")
        let text = "interface a.b\n\nmethod M(\(fields)) -> (\(fields))\n"
        let interface = try InterfaceDescription(parsing: text)
        let printed = interface.normalizedText
        #expect(printed.contains("method M(\n  field1: string,\n"))
        #expect(printed.contains("\n) -> (\n  field1: string,\n"))
        #expect(try InterfaceDescription(parsing: printed).members == interface.members)
    }

    @Test(
        "Faults are refused with their line",
        arguments: [
            ("", 1), ("interface nodots", 1), ("interface a.b-", 1), ("interface 1a.b", 1), ("interface a..b", 1),
            ("interface a.b\nmethod low() -> ()", 2), ("interface a.b\nmethod M() ()", 2),
            ("interface a.b\ntype T (a: ??int)", 2), ("interface a.b\ntype T (a: []Unknown)\n", 2),
            ("interface a.b\n\ntype T (a: int,)", 3), ("interface a.b\ntype T (a: int, b)", 2),
            ("interface a.b\ntype T (a, b: int)", 2), ("interface a.b\ntype T (a_: int)", 2),
            ("interface a.b\ntype T (a__b: int)", 2), ("interface a.b\ntype T (a: int, a: int)", 2),
            ("interface a.b\ntype T int", 2), ("interface a.b\nmethod M(a, b) -> ()", 2),
            ("interface a.b\ntype T ()\nerror T ()", 3), ("interface a.b\nerror E ()\nmethod M(e: E) -> ()", 3),
            ("interface a.b\nthing T ()", 2), ("interface a.b\ntype T (a: [int]string)", 2),
        ])
    func faults(text: String, line: Int) throws {
        let error = #expect(throws: InterfaceError.self) { try InterfaceDescription(parsing: text) }
        #expect(abs((error?.line ?? 0) - line) <= 1, "\(String(describing: error))")
    }

    @Test("Types nested without end are refused")
    func hostileDepth() {
        let text = "interface a.b\ntype T (a: " + String(repeating: "[]", count: 10_000) + "int)"
        #expect(throws: InterfaceError.self) { try InterfaceDescription(parsing: text) }
    }

    @Test(
        "Parameters are checked against the fields, and the first that does not agree is named",
        arguments: [
            (["dish": ["name": "x", "tags": [:], "parts": []]], nil),
            (
                [
                    "dish": [
                        "name": "x", "size": "small", "tags": ["t": [:]], "parts": [nil, ["a": 1, "b_c": [["k": 1]]]],
                    ]
                ], nil
            ),
            (["dish": ["name": "x", "size": nil, "tags": [:], "parts": []], "extra": ["any": [1]]], nil),
            ([:], "dish"), (["dish": 1], "dish"), (["dish": ["tags": [:], "parts": []]], "dish.name"),
            (["dish": ["name": "x", "size": "huge", "tags": [:], "parts": []]], "dish.size"),
            (["dish": ["name": "x", "tags": ["t": 1], "parts": []]], "dish.tags.t"),
            (["dish": ["name": "x", "tags": [:], "parts": [["a": 1.5, "b_c": []]]]], "dish.parts[0].a"),
            (["dish": ["name": "x", "tags": [:], "parts": [], "colour": 1]], "dish.colour"),
            (["dish": ["name": "x", "tags": [:], "parts": []], "more": 1], "more"),
            (["dish": ["name": "x", "tags": [:], "parts": []], "extra": "text"], "extra"),
        ] as [(JSONObject, String?)])
    func parameters(parameters: JSONObject, invalid: String?) throws {
        let interface = try InterfaceDescription(parsing: Self.text)
        let fields = try #require(interface.input(ofMethod: "Cook"))
        #expect(interface.firstInvalid(in: parameters, for: fields) == invalid)
    }
}
