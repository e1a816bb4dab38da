import StoreFormat
import StoreModel
import SwiftData
import Testing

@Model final class Left {
    var name = ""
    @Relationship(inverse: \Right.left) var rights: [Right] = []
    init() {}
}

@Model final class Right {
    @Relationship(deleteRule: .deny) var left: Left?
    init() {}
}

@Model final class Vague {
    var one: Other?
    var two: Other?
    init() {}
}

@Model final class Other {
    var vague: Vague?
    init() {}
}

@Suite struct SchemaTests {
    @Test func typesAreCoreDatas() throws {
        let model = try Schema(Trip.self).modelDescription()
        #expect(model.entities.map(\.name).sorted() == ["Guide", "Item", "Label", "Trip"])
        let trip = try #require(model["Trip"])
        func attribute(_ name: String) -> AttributeDescription? { trip.attributes.first { $0.name == name } }
        #expect(attribute("days")?.type == .integer64)
        #expect(attribute("days")?.defaultValue == .integer(1))
        #expect(attribute("budget")?.isOptional == true)
        #expect(attribute("kind")?.type == .composite)
        #expect(attribute("kind")?.userInfo["EnumType"] == .bool(true))
        #expect(attribute("address")?.elements.map(\.name) == ["street", "number"])
        #expect(attribute("notes")?.type == .transformable)
        #expect(attribute("photo")?.allowsExternalBinaryDataStorage == true)
        #expect(attribute("code")?.preservesValueInHistoryOnDeletion == true)
        #expect(attribute("isOpen") == nil)
        #expect(trip.uniquenessConstraints == [["name"]])
        #expect(model["Label"]?.uniquenessConstraints == [["word"]])
        #expect(trip.relationships.first { $0.name == "items" }?.inverseName == "trip")
        #expect(trip.relationships.first { $0.name == "guide" }?.inverseName == "trips")
        #expect(model["Item"]?.relationships.first { $0.name == "tags" }?.inverseName == "items")
    }

    @Test func inverseDeclaredAtOneEndHoldsForBoth() throws {
        let model = try Schema(Left.self).modelDescription()
        #expect(model["Right"]?.relationships.first?.inverseName == "rights")
        #expect(model["Right"]?.relationships.first?.deleteRule == .deny)
        #expect(model["Left"]?.relationships.first?.inverseName == "left")
    }

    @Test func twoPossibleInversesAreRefused() {
        #expect(throws: StoreError.self) { try Schema(Vague.self).modelDescription() }
    }
}
