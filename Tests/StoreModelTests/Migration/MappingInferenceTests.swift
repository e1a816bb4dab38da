import TestKit
import Testing

@testable import StoreModel

/// Entities: what is the same one, and what may become of their trees.
@Suite struct MappingInferenceTests {
    @Test func entitiesAreMatchedByNameAndByIdentifier() {
        let mapping = Short.infer(
            [Short.entity("Kept"), Short.entity("Old"), Short.entity("Gone")],
            [Short.entity("Kept"), Short.entity("New", was: "Old"), Short.entity("Added")])
        #expect(mapping.destinationBySource == ["Kept": "Kept", "Old": "New"])
        #expect(mapping.removedEntities == ["Gone"])
        #expect(mapping.entity("Added")?.source == nil)
        #expect(mapping.told == ["add Added", "rename New", "remove Gone"])
        #expect(mapping.refused == [])
    }

    @Test func aNameThatIsGivenToAnotherEntityGoesWithItsIdentifier() {
        let mapping = Short.infer(
            [Short.entity("Book")], [Short.entity("Novel", was: "Book"), Short.entity("Book", was: "Tome")])
        #expect(mapping.destinationBySource == ["Book": "Novel"])
        #expect(mapping.entity("Book")?.source == nil)
    }

    @Test func twoRenamesInARowKeepTheIdentifier() {
        let mapping = Short.infer([Short.entity("B", was: "A")], [Short.entity("C", was: "A")])
        #expect(mapping.destinationBySource == ["B": "C"])
    }

    @Test func attributesMayMoveUpToANewParentAndDown() {
        let up = Short.infer(
            [
                Short.entity("Animal"), Short.entity("Cat", parent: "Animal", [Short.attribute("name")]),
                Short.entity("Dog", parent: "Animal", [Short.attribute("name")]),
            ],
            [
                Short.entity("Animal", [Short.attribute("name")]), Short.entity("Cat", parent: "Animal"),
                Short.entity("Dog", parent: "Animal"),
            ])
        #expect(up.refused == [])
        #expect(up.entity("Cat")?.attribute("name")?.source == "name")
        #expect(up.entity("Animal")?.attribute("name")?.source == nil)
        #expect(up.removedProperties == [])
        let down = Short.infer(
            [Short.entity("Animal", [Short.attribute("name")]), Short.entity("Cat", parent: "Animal")],
            [Short.entity("Animal"), Short.entity("Cat", parent: "Animal", [Short.attribute("name")])])
        #expect(down.entity("Cat")?.attribute("name")?.source == "name")
        #expect(down.removedProperties.map(\.entity) == ["Animal"], "cats keep their name, other animals lose it")
        #expect(down.told.contains("remove Animal.name"))
    }

    @Test func aParentMayBeAddedAndAnIntermediateOneRemoved() {
        let added = Short.infer(
            [Short.entity("Cat")], [Short.entity("Animal", abstract: true), Short.entity("Cat", parent: "Animal")])
        #expect(added.refused == [])
        #expect(added.told == ["add Animal", "move Cat"])
        let removed = Short.infer(
            [
                Short.entity("A", [Short.attribute("a")]), Short.entity("B", parent: "A", [Short.attribute("b")]),
                Short.entity("C", parent: "B"),
            ],
            [Short.entity("A", [Short.attribute("a")]), Short.entity("C", parent: "A", [Short.attribute("b")])])
        #expect(removed.refused == [])
        #expect(removed.removedEntities == ["B"])
        #expect(removed.entity("C")?.attribute("b")?.source == "b")
    }

    @Test func treesThatWereApartAreNotMerged() {
        let mapping = Short.infer(
            [Short.entity("Cat"), Short.entity("Dog")],
            [Short.entity("Animal"), Short.entity("Cat", parent: "Animal"), Short.entity("Dog", parent: "Animal")])
        #expect(mapping.refused == ["Dog HierarchiesMerged"])
        #expect(mapping.refusals.first?.way.isEmpty == false)
        #expect(
            Short.infer(
                [Short.entity("Cat"), Short.entity("Dog")],
                [Short.entity("Cat"), Short.entity("Dog", parent: "Cat")]
            ).refused == ["Dog HierarchiesMerged"])
    }

    @Test func siblingsMayGetAnotherCommonParent() {
        let mapping = Short.infer(
            [Short.entity("A"), Short.entity("B", parent: "A")],
            [Short.entity("P"), Short.entity("A", parent: "P"), Short.entity("B", parent: "P")])
        #expect(mapping.refused == [])
    }

    @Test func aTreeMayBeTakenApart() {
        let mapping = Short.infer(
            [Short.entity("A"), Short.entity("B", parent: "A")], [Short.entity("A"), Short.entity("B")])
        #expect(mapping.refused == [])
    }
}
