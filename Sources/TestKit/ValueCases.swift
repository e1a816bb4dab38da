import Foundation
import StoreFormat
import StoreModel

/// One value of one attribute, with what has to stand in the file: worked out by hand, for every way in and out.
public struct ValueCase: Sendable {
    /// The attribute of `Sample`.
    public let attribute: String
    /// The value, as both stacks take and give it.
    public let value: AttributeValue
    /// The value in JSON, for a client; nil where JSON has none.
    public let json: String?
    /// What the `sqlite3` shell has to find true of the row.
    public let sql: String

    /// Attribute and condition, for a test's name.
    public var name: String { "\(attribute): \(sql.prefix(80))" }

    init(_ attribute: String, _ value: AttributeValue, _ json: String?, _ sql: String) {
        self.attribute = attribute
        self.value = value
        self.json = json
        self.sql = sql
    }
}

/// Values of every attribute type, at the edges of what it holds.
public enum ValueCases {
    /// An entity `Sample` with an attribute of each type.
    public static let model: ModelDescription = {
        var sample = EntityDescription(name: "Sample")
        var external = AttributeDescription(name: "external", type: .binaryData, isOptional: true)
        external.allowsExternalBinaryDataStorage = true
        var place = AttributeDescription(name: "place", type: .composite, isOptional: true)
        place.valueClassName = "NSDictionary"
        place.elements = [
            AttributeDescription(name: "street", type: .string, isOptional: true),
            AttributeDescription(name: "height", type: .double, isOptional: true),
            AttributeDescription(name: "key", type: .uuid, isOptional: true),
            AttributeDescription(name: "image", type: .binaryData, isOptional: true),
        ]
        let simple: [(String, AttributeType)] = [
            ("small", .integer16), ("medium", .integer32), ("large", .integer64), ("flag", .boolean), ("real", .double),
            ("single", .float), ("moment", .date), ("amount", .decimal), ("text", .string), ("identifier", .uuid),
            ("link", .uri), ("bytes", .binaryData), ("archive", .transformable),
        ]
        sample.attributes =
            simple.map { AttributeDescription(name: $0, type: $1, isOptional: true) } + [external, place]
        return ModelDescription(entities: [sample])
    }()

    static let uuid = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 255))

    private static func date(_ seconds: Double) -> AttributeValue {
        .date(Date(timeIntervalSinceReferenceDate: seconds))
    }
    private static func decimal(_ text: String) -> AttributeValue {
        .decimal(Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")) ?? .nan)
    }
    private static func external(_ count: Int) -> AttributeValue { .data(Data(repeating: 0xAB, count: count)) }
    private static func base64(_ count: Int) -> String {
        "\"\(Data(repeating: 0xAB, count: count).base64EncodedString())\""
    }

    /// The values.
    public static let all: [ValueCase] = numbers + texts + blobs

    private static let numbers: [ValueCase] = [
        .init("small", .integer(32_767), "32767", "typeof(ZSMALL) = 'integer' AND ZSMALL = 32767"),
        .init("small", .integer(-32_768), "-32768", "typeof(ZSMALL) = 'integer' AND ZSMALL = -32768"),
        .init("medium", .integer(2_147_483_647), "2147483647", "typeof(ZMEDIUM) = 'integer' AND ZMEDIUM = 2147483647"),
        .init("medium", .integer(-2_147_483_648), "-2147483648", "ZMEDIUM = -2147483648"),
        .init("large", .integer(.max), "9223372036854775807", "ZLARGE = 9223372036854775807"),
        .init(
            "large", .integer(.min), "-9223372036854775808", "hex(ZLARGE) = '2D39323233333732303336383534373735383038'"),
        .init("flag", .bool(true), "true", "typeof(ZFLAG) = 'integer' AND ZFLAG = 1"),
        .init("flag", .bool(false), "false", "typeof(ZFLAG) = 'integer' AND ZFLAG = 0"),
        .init("real", .double(0.1), "0.1", "typeof(ZREAL) = 'real' AND ZREAL IS 0.1"),
        .init("real", .double(3), "3", "typeof(ZREAL) = 'real' AND ZREAL IS 3.0"),
        .init("real", .double(-0.0), "-0.0", "typeof(ZREAL) = 'real' AND ZREAL IS 0.0"),
        .init("real", .double(.leastNonzeroMagnitude), "5e-324", "ZREAL > 0 AND ZREAL / 2 = 0"),
        .init("real", .double(1.7976931348623157e308), "1.7976931348623157e308", "ZREAL IS 1.7976931348623157e308"),
        .init("real", .double(.infinity), nil, "typeof(ZREAL) = 'real' AND ZREAL IS 9e999"),
        .init("real", .double(-.infinity), nil, "ZREAL IS -9e999"),
        .init("single", .double(Double(Float(0.1))), "0.10000000149011612", "ZSINGLE IS 0.10000000149011612"),
        .init("moment", .date(.distantPast), "\"0000-12-30T00:00:00Z\"", "ZMOMENT = -63114076800"),
        .init("moment", .date(.distantFuture), "\"4001-01-01T00:00:00Z\"", "ZMOMENT = 63113904000"),
        .init(
            "moment", date(700_000_000), "\"2023-03-08T20:26:40Z\"",
            "typeof(ZMOMENT) = 'integer' AND ZMOMENT = 700000000"),
        .init(
            "moment", date(700_000_000.125), "\"2023-03-08T20:26:40.125Z\"",
            "typeof(ZMOMENT) = 'real' AND ZMOMENT IS 700000000.125"),
        .init("moment", date(700_000_000.1234567), "700000000.1234567", "ZMOMENT IS 700000000.1234567"),
        .init("moment", date(-1.1), "-1.1", "ZMOMENT IS -1.1"),
        .init(
            "moment", date(252_423_993_599.99997), "\"9999-12-31T23:59:59.999999Z\"", "ZMOMENT IS 252423993599.99997"),
        .init("moment", date(252_423_993_600), "252423993600", "ZMOMENT = 252423993600"),
        .init("moment", date(-63_145_526_400.5), "-63145526400.5", "ZMOMENT IS -63145526400.5"),
        .init("amount", decimal("0.1"), "\"0.1\"", "typeof(ZAMOUNT) = 'real' AND ZAMOUNT IS 0.1"),
        .init("amount", decimal("-0.00000000000000000001"), "\"-0.00000000000000000001\"", "ZAMOUNT IS -1e-20"),
        .init(
            "amount", decimal("9007199254740993"), "\"9007199254740993\"",
            "typeof(ZAMOUNT) = 'integer' AND ZAMOUNT = 9007199254740993"),
        .init("amount", decimal("99999999.9999999"), "\"99999999.9999999\"", "ZAMOUNT IS 99999999.9999999"),
        .init("amount", decimal("99999999.9999999"), "99999999.9999999", "ZAMOUNT IS 99999999.9999999"),
        .init("amount", decimal("1234567890123456"), "1234567890123456", "ZAMOUNT = 1234567890123456"),
        .init(
            "amount", decimal("1234567890123456789"), "1234567890123456789",
            "typeof(ZAMOUNT) = 'integer' AND ZAMOUNT = 1234567890123456789"),
        .init(
            "amount", decimal("-9223372036854775808"), "\"-9223372036854775808\"",
            "hex(ZAMOUNT) = '2D39323233333732303336383534373735383038'"),
    ]

    private static let texts: [ValueCase] = [
        .init("text", .string(""), "\"\"", "typeof(ZTEXT) = 'text' AND hex(ZTEXT) = ''"),
        .init("text", .string("a\u{0}b"), "\"a\\u0000b\"", "typeof(ZTEXT) = 'text' AND hex(ZTEXT) = '610062'"),
        .init("text", .string("👩‍👧"), "\"👩‍👧\"", "hex(ZTEXT) = 'F09F91A9E2808DF09F91A7'"),
        .init("text", .string("\u{E9}"), "\"\u{E9}\"", "hex(ZTEXT) = 'C3A9'"),
        .init("text", .string("e\u{301}"), "\"e\u{301}\"", "hex(ZTEXT) = '65CC81'"),
        .init(
            "text", .string(String(repeating: "xy", count: 1 << 19)), nil,
            "length(ZTEXT) = 1048576 AND ZTEXT = replace(hex(zeroblob(262144)), '00', 'xyxy')"),
        .init(
            "identifier", .uuid(uuid), "\"01020304-0506-0708-090a-0b0c0d0e0fff\"",
            "quote(ZIDENTIFIER) = 'X''0102030405060708090A0B0C0D0E0FFF'''"),
        .init(
            "link", .uri("https://example.org/ä?x=%20"), "\"https://example.org/ä?x=%20\"",
            "typeof(ZLINK) = 'text' AND ZLINK = 'https://example.org/ä?x=%20'"),
        .init("link", .uri(""), "\"\"", "typeof(ZLINK) = 'text' AND ZLINK = ''"),
    ]

    /// A keyed archive of the text `Dune`, in base64, as Python's plistlib writes it.
    public static let textArchive =
        "YnBsaXN0MDDUAQIDBAUGCQxZJGFyY2hpdmVyWCRvYmplY3RzVCR0b3BYJHZlcnNpb25fEA9OU0tleWVkQXJjaGl2ZXKiBwhVJG51"
        + "bGxURHVuZdEKC1Ryb290gAESAAGGoAgRGyQpMkRHTVJVWlwAAAAAAAABAQAAAAAAAAANAAAAAAAAAAAAAAAAAAAAYQ=="
    /// A keyed archive of an `NSColor`, which a secure transformer does not take.
    public static let colorArchive =
        "YnBsaXN0MDDUAQIDBAUGExZZJGFyY2hpdmVyWCRvYmplY3RzVCR0b3BYJHZlcnNpb25fEA9OU0tleWVkQXJjaGl2ZXKjBwgNVSRu"
        + "dWxs0gkKCwxWJGNsYXNzU3JlZIACIz/wAAAAAAAA0g4PEBFYJGNsYXNzZXNaJGNsYXNzbmFtZaIREldOU0NvbG9yWE5TT2JqZWN0"
        + "0RQVVHJvb3SAARIAAYagCBEbJCkyREhOU1peYGlud4KFjZaZnqAAAAAAAAABAQAAAAAAAAAXAAAAAAAAAAAAAAAAAAAApQ=="

    private static let blobs: [ValueCase] = [
        .init("bytes", .data(Data()), "\"\"", "typeof(ZBYTES) = 'blob' AND length(ZBYTES) = 0"),
        .init("bytes", .data(Data([0, 255])), "\"AP8=\"", "quote(ZBYTES) = 'X''00FF'''"),
        .init(
            "archive", .transformable(Data(base64Encoded: textArchive) ?? Data()),
            "{\"$transformable\":\"\(textArchive)\"}",
            "length(ZARCHIVE) = 142 AND hex(ZARCHIVE) LIKE '62706C6973743030%' AND instr(ZARCHIVE, 'Dune') > 0"),
        .init("external", .data(Data()), "\"\"", "quote(ZEXTERNAL) = 'X''01'''"),
        .init("external", external(3), base64(3), "quote(ZEXTERNAL) = 'X''01ABABAB'''"),
        .init(
            "external", external(131_072), base64(131_072),
            "length(ZEXTERNAL) = 131073 AND substr(ZEXTERNAL, 1, 2) = x'01AB'"),
        .init(
            "external", external(131_073), base64(131_073),
            "length(ZEXTERNAL) = 38 AND substr(ZEXTERNAL, 1, 1) = x'02' AND substr(ZEXTERNAL, 38) = x'00'"),
        .init("external", external(2_000_000), nil, "length(ZEXTERNAL) = 38 AND substr(ZEXTERNAL, 1, 1) = x'02'"),
        .init(
            "place",
            .composite([
                "street": .string("Rue é"), "height": .double(1.5), "key": .uuid(uuid), "image": .data(Data([7])),
            ]),
            "{\"street\":\"Rue é\",\"height\":1.5,\"key\":\"01020304-0506-0708-090A-0B0C0D0E0FFF\",\"image\":\"Bw==\"}",
            "ZSTREET = 'Rue é' AND ZHEIGHT IS 1.5 AND hex(ZKEY) = '0102030405060708090A0B0C0D0E0FFF' AND hex(ZIMAGE) = '07'"
        ),
    ]

    /// Values that no column holds without loss, with the error that refuses them.
    public static let refused: [(attribute: String, value: AttributeValue, code: StoreError.Code)] = [
        ("small", .integer(32_768), .typeMismatch), ("small", .integer(-32_769), .typeMismatch),
        ("medium", .integer(2_147_483_648), .typeMismatch), ("medium", .integer(-2_147_483_649), .typeMismatch),
        ("real", .double(.nan), .typeMismatch), ("moment", date(.nan), .typeMismatch),
        ("moment", date(.infinity), .typeMismatch), ("moment", date(-.infinity), .typeMismatch),
        ("amount", .decimal(.nan), .typeMismatch), ("amount", decimal("79228162514264337593543950335"), .precisionLoss),
        ("amount", decimal("12345678901234567890123456789012345678"), .precisionLoss),
        ("amount", decimal("0.12345678901234567"), .precisionLoss),
        ("amount", decimal("9223372036854775808"), .precisionLoss),
        ("amount", decimal("12345678901234567.5"), .precisionLoss), ("text", .integer(1), .typeMismatch),
        ("identifier", .string("01020304"), .typeMismatch), ("link", .data(Data()), .typeMismatch),
        ("flag", .integer(1), .typeMismatch), ("bytes", .string(""), .typeMismatch),
    ]

    /// What another hand may write into a column, as SQL: each has to leave every other attribute readable.
    public static let foreign: [(attribute: String, assignment: String)] = [
        ("small", "ZSMALL = 'abc'"), ("small", "ZSMALL = 70000"), ("small", "ZSMALL = 1.5"),
        ("small", "ZSMALL = x'00'"),
        ("large", "ZLARGE = 1e300"), ("flag", "ZFLAG = 'yes'"), ("real", "ZREAL = 'soon'"),
        ("moment", "ZMOMENT = 'soon'"), ("amount", "ZAMOUNT = 'much'"), ("amount", "ZAMOUNT = 1e300"),
        ("amount", "ZAMOUNT = 9e999"), ("text", "ZTEXT = x'FF'"), ("identifier", "ZIDENTIFIER = x'010203'"),
        ("identifier", "ZIDENTIFIER = '01020304-0506-0708-090A-0B0C0D0E0FFF'"), ("link", "ZLINK = ''"),
        ("link", "ZLINK = x'00'"), ("bytes", "ZBYTES = 5"), ("archive", "ZARCHIVE = x'00'"),
        ("external", "ZEXTERNAL = x'02'"), ("external", "ZEXTERNAL = x'022E2E2F2E2E2F706173737764'"),
        ("external", "ZEXTERNAL = x'0230303030303030302D303030302D303030302D303030302D30303030303030303030303000'"),
        ("place", "ZKEY = x'01'"), ("place", "ZHEIGHT = 'high'"),
    ]

    /// What is odd but can be shown as it is.
    public static let visible: [(attribute: String, assignment: String)] = [
        ("flag", "ZFLAG = 7"), ("real", "ZREAL = 9e999"), ("moment", "ZMOMENT = 1e300"), ("moment", "ZMOMENT = -9e999"),
        ("text", "ZTEXT = CAST(x'41FF42' AS TEXT)"), ("external", "ZEXTERNAL = x''"), ("external", "ZEXTERNAL = x'41'"),
        ("bytes", "ZBYTES = 'text'"),
    ]
}
