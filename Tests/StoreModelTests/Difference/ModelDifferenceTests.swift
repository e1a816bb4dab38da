import Testing

@testable import StoreModel

@Suite struct ModelDifferenceTests {
    typealias Kind = ModelDifference.Kind

    private func differences(_ change: (inout ModelDescription) -> Void) -> [ModelDifference.Difference] {
        var model = SampleModel.model
        change(&model)
        return ModelDifference.between(SampleModel.model, model)
    }

    @Test func aModelDoesNotDifferFromItself() {
        #expect(differences { _ in }.isEmpty)
    }

    @Test func aChangedTypeNeedsACustomStage() {
        let found = differences { $0.entities[2].attributes[1].type = .string }
        #expect(
            found == [
                .init(
                    entity: "Thing", property: "size", what: "type", a: "integer64", b: "string",
                    kind: .needsCustomStage)
            ])
    }

    @Test func addedAndRemovedPropertiesAreJudgedByWhatRowsNeed() {
        let found = differences { model in
            model.entities[0].attributes.removeAll { $0.name == "photo" }
            model.entities[0].attributes.append(SampleModel.attribute("free", .string))
            model.entities[0].attributes.append(SampleModel.attribute("must", .string, optional: false))
            model.entities[0].attributes.append(
                SampleModel.attribute("filled", .string, optional: false) { $0.defaultValue = .string("x") })
        }
        #expect(found.map(\.property) == ["filled", "free", "must", "photo"])
        #expect(found.map(\.what) == ["added", "added", "added", "removed"])
        #expect(found.map(\.kind) == [.lightweight, .lightweight, .needsCustomStage, .losesData])
    }

    @Test func renamedEntitiesAndPropertiesAreFollowed() {
        let found = differences { model in
            model.entities[1].name = "Piece"
            model.entities[1].renamingIdentifier = "Part"
            model.entities[0].relationships[1].destinationEntityName = "Piece"
            model.entities[0].relationships[2].destinationEntityName = "Piece"
            model.entities[0].attributes[1].name = "picture"
            model.entities[0].attributes[1].renamingIdentifier = "photo"
            model.configurations["Local"] = ["Box", "Piece"]
        }
        #expect(!found.contains { ["added", "removed"].contains($0.what) })
        #expect(found.filter { $0.what == "renamed" }.map(\.b) == ["picture", "Piece"])
        #expect(found.allSatisfy { $0.kind == .lightweight || $0.kind == .sameHash })
    }

    @Test func whatNoHashDependsOnIsMarkedSo() throws {
        let found = differences { model in
            model.entities[0].className = "Other"
            model.entities[0].relationships[2].deleteRule = .deny
            model.entities[2].attributes[1].defaultValue = nil
            model.entities[0].fetchIndexes = []
        }
        #expect(Set(found.map(\.what)) == ["class", "deleteRule", "default", "fetchIndexes"])
        #expect(found.allSatisfy { $0.kind == .sameHash })
    }

    @Test func relationshipsThatNarrowNeedACustomStage() {
        let found = differences { $0.entities[0].relationships[2].maxCount = 1 }
        #expect(found.map(\.kind) == [.needsCustomStage])
        #expect(found.first?.what == "toMany")
    }

    /// Each change of one fact with what migration makes of it, as the rules of lightweight migration have it.
    @Test func aDifferenceIsWhatMigrationMakesOfIt() {
        let changes: [(String, Kind, (inout ModelDescription) -> Void)] = [
            ("unique", Kind.lightweight, { $0.entities[1].uniquenessConstraints = [["label"]] }),
            ("optional", .needsCustomStage, { $0.entities[1].attributes[0].isOptional = false }),
            (
                "optional", .lightweight,
                {
                    $0.entities[1].attributes[0].isOptional = false
                    $0.entities[1].attributes[0].defaultValue = .string("x")
                }
            ),
            ("destination", .lightweight, { $0.entities[0].relationships[1].destinationEntityName = "Base" }),
            ("destination", .needsCustomStage, { $0.entities[0].relationships[1].destinationEntityName = "Box" }),
            (
                "added", .needsCustomStage,
                { model in
                    model.entities[1].attributes = []
                    model.entities[1].relationships.append(RelationshipDescription(name: "label", destination: "Box"))
                }
            ),
            ("added", .lightweight, { $0.entities[1].relationships.append(.init(name: "new", destination: "Box")) }),
            (
                "added", .needsCustomStage,
                { $0.entities[1].relationships.append(.init(name: "new", destination: "Box", isOptional: false)) }
            ),
            ("transient", .losesData, { $0.entities[1].attributes[0].isTransient = true }),
            ("removed", .losesData, { $0.entities[1].attributes = [] }),
            ("parent", .needsCustomStage, { $0.entities[1].superentityName = "Box" }),
            ("parent", .lightweight, { $0.entities[2].superentityName = nil }),
            (
                "inverse", .needsCustomStage,
                { model in
                    // Two relationships that had nothing to do with each other become two ways of one.
                    model.entities[0].relationships[0].inverseName = "boxes"
                    model.entities[1].relationships[0].inverseName = "parts"
                }
            ),
        ]
        var (box, part, lid) = (
            EntityDescription(name: "Box"), EntityDescription(name: "Part"),
            EntityDescription(name: "Lid", superentityName: "Base")
        )
        box.relationships = [
            RelationshipDescription(name: "parts", destination: "Part", maxCount: 0),
            RelationshipDescription(name: "lid", destination: "Lid"),
        ]
        part.attributes = [AttributeDescription(name: "label", type: .string, isOptional: true)]
        part.relationships = [RelationshipDescription(name: "boxes", destination: "Box", maxCount: 0)]
        lid.attributes = [AttributeDescription(name: "size", type: .integer16, isOptional: true)]
        let before = ModelDescription(entities: [box, part, lid, EntityDescription(name: "Base")])
        for (what, kind, change) in changes {
            var after = before
            change(&after)
            let found = ModelDifference.between(before, after)
            #expect(found.contains { $0.what == what && $0.kind == kind }, "\(what): \(found)")
            let refusals = MappingInference.infer(before, after).refusals
            #expect(refusals.isEmpty == !found.contains { $0.kind == .needsCustomStage }, "\(what): \(refusals)")
        }
    }

    /// A relationship whose other way stays connects the same objects as before.
    @Test func aRemovedRelationshipLosesNothingWhereItsOtherWayStays() {
        let found = differences { model in
            model.entities[0].relationships.removeAll { $0.name == "parts" }
            model.entities[1].relationships[0].inverseName = nil
        }
        #expect(found.first { $0.property == "parts" }?.kind == .lightweight)
        let both = differences { model in
            model.entities[0].relationships.removeAll { $0.name == "parts" }
            model.entities[1].relationships = []
        }
        #expect(both.first { $0.property == "parts" }?.kind == .losesData)
    }

    @Test func movingAnAttributeToTheParentKeepsIt() {
        let found = differences { model in
            let photo = model.entities[0].attributes.remove(at: 1)
            model.entities[2].attributes.append(photo)
        }
        #expect(found.contains { $0.entity == "Box" && $0.property == "photo" && $0.what == "moved" })
        #expect(!found.contains { $0.kind == .losesData })
    }

    @Test func elementsOfCompositesAreNamed() {
        let found = differences { $0.entities[0].attributes[2].elements.removeLast() }
        #expect(
            found == [
                .init(
                    entity: "Box", property: "place.a", what: "removed", a: "integer16", b: nil, kind: .losesData)
            ])
    }

    /// A rename in the source that leaves what is persisted alone: classes and labels are no part of the stored form.
    @Test func renamingOnlyWhatSwiftSeesIsNoChange() {
        let found = differences { model in
            model.entities[0].className = "AppModule.RenamedBox"
            model.entities[0].attributes[1].renamingIdentifier = "photograph"
            model.entities[0].attributes[1].userInfo = ["label": .string("picture")]
        }
        #expect(!found.isEmpty && found.allSatisfy { $0.kind == .sameHash })
    }

    /// The two agree for every change of one fact: a hash differs exactly where a difference says that it does.
    @Test func aDifferenceChangesHashesExactlyIfItSaysSo() throws {
        let changes: [(inout ModelDescription) -> Void] = [
            { $0.entities[0].isAbstract = true }, { $0.entities[0].uniquenessConstraints = [] },
            { $0.entities[0].attributes[1].preservesValueInHistoryOnDeletion = false },
            { $0.entities[0].attributes[1].allowsExternalBinaryDataStorage = false },
            { $0.entities[0].attributes[1].isOptional = false }, { $0.entities[0].attributes[1].isTransient = true },
            { $0.entities[0].attributes[1].userInfo = ["a": .null] },
            { $0.entities[0].attributes[1].isIndexed = true }, { $0.entities[0].relationships[2].isOrdered = false },
            { $0.entities[0].relationships[0].minCount = 1 }, { $0.entities[0].relationships[2].inverseName = nil },
            { $0.entities[0].superentityName = nil }, { $0.entities[0].versionHashModifier = nil },
            { $0.entities[0].relationships[1].versionHashModifier = nil }, { $0.entities[1].className = "P" },
            { $0.versionIdentifiers = [] }, { $0.configurations = [:] },
            { $0.entities[0].attributes[0].derivation?.hashDescription = "parts" },
        ]
        for (index, change) in changes.enumerated() {
            var model = SampleModel.model
            change(&model)
            let isSame = try model.versionHashes() == SampleModel.model.versionHashes()
            let saysSame = ModelDifference.changingHashes(SampleModel.model, model).isEmpty
            #expect(isSame == saysSame, "change \(index)")
        }
    }
}
