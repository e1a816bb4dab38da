import Foundation
import LegacyStack
import StoreFormat
import StoreModel
import Testing

/// Long lists work; a predicate that is too large or too deep is refused before it does any harm.
@Suite struct LargePredicateTests {
    private func sample() throws -> PredicateSample {
        let sample = try PredicateSample()
        let id = UUID(uuidString: "5B0E6A52-6C0F-4E0B-9C3C-0D5E5F6F7A01")
        _ = sample.insert(
            "Book",
            [
                "title": "Łódź\u{0}\"'", "copies": Int64.max, "rating": 0.1, "pages": 7, "identifier": id as Any,
                "published": Date(timeIntervalSinceReferenceDate: 0.3),
            ])
        _ = sample.insert("Book", ["title": "other", "copies": Int64.min, "rating": 0.2, "pages": 8])
        try sample.save()
        return sample
    }

    /// The value of the first book stands at the end of a list longer than SQLite has parameters.
    @Test(arguments: ["title", "copies", "rating", "pages", "identifier", "published", "SELF"])
    func aListLongerThanTheParametersFindsItsOne(key: String) throws {
        let sample = try sample()
        defer { sample.bridge.close() }
        let last: PredicateArgument =
            switch key {
            case "title": .value(.string("Łódź\u{0}\"'"))
            case "copies": .value(.integer(.max))
            case "rating": .value(.double(0.1))
            case "pages": .value(.integer(7))
            case "identifier": .value(.string("5b0e6a52-6c0f-4e0b-9c3c-0d5e5f6f7a01"))
            case "published": .value(.date(Date(timeIntervalSinceReferenceDate: 0.3)))
            default: .value(.string("Book/1"))
            }
        var list = (0..<33_000).map { i -> PredicateArgument in
            switch key {
            case "title": .value(.string("no \(i)"))
            case "identifier": .value(.uuid(UUID()))
            case "SELF": .value(.string("Book/\(i + 1_000)"))
            default: .value(.integer(Int64(i) + 1_000))
            }
        }
        list.append(last)
        let node = try PredicateNode.parse("%K IN %@", arguments: [.keyPath(key), .list(list)])
        #expect(
            try sample.agreed(key == "SELF" ? PredicateNode.parse("SELF IN %@", arguments: [.list(list)]) : node)
                == .keys([1]))
        guard key != "SELF" else { return }
        #expect(
            try sample.agreed(PredicateNode.parse("NOT %K IN %@", arguments: [.keyPath(key), .list(list)]))
                == .keys([2]))
        list.append(.value(.null))
        let withNull = try PredicateNode.parse("%K IN %@", arguments: [.keyPath(key), .list(list)])
        #expect(try sample.agreed(withNull) == .keys(["identifier", "published"].contains(key) ? [1, 2] : [1]))
    }

    @Test func aLongListFoldsCase() throws {
        let sample = try sample()
        defer { sample.bridge.close() }
        let list = (0..<1_000).map { PredicateArgument.value(.string("no \($0)")) } + [.value(.string("OTHER"))]
        #expect(try sample.agreed(PredicateNode.parse("title IN[c] %@", arguments: [.list(list)])) == .keys([2]))
        #expect(try sample.agreed(PredicateNode.parse("title IN %@", arguments: [.list(list)])) == .keys([]))
    }

    @Test func thousandsOfComparisonsInARowAreFine() throws {
        let sample = try sample()
        defer { sample.bridge.close() }
        let parts = (0..<3_000).map { "pages == \($0)" }
        #expect(try sample.agreed(parts.joined(separator: " OR ")) == .keys([1, 2]))
        #expect(try sample.agreed(parts.map { "NOT \($0)" }.joined(separator: " AND ")) == .keys([]))
    }

    @Test func whatIsTooLargeIsBad() throws {
        let sample = try sample()
        defer { sample.bridge.close() }
        let text = Array(repeating: "pages == 1", count: 30_000).joined(separator: " OR ")
        #expect(try sample.agreed(text) == .error(.badPredicate))
    }

    /// From 63 keys on, with the object's own, SQLite 3.40 ends the process where the fetch is over joined tables.
    @Test(arguments: [62, 63, 2_000, 10_000])
    func sortKeysHaveALimit(count: Int) throws {
        let sample = try sample()
        defer { sample.bridge.close() }
        let sort = (0..<count).map { ObjectQuery.SortKey($0 % 2 == 0 ? "title" : "author.name") }
        for stack in StackName.allCases {
            let query = ObjectQuery(entity: "Book", sort: sort)
            guard count > 62 else {
                #expect(try sample.bridge.instance(stack).references(matching: query).count == 2)
                continue
            }
            let error = #expect(throws: StoreError.self) {
                try sample.bridge.instance(stack).references(matching: query)
            }
            #expect(error?.code == .badPredicate)
            #expect(error?.message.contains("62 keys") == true && error?.message.contains("\(count)") == true)
        }
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.sortDescriptors = (0..<count).map { _ in NSSortDescriptor(key: "title", ascending: true) }
        if count > 62 {
            let error = #expect(throws: StoreError.self) { try sample.context.fetch(request) }
            #expect(error?.code == .badPredicate)
        } else {
            #expect(try sample.context.fetch(request).count == 2)
        }
    }

    /// A message is for reading, however long the predicate.
    @Test func aMessageDoesNotRepeatALongPredicate() throws {
        let format = "pages" + String(repeating: " + 1", count: 5_000) + " =="
        let error = #expect(throws: PredicateSyntaxError.self) { try PredicateNode.parse(format) }
        #expect((error?.description.count ?? .max) < 1_000)
    }

    @Test(arguments: [150, 5_000])
    func whatIsTooDeepIsBadHoweverItWasMade(depth: Int) throws {
        let sample = try sample()
        defer { sample.bridge.close() }
        // As text: the parser gives up.
        let text = String(repeating: "NOT (", count: depth) + "pages == 1" + String(repeating: ")", count: depth)
        #expect(throws: PredicateSyntaxError.self) { try PredicateNode.parse(text) }
        let arithmetic = "pages" + String(repeating: " + 1", count: depth) + " == 1"
        if let node = try? PredicateNode.parse(arithmetic) {
            #expect(try sample.agreed(node) == .error(.badPredicate))
        }
        // As a tree: AND and OR by turns, since of two alike one is made.
        var node = PredicateNode.comparison(.init(.keyPath(["pages"]), .equal, .constant(.integer(7))))
        for i in 0..<depth { node = i % 2 == 0 ? .and([node, .constant(true)]) : .or([node, .constant(false)]) }
        if depth > PredicateNode.maximumDepth { #expect(try sample.agreed(node) == .error(.badPredicate)) }
        // As objects.
        var predicate = NSPredicate(format: "pages == 7")
        for _ in 0..<depth { predicate = NSCompoundPredicate(notPredicateWithSubpredicate: predicate) }
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.predicate = predicate
        if depth > PredicateNode.maximumDepth {
            let error = #expect(throws: StoreError.self) { try sample.context.fetch(request) }
            #expect(error?.code == .badPredicate)
            #expect(predicate.error?.code == .badPredicate)
        } else {
            #expect(try sample.context.count(for: request) == 1)
        }
    }

    /// The work grows with the parts, whatever stands in what.
    @Test func whatStandsInItselfIsCheckedOnce() throws {
        let sample = try sample()
        defer { sample.bridge.close() }
        let sum = "pages" + String(repeating: " + 1", count: 60)
        #expect(try sample.agreed("\(sum) == 67") == .keys([1]))
        var ternary = "pages"
        for _ in 0..<12 { ternary = "TERNARY(\(ternary) > 0, pages, 0)" }
        #expect(try sample.agreed("\(ternary) == 7") == .keys([1]))
        var nested = "pages == 7"
        for i in 0..<24 {
            nested = "SUBQUERY(tags, $t\(i), SUBQUERY($t\(i).books, $b\(i), \(nested)).@count > 0).@count > 0"
        }
        switch try sample.agreed(nested) {
        case .keys(let keys): #expect(keys == [])
        case .error(let code): #expect(code == .badPredicate)
        }
    }
}
