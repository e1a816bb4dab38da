import Foundation
import SQLite
import StoreFormat
import StoreModel
import TestKit
import Testing

/// What a model asks of values and of relationships beyond bounds and patterns: `verify` warns of what a save would refuse.
struct ModelRuleTests {
    private static func attribute(_ name: String, _ type: AttributeType, _ rules: String...) -> AttributeDescription {
        var attribute = AttributeDescription(name: name, type: type, isOptional: true)
        attribute.validations = rules.map { .init(predicateFormat: $0) }
        return attribute
    }

    private static func many(_ name: String, _ destination: String, _ inverse: String?, _ counts: ClosedRange<Int>)
        -> RelationshipDescription
    {
        var relationship = RelationshipDescription(
            name: name, destination: destination, inverse: inverse, maxCount: counts.upperBound)
        relationship.minCount = counts.lowerBound
        return relationship
    }

    private static let model: ModelDescription = {
        var team = EntityDescription(name: "Team")
        team.attributes = [
            attribute("name", .string, "NOT (SELF CONTAINS[c] 'draft')", "SELF != 'none' AND length != 3"),
            attribute("founded", .integer16, "modulus:by:(SELF, 2) == 0", "SELF IN {1900, 1902, 1904}"),
            attribute("fee", .decimal, "SELF BETWEEN {1, 9} OR SELF == 20"),
            attribute("day", .date, "SELF != CAST(0, 'NSDate')"),
            attribute("code", .uuid, "SELF != '00000000-0000-0000-0000-000000000000'"),
            attribute("isOpen", .boolean, "SELF == YES"),
            // Bounds are told once, and by themselves.
            attribute("rank", .integer16, "SELF >= 1", "SELF <= 9"),
            // What cannot be asked of the value alone is not asked.
            attribute("motto", .string, "name == 'x'", "SELF == $OTHER"),
        ]
        var founder = many("founders", "Player", nil, 0...2)
        founder.isOptional = true
        var required = many("sponsors", "Sponsor", "team", 1...3)
        required.isOptional = false
        team.relationships = [
            many("players", "Player", "team", 2...3), founder, many("cups", "Cup", "teams", 0...2), required,
        ]
        var player = EntityDescription(name: "Player")
        player.relationships = [RelationshipDescription(name: "team", destination: "Team", inverse: "players")]
        var sponsor = EntityDescription(name: "Sponsor")
        sponsor.relationships = [RelationshipDescription(name: "team", destination: "Team", inverse: "sponsors")]
        var cup = EntityDescription(name: "Cup")
        cup.relationships = [many("teams", "Team", "cups", 0...0)]
        return ModelDescription(entities: [team, player, sponsor, cup])
    }()

    private static func sample() throws -> SampleStore {
        let sample = try SampleStore(model)
        let team = try sample.insert(
            "Team",
            [
                "name": .string("Rovers"), "founded": .integer(1902), "fee": .decimal(20),
                "day": .date(Date(timeIntervalSinceReferenceDate: 1)), "code": .uuid(UUID()), "isOpen": .bool(true),
                "rank": .integer(9), "motto": .string("On"),
            ])
        for _ in 1...3 { try sample.insert("Player") }
        for _ in 1...3 { try sample.insert("Cup") }
        try sample.insert("Player", keys: ["team": team])
        try sample.insert("Player", keys: ["team": team])
        try sample.insert("Sponsor", keys: ["team": team])
        return sample
    }

    /// A change of the sample, and the finding that it makes; nil for none.
    private static let changes: [(sql: String, rule: String, place: String, what: String?)] = [
        ("UPDATE ZTEAM SET ZNAME = 'Old DRAFT'", "value-validation", "ZTEAM 1.name", "CONTAINS[c] \"draft\""),
        ("UPDATE ZTEAM SET ZNAME = 'abc'", "value-validation", "ZTEAM 1.name", "length != 3"),
        ("UPDATE ZTEAM SET ZNAME = 'none'", "value-validation", "ZTEAM 1.name", "SELF != \"none\""),
        ("UPDATE ZTEAM SET ZNAME = NULL", "", "", nil),
        ("UPDATE ZTEAM SET ZFOUNDED = 1906", "value-validation", "ZTEAM 1.founded", "SELF IN {1900, 1902, 1904}"),
        ("UPDATE ZTEAM SET ZFOUNDED = 1900", "", "", nil),
        ("UPDATE ZTEAM SET ZFEE = 9.5", "value-validation", "ZTEAM 1.fee", "SELF BETWEEN {1, 9} OR SELF == 20"),
        ("UPDATE ZTEAM SET ZFEE = 9", "", "", nil),
        ("UPDATE ZTEAM SET ZDAY = 0", "value-validation", "ZTEAM 1.day", "CAST(0"),
        ("UPDATE ZTEAM SET ZCODE = zeroblob(16)", "value-validation", "ZTEAM 1.code", "00000000"),
        ("UPDATE ZTEAM SET ZISOPEN = 0", "value-validation", "ZTEAM 1.isOpen", "it does not hold to `SELF == "),
        ("UPDATE ZTEAM SET ZRANK = 10", "value-validation", "ZTEAM 1.rank", "more than the maximum 9"),
        (
            "UPDATE ZPLAYER SET ZTEAM = NULL WHERE Z_PK = 5", "relationship-count", "ZTEAM 1.players",
            "1 objects, fewer than the minimum 2"
        ),
        ("UPDATE ZPLAYER SET ZTEAM = NULL", "", "", nil),
        ("UPDATE ZPLAYER SET ZTEAM = 1 WHERE Z_PK = 1", "", "", nil),
        ("UPDATE ZPLAYER SET ZTEAM = 1", "relationship-count", "ZTEAM 1.players", "5 objects, more than the maximum 3"),
        ("UPDATE ZPLAYER SET Z4FOUNDERS = 1 WHERE Z_PK < 3", "", "", nil),
        (
            "UPDATE ZPLAYER SET Z4FOUNDERS = 1 WHERE Z_PK < 4", "relationship-count", "ZTEAM 1.founders",
            "3 objects, more than the maximum 2"
        ),
        ("INSERT INTO Z_1TEAMS (Z_1CUPS, Z_4TEAMS) VALUES (1, 1), (2, 1)", "", "", nil),
        (
            "INSERT INTO Z_1TEAMS (Z_1CUPS, Z_4TEAMS) VALUES (1, 1), (2, 1), (3, 1)", "relationship-count",
            "ZTEAM 1.cups",
            "3 objects, more than the maximum 2"
        ),
        (
            "UPDATE ZSPONSOR SET ZTEAM = NULL", "relationship-count", "ZTEAM 1.sponsors",
            "0 objects, fewer than the minimum 1"
        ),
    ]

    @Test func whatHoldsToItsModelHasNoWarnings() throws { try Self.sample().expectSound() }

    @Test(arguments: changes.indices)
    func whatASaveWouldRefuseIsAWarning(_ index: Int) throws {
        let (sql, rule, place, what) = Self.changes[index]
        let sample = try Self.sample()
        try sample.connection.execute(sql)
        let found = try sample.violations()
        guard let what else {
            #expect(found == [], "\(sql)")
            return
        }
        #expect(found.map { [$0.rule, $0.place] } == [[rule, place]], "\(sql): \(found)")
        #expect(found.first?.what.contains(what) == true && found.first?.severity == .warning, "\(found)")
    }
}
