import Bridge
import Foundation
import LegacyStack
import StoreFormat
import TestKit
import Testing

/// What another program wrote into a column is shown, or named as wrong, for that attribute alone.
@Suite struct ForeignValueTests {
    private static let good: [String: AttributeValue] = [
        "small": .integer(7), "large": .integer(8), "flag": .bool(true), "real": .double(1.5),
        "moment": .date(Date(timeIntervalSinceReferenceDate: 5)), "amount": .decimal(9), "text": .string("text"),
        "identifier": .uuid(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))),
        "link": .uri("https://example.org"), "bytes": .data(Data([1])), "external": .data(Data([2])),
        "place": .composite(["street": .string("s")]),
    ]

    /// A store with a row that holds `assignment`, and one that is sound.
    private func sample(_ assignment: String) throws -> (ValueSample, StoreBridge) {
        let sample = try ValueSample()
        let before = try sample.open(.legacy)
        try before.legacy.insert("Sample", Self.good)
        try before.legacy.insert("Sample", Self.good)
        before.close()
        try sample.foreign("UPDATE ZSAMPLE SET \(assignment) WHERE Z_PK = 1")
        return (sample, try sample.open(.legacy))
    }

    private func expectOthersSound(_ bridge: StoreBridge, _ attribute: String, _ assignment: String) throws {
        for stack in StackName.allCases {
            let records = try bridge.instance(stack).objects(matching: ObjectQuery(entity: "Sample"))
            #expect(records.count == 2, "\(assignment)")
            for record in records {
                for (name, value) in Self.good where name != attribute || record.reference.key == 2 {
                    #expect(record.values[name] == value, "\(assignment): \(name) of \(record.reference)")
                }
            }
        }
        let (legacy, model) = try (
            bridge.legacy.object(.init(entity: "Sample", key: 1), isFresh: true),
            bridge.model.object(.init(entity: "Sample", key: 1), isFresh: true)
        )
        #expect(legacy == model, "\(assignment)")
    }

    @Test func aWrongValueIsNamedAndOthersStayReadable() throws {
        for (attribute, assignment) in ValueCases.foreign {
            let (sample, bridge) = try sample(assignment)
            defer { bridge.close() }
            try expectOthersSound(bridge, attribute, assignment)
            let context = try #require(bridge.legacy as? LegacyInstance).newContext()
            try context.performAndWait {
                let objects = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Sample"))
                for object in objects {
                    for name in Self.good.keys { _ = object.value(forKey: name) }
                    let faults = object.valueFaults
                    if object.objectID.reference?.key == 2 {
                        #expect(faults == [], "\(assignment)")
                        continue
                    }
                    #expect(
                        faults.map(\.code) == [attribute == "external" ? .externalData : .invalidValue], "\(assignment)"
                    )
                    #expect(faults.first?.message.contains("Sample/1.\(attribute)") == true, "\(assignment)")
                    let error = #expect(throws: StoreError.self) { _ = try object.checkedValue(forKey: attribute) }
                    #expect(error == faults.first, "\(assignment)")
                    #expect(try object.checkedValue(forKey: "medium") == nil)
                }
                // An unrelated change leaves it as it is.
                objects.first?.setValue(3, forKey: "medium")
                try context.save()
            }
            let column = assignment.prefix { $0 != " " }
            let literal = assignment.drop { $0 != "=" }.dropFirst(2)
            #expect(try sample.holds("Z_PK <> 1 OR ZMEDIUM = 3 AND \(column) IS \(literal)"), "\(assignment)")
        }
    }

    @Test func anOddValueIsShown() throws {
        for (attribute, assignment) in ValueCases.visible {
            let (sample, bridge) = try sample(assignment)
            defer { withExtendedLifetime(sample) { _ = bridge.close() } }
            try expectOthersSound(bridge, attribute, assignment)
            for stack in StackName.allCases {
                #expect(
                    try bridge.instance(stack).value(.init(entity: "Sample", key: 1), attribute) != nil, "\(assignment)"
                )
            }
        }
    }
}
