import StoreFormat
import StoreModel
import TestKit
import Testing

/// Which entities are owned together, and why.
@Suite struct OwnershipUnitTests {
    @Test("a store and its model have the same units, with the trees and one-to-one pairs that hold them together")
    func museum() throws {
        let sample = try Museum.make()
        let units = OwnershipUnits.units(sample.store.layout)
        #expect(units == OwnershipUnits.units(Museum.model))
        #expect(units.map(\.name) == ["Frame", "Lamp", "Person", "Room", "Tag"])
        #expect(
            units.map(\.entities) == [["Frame", "Work"], ["Lamp"], ["Artist", "Guide", "Person"], ["Room"], ["Tag"]])
        #expect(units.map(\.trees) == [[], [], [["Person", "Artist", "Guide"]], [], []])
        #expect(
            units.map(\.pairs) == [
                [.init(entity: "Frame", property: "work", other: "Work", inverse: "frame")], [], [], [], [],
            ])
    }

    @Test("a pair of two trees joins both; each pair is told once, one inside a tree not at all")
    func trees() throws {
        let model = Short.model(
            Short.entity("A", [], [Short.toOne("b", "B2", inverse: "a"), Short.toOne("twin", "A", inverse: "twin")]),
            Short.entity("A2", parent: "A", [], [Short.toOne("c", "C", inverse: "a2")]),
            Short.entity("B", []),
            Short.entity("B2", parent: "B", [], [Short.toOne("a", "A", inverse: "b")]),
            Short.entity("C", [], [Short.toOne("a2", "A2", inverse: "c"), Short.toOne("d", "D", inverse: "cs")]),
            Short.entity("D", [], [Short.toMany("cs", "C", inverse: "d")]))
        let units = OwnershipUnits.units(model)
        #expect(units.map(\.name) == ["A", "D"])
        #expect(units.map(\.entities) == [["A", "A2", "B", "B2", "C"], ["D"]])
        #expect(units[0].trees == [["A", "A2"], ["B", "B2"]])
        #expect(
            units[0].pairs == [
                .init(entity: "A", property: "b", other: "B2", inverse: "a"),
                .init(entity: "A2", property: "c", other: "C", inverse: "a2"),
            ])
    }
}
