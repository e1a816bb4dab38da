import Foundation
import LegacyStack
import StoreFormat
import StoreModel
import TestKit
import Testing

/// A random predicate finds the same objects in the SQL of either stack and object by object in memory, or is the same
/// typed error in both.
@Suite struct RandomPredicateTests {
    static func populated(seed: UInt64) throws -> PredicateSample {
        let sample = try PredicateSample()
        var random = SplitMix(seed: seed)
        func one<T>(_ list: [T]) -> T? { Bool.random(using: &random) ? list.randomElement(using: &random) : nil }
        let names = ["Herbert", "herbert", "Émile", "Zoë", "", "İlk"]
        let authors = names.map { name in
            sample.insert("Author", ["name": name, "penName": one(["Dune", "x"]) as Any? ?? NSNull()])
        }
        let members = (0..<4).map { i in
            sample.insert(
                "Member", ["name": names[i], "joined": Date(timeIntervalSinceReferenceDate: Double(i) * 2.5)])
        }
        for (i, member) in members.enumerated() where i % 2 == 0 {
            _ = sample.insert("Card", ["number": i, "member": member])
        }
        let shelves = ["A", "b", nil].map { sample.insert("Shelf", ["label": $0 as Any? ?? NSNull()]) }
        let tags = ["sand", "sea", "SAND", "été"].map { sample.insert("Tag", ["name": $0]) }
        let titles: [String?] = [
            "Dune", "dune", "DUNE", "Émile", "E\u{301}mile", "emile", "", "ß", "SS", nil, "A", "x",
        ]
        var books: [NSManagedObject] = []
        for i in 0..<30 {
            var values: [String: Any] = ["pages": [0, 1, 3, 100, 300, 412, -1].randomElement(using: &random) ?? 0]
            func set(_ key: String, _ list: [Any]) { if let value = one(list) { values[key] = value } }
            if let title = titles[i % titles.count] { values["title"] = title }
            set("isbn", ["A", "123", "Dune"])
            set("copies", [Int64.max, Int64.min, 0, 1, 2, 3, Int64(1) << 53 + 1])
            set("stock", [0, 1, 2, -7])
            set("isLent", [true, false])
            set("rating", [0.25, 2.5, 4.5, -1.0, 1e300, 9_223_372_036_854_775_808.0])
            set("weight", [Float(0.5), Float(2)])
            set("price", [Decimal(string: "2.5") ?? 0, Decimal(3), Decimal(string: "0.25") ?? 0])
            set(
                "published", [0, 5, 1.5, -3].map { Date(timeIntervalSinceReferenceDate: $0) })
            set(
                "identifier",
                ["5B0E6A52-6C0F-4E0B-9C3C-0D5E5F6F7A01", "00000000-0000-0000-0000-000000000001"].compactMap {
                    UUID(uuidString: $0)
                })
            set("link", ["https://example.org", "x:y"].compactMap { URL(string: $0) })
            set("thumbnail", [Data([0, 1, 2]), Data(), Data([255])])
            set("size", [["width": 2.5], ["width": 3.0, "unit": "A"], ["unit": "x"]])
            set("author", authors)
            set("shelf", shelves)
            values["tags"] = Set(tags.filter { _ in Int.random(in: 0..<3, using: &random) == 0 })
            values["readers"] = NSOrderedSet(array: members.filter { _ in Int.random(in: 0..<3, using: &random) == 0 })
            if let sequel = one(books) { values["sequel"] = sequel }
            books.append(sample.insert("Book", values))
        }
        try sample.save()
        return sample
    }

    @Test(arguments: 1...6 as ClosedRange<UInt64>)
    func theStacksAndMemoryAgree(seed: UInt64) throws {
        let sample = try Self.populated(seed: seed)
        defer { sample.bridge.close() }
        var generator = PredicateGenerator(seed: seed)
        var answers = (found: 0, some: 0, errors: 0)
        for _ in 0..<1000 {
            let text = generator.predicate()
            let node: PredicateNode
            do {
                node = try PredicateNode.parse(text)
            } catch {
                Issue.record("\(error)")
                continue
            }
            switch try sample.agreed(node) {
            case .error: answers.errors += 1
            case .keys(let keys):
                answers.found += 1
                if !keys.isEmpty, keys.count < 30 { answers.some += 1 }
            }
        }
        // A generator whose predicates were all wrong, or all true, would test nothing.
        #expect(answers.found > 400 && answers.some > 200 && answers.errors > 50, "\(answers)")
    }
}
