import Bridge
import Foundation
import StoreFormat
import StoreModel
import TestKit
import Testing

/// Predicates in NSPredicate's format find the same objects through both stacks.
@Suite struct PredicateAgreementTests {
    private static let predicates = [
        "title == 'Dune'", "title != 'Dune'", "title ==[c] 'DUNE'", "title == nil", "title != nil",
        "NOT title == 'Dune'",
        "NOT title != 'Dune'", "NOT (pages > 300)", "NOT (title == 'Dune' OR copies > 3)", "pages > 300 AND copies < 5",
        "pages >= 300 OR copies == nil", "pages BETWEEN {100, 400}", "pages IN {412, 100}",
        "title IN {'Dune', 'Émile'}",
        "NOT title IN {'Dune'}", "title IN[c] {'dune'}", "title BEGINSWITH 'D'", "title BEGINSWITH[cd] 'e'",
        "title ENDSWITH 'e'", "title CONTAINS[c] 'UN'", "title CONTAINS ''", "title LIKE 'D*'", "title LIKE[c] '?une'",
        "title MATCHES '[A-Z].*'", "author.name == 'Herbert'", "author.name != 'Herbert'", "author == nil",
        "author.name BEGINSWITH[c] 'h'", "shelf.label == 'A' AND title != nil", "ANY tags.name == 'sand'",
        "ALL tags.name == 'sand'", "NONE tags.name == 'sand'", "NOT ANY tags.name == 'sand'", "tags.@count == 0",
        "tags.@count > 1", "SUBQUERY(tags, $t, $t.name BEGINSWITH 's').@count > 0", "isLent == YES", "isLent == NO",
        "isLent != YES", "NOT isLent == YES", "rating > 3.5", "rating == nil OR rating < 2", "price == 9.99",
        "published > CAST(0, 'NSDate')", "identifier == '5B0E6A52-6C0F-4E0B-9C3C-0D5E5F6F7A01'", "TRUEPREDICATE",
        "FALSEPREDICATE", "pages + 1 == 413", "pages * 2 > copies", "copies == pages", "copies != pages",
        "pages > copies",
        "title > 'E'", "title < 'E'", "title >= 'Dune'", "lowercase(title) == 'dune'", "pages == -1", "copies == 0",
        "author.books.@count > 1", "shelf.books.@count == 2", "SELF == nil", "link BEGINSWITH 'https'",
        "tags.@count.foo > 1", "tags.books.@count == 0",
    ]

    private func populate(_ bridge: StoreBridge) throws {
        let legacy = bridge.legacy
        let herbert = try legacy.insert("Author", ["name": .string("Herbert")])
        let rousseau = try legacy.insert("Author", ["name": .string("hugo")])
        let shelf = try legacy.insert("Shelf", ["label": .string("A")])
        let sand = try legacy.insert("Tag", ["name": .string("sand")])
        let sea = try legacy.insert("Tag", ["name": .string("sea")])
        typealias Values = [String: ObjectBatch.Input]
        let id = UUID(uuidString: "5B0E6A52-6C0F-4E0B-9C3C-0D5E5F6F7A01").map { AttributeValue.uuid($0) }
        let books: [Values] = [
            [
                "title": .attribute(.string("Dune")), "pages": .attribute(.integer(412)),
                "copies": .attribute(.integer(3)),
                "isLent": .attribute(.bool(true)), "rating": .attribute(.double(4.5)), "identifier": .attribute(id),
                "author": .toOne(.existing(herbert)), "shelf": .toOne(.existing(shelf)),
                "tags": .toMany([.existing(sand)]), "price": .attribute(.decimal(Decimal(string: "9.99") ?? 0)),
            ],
            [
                "title": .attribute(.string("dune")), "pages": .attribute(.integer(100)),
                "published": .attribute(.date(Date(timeIntervalSinceReferenceDate: 5))),
                "author": .toOne(.existing(herbert)), "tags": .toMany([.existing(sand), .existing(sea)]),
            ],
            [
                "title": .attribute(.string("Émile")), "copies": .attribute(.integer(0)),
                "isLent": .attribute(.bool(false)),
                "rating": .attribute(.double(1)), "author": .toOne(.existing(rousseau)),
                "link": .attribute(.uri("https://example.org")),
            ],
            ["pages": .attribute(.integer(300)), "shelf": .toOne(.existing(shelf)), "tags": .toMany([.existing(sea)])],
            ["title": .attribute(.string(""))],
        ]
        for values in books {
            _ = try legacy.save(ObjectBatch([.insert(entity: "Book", name: "b", values: values)]))
        }
        try bridge.replay()
    }

    @Test func bothStacksFindTheSameObjects() throws {
        let sample = try BridgeSample()
        let bridge = try sample.open()
        defer { bridge.close() }
        try populate(bridge)
        for text in Self.predicates {
            let query = ObjectQuery(entity: "Book", predicate: try PredicateNode.parse(text))
            let found = StackName.allCases.map { stack in
                Result { try bridge.instance(stack).objects(matching: query).map(\.reference.key) }
            }
            switch (found[0], found[1]) {
            case (.success(let legacy), .success(let model)): #expect(legacy == model, "\(text)")
            case (.failure(let legacy as StoreError), .failure(let model as StoreError)):
                #expect(legacy.code == model.code, "\(text)")
            case (let legacy, let model): Issue.record("\(text): legacy \(legacy), model \(model)")
            }
            if case .success(let legacy) = found[0] {
                for stack in StackName.allCases { #expect(try bridge.instance(stack).count(of: query) == legacy.count) }
            }
        }
    }

    /// Worked out by hand from the five books above.
    @Test(arguments: [
        ("title == 'Dune'", [1]), ("title != 'Dune'", [2, 3, 4, 5]), ("NOT title == 'Dune'", [2, 3, 4, 5]),
        ("title ==[c] 'DUNE'", [1, 2]), ("title == nil", [4]), ("NOT (pages > 300)", [2, 3, 4, 5]),
        ("title BEGINSWITH[cd] 'e'", [3]), ("ANY tags.name == 'sand'", [1, 2]), ("ALL tags.name == 'sand'", [1, 3, 5]),
        ("NONE tags.name == 'sand'", [3, 4, 5]), ("tags.@count > 1", [2]), ("author.name == 'Herbert'", [1, 2]),
        ("author.name != 'Herbert'", [3, 4, 5]), ("pages BETWEEN {100, 400}", [2, 4]), ("isLent != YES", [2, 3, 4, 5]),
    ])
    func aPredicateFindsTheseBooks(text: String, keys: [Int64]) throws {
        let sample = try BridgeSample()
        let bridge = try sample.open()
        defer { bridge.close() }
        try populate(bridge)
        let query = ObjectQuery(entity: "Book", predicate: try PredicateNode.parse(text))
        for stack in StackName.allCases {
            #expect(try bridge.instance(stack).objects(matching: query).map(\.reference.key) == keys, "\(stack)")
        }
    }

    @Test(arguments: [
        ["title"], ["title:desc"], ["pages", "title:desc"], ["author.name"], ["shelf.label:desc", "pages"], ["rating"],
        ["isLent:desc"], ["published"],
    ])
    func bothStacksSortAlike(keys: [String]) throws {
        let sample = try BridgeSample()
        let bridge = try sample.open()
        defer { bridge.close() }
        try populate(bridge)
        var query = ObjectQuery(entity: "Book")
        query.sort = keys.map { key in
            let parts = key.split(separator: ":")
            return ObjectQuery.SortKey(String(parts[0]), isAscending: parts.count == 1)
        }
        for (limit, offset) in [(nil, 0), (2, 0), (2, 3), (0, 0), (nil, 4)] as [(Int?, Int)] {
            query.limit = limit
            query.offset = offset
            let legacy = try bridge.legacy.objects(matching: query).map(\.reference)
            #expect(
                try bridge.model.objects(matching: query).map(\.reference) == legacy,
                "\(String(describing: limit)) \(offset)")
        }
    }
}
