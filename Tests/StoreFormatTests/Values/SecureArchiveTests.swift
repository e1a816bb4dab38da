import Foundation
import KeyedArchive
import StoreFormat
import Testing

/// Archives in transformable attributes: plain values and nothing else.
@Suite struct SecureArchiveTests {
    private func roundTrip(_ object: Any) throws -> Any { try SecureArchive.object(try SecureArchive.data(object)) }

    @Test func plainValuesComeBack() throws {
        let uuid = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
        let object: [String: Any] = [
            "text": "é\u{0}", "number": NSNumber(value: -7), "real": NSNumber(value: 0.1),
            "flag": NSNumber(value: true),
            "big": NSNumber(value: UInt64.max), "date": Date(timeIntervalSinceReferenceDate: 0.1),
            "data": Data([0, 255]),
            "uuid": uuid, "link": URL(string: "https://example.org/x") as Any, "list": ["a", "b", "a"] as [Any],
            "set": NSSet(array: ["x"]), "order": NSOrderedSet(array: ["y", "x"]), "null": NSNull(),
            "decimal": NSDecimalNumber(string: "12345678901234567890123456789.5"),
        ]
        let found = try #require(try roundTrip(object) as? [String: Any])
        #expect(found.count == object.count)
        #expect(found["text"] as? String == "é\u{0}")
        #expect(found["number"] as? Int == -7)
        #expect(found["real"] as? Double == 0.1)
        #expect((found["flag"] as? NSNumber)?.boolValue == true)
        #expect((found["big"] as? NSNumber)?.uint64Value == .max)
        #expect(found["date"] as? Date == Date(timeIntervalSinceReferenceDate: 0.1))
        #expect(found["data"] as? Data == Data([0, 255]))
        #expect(found["uuid"] as? UUID == uuid)
        #expect(found["link"] as? URL == URL(string: "https://example.org/x"))
        #expect(found["list"] as? [String] == ["a", "b", "a"])
        #expect((found["set"] as? NSSet)?.allObjects as? [String] == ["x"])
        #expect((found["order"] as? NSOrderedSet)?.array as? [String] == ["y", "x"])
        #expect(found["null"] is NSNull)
        #expect((found["decimal"] as? NSDecimalNumber)?.stringValue == "12345678901234567890123456789.5")
    }

    @Test func onlyPlainClassesAreTaken() throws {
        var archiver = KeyedArchiver()
        let inner = archiver.object("NSAttributedString", bases: ["NSObject"], [:])
        let root = archiver.collection("NSArray", [inner])
        let error = #expect(throws: SecureArchive.Problem.self) {
            _ = try SecureArchive.object(archiver.archive(root: root))
        }
        #expect(error?.description.contains("NSAttributedString") == true)
        // Not even one that claims to be an array.
        var other = KeyedArchiver()
        let liar = other.object("Evil", bases: ["NSArray", "NSObject"], ["NS.objects": .array([])])
        #expect(throws: SecureArchive.Problem.self) { _ = try SecureArchive.object(other.archive(root: liar)) }
        #expect(throws: SecureArchive.Problem.self) { _ = try SecureArchive.data(Process()) }
    }

    @Test func whatContainsItselfOrGrowsWithoutEndIsRefused() throws {
        var cycle = KeyedArchiver()
        let own = cycle.reserve()
        cycle.fill(own, collection: "NSArray", [own])
        let error = #expect(throws: SecureArchive.Problem.self) {
            _ = try SecureArchive.object(cycle.archive(root: own))
        }
        #expect(error?.description.contains("deep") == true)

        var bomb = KeyedArchiver()
        var level = bomb.string("x")
        for _ in 0..<40 { level = bomb.collection("NSArray", [level, level]) }
        let large = #expect(throws: SecureArchive.Problem.self) {
            _ = try SecureArchive.object(bomb.archive(root: level))
        }
        #expect(large?.description.contains("many") == true)
    }

    @Test(arguments: [
        Data(), Data([0]), Data("bplist00".utf8), Data(repeating: 0xFF, count: 4096), Data("<plist/>".utf8),
    ])
    func whatIsNoArchiveIsRefused(data: Data) {
        #expect(throws: SecureArchive.Problem.self) { _ = try SecureArchive.object(data) }
        #expect(throws: SecureArchive.Problem.self) { _ = try ArchivedJSON.json(data) }
    }

    /// Every byte of an archive changed, one at a time: an error or a value, never a trap.
    @Test func aDamagedArchiveIsAnErrorOrAValue() throws {
        let good = [UInt8](try SecureArchive.data(["key": ["a", Data([1]), UUID(), Date()] as [Any]] as [String: Any]))
        var refused = 0
        for place in good.indices {
            for value in [0, 0xFF, good[place] ^ 0x10] as [UInt8] {
                var bytes = good
                bytes[place] = value
                if (try? SecureArchive.object(Data(bytes))) == nil { refused += 1 }
            }
        }
        #expect(refused > 0)
    }
}
