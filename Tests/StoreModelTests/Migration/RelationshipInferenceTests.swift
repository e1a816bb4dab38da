import TestKit
import Testing

@testable import StoreModel

/// Relationships: what becomes of what connects objects.
@Suite struct RelationshipInferenceTests {
    private func infer(
        _ old: (RelationshipDescription?, RelationshipDescription?),
        _ new: (RelationshipDescription?, RelationshipDescription?)
    ) -> InferredMapping {
        func entities(_ ends: (RelationshipDescription?, RelationshipDescription?)) -> [EntityDescription] {
            [Short.entity("A", [], [ends.0].compactMap { $0 }), Short.entity("B", [], [ends.1].compactMap { $0 })]
        }
        return Short.infer(entities(old), entities(new))
    }

    private let oneToMany = (Short.toMany("bs", "B", inverse: "a"), Short.toOne("a", "A", inverse: "bs"))

    @Test func aRelationshipIsAddedRemovedAndRenamed() {
        #expect(infer((nil, nil), oneToMany).told == ["add A.bs", "add B.a"])
        let removed = infer(oneToMany, (nil, nil))
        #expect(removed.removedProperties.map(\.property) == ["bs", "a"])
        let renamed = infer(
            oneToMany,
            (
                Short.toMany("parts", "B", inverse: "whole", was: "bs"),
                Short.toOne("whole", "A", inverse: "parts", was: "a")
            ))
        #expect(renamed.refused == [] && renamed.removedProperties == [])
        #expect(renamed.told == ["rename A.parts", "rename B.whole"])
    }

    @Test func aToOneBecomesToManyButNotTheOtherWay() {
        let manyToMany = (Short.toMany("bs", "B", inverse: "a"), Short.toMany("a", "A", inverse: "bs"))
        #expect(infer(oneToMany, manyToMany).refused == [])
        #expect(infer(manyToMany, oneToMany).refused == ["B.a ToManyToToOne"])
        let oneToOne = (Short.toOne("bs", "B", inverse: "a"), Short.toOne("a", "A", inverse: "bs"))
        #expect(infer(oneToOne, oneToMany).refused == [])
        #expect(infer(oneToMany, oneToOne).refused == ["A.bs ToManyToToOne"])
    }

    @Test func anOrderBeginsAndEnds() {
        let ordered = (Short.toMany("bs", "B", inverse: "a", ordered: true), oneToMany.1)
        #expect(infer(oneToMany, ordered).told == ["change A.bs"])
        #expect(infer(ordered, oneToMany).refused == [])
    }

    @Test func anInverseIsAddedAndTakenAway() {
        let alone: (RelationshipDescription?, RelationshipDescription?) = (Short.toMany("bs", "B"), nil)
        #expect(infer(alone, oneToMany).refused == [])
        #expect(infer(oneToMany, alone).refused == [])
    }

    @Test func twoRelationshipsThatWereApartDoNotBecomeEachOthersInverse() {
        let apart = (Short.toMany("bs", "B"), Short.toOne("a", "A"))
        #expect(infer(apart, oneToMany).refused == ["A.bs InverseChanged", "B.a InverseChanged"])
    }

    @Test func aRelationshipDoesNotBecomeItsOwnInverse() {
        let old = [
            Short.entity(
                "A", [], [Short.toMany("friends", "A", inverse: "fans"), Short.toMany("fans", "A", inverse: "friends")])
        ]
        let new = [Short.entity("A", [], [Short.toMany("friends", "A", inverse: "friends")])]
        #expect(Short.infer(old, new).refused == ["A.friends InverseChanged"])
    }

    @Test func aDestinationMayWidenToAParentOnly() {
        let old = [Short.entity("A", [], [Short.toOne("pet", "Cat")]), Short.entity("Cat")]
        let wider = [
            Short.entity("A", [], [Short.toOne("pet", "Animal")]), Short.entity("Animal"),
            Short.entity("Cat", parent: "Animal"),
        ]
        #expect(Short.infer(old, wider).refused == [])
        #expect(
            Short.infer(
                wider,
                [
                    Short.entity("A", [], [Short.toOne("pet", "Cat")]), Short.entity("Animal"),
                    Short.entity("Cat", parent: "Animal"),
                ]
            ).refused == ["A.pet DestinationChanged"])
        #expect(
            Short.infer(old, [Short.entity("A", [], [Short.toOne("pet", "A")]), Short.entity("Cat")]).refused
                == ["A.pet DestinationChanged"])
        let renamed = [Short.entity("A", [], [Short.toOne("pet", "Kitty")]), Short.entity("Kitty", was: "Cat")]
        #expect(Short.infer(old, renamed).refused == [])
    }

    @Test func aMandatoryRelationshipIsNotAddedToObjectsThatAreThere() {
        #expect(infer((nil, nil), (nil, Short.toOne("a", "A", optional: false))).refused == ["B.a NoDefault"])
        // The other way of one that was there has its content from that.
        let alone: (RelationshipDescription?, RelationshipDescription?) = (Short.toMany("bs", "B"), nil)
        let both = (Short.toMany("bs", "B", inverse: "a"), Short.toOne("a", "A", inverse: "bs", optional: false))
        #expect(infer(alone, both).refused == [])
    }

    @Test func entitiesAndRelationshipsThatSayTheyWereTheSameAreRefusedAlone() {
        let old = [
            Short.entity("A", [], [Short.toOne("b", "B", inverse: "as")]),
            Short.entity("B", [], [Short.toMany("as", "A", inverse: "b")]),
        ]
        let entities = Short.infer(
            old,
            [
                Short.entity("A", [], [Short.toOne("b", "D", inverse: "as")]), Short.entity("C", was: "B"),
                Short.entity("D", was: "B", [], [Short.toMany("as", "A", inverse: "b")]),
            ])
        #expect(entities.refused.contains("D RenameAmbiguous"))
        #expect(!entities.refused.contains { $0.hasSuffix("DestinationChanged") }, "\(entities.refused)")
        let relationships = Short.infer(
            [Short.entity("A", [], [Short.toOne("b", "B")]), Short.entity("B")],
            [
                Short.entity(
                    "A", [], [Short.toOne("c", "B", was: "b"), Short.toOne("d", "B", optional: false, was: "b")]),
                Short.entity("B"),
            ])
        #expect(relationships.refused == ["A.d RenameAmbiguous"])
    }
}
