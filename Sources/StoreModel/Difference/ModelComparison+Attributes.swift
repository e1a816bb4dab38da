extension ModelComparison {
    func compareAttributes(
        _ old: EntityDescription, _ new: EntityDescription, _ recorder: inout DifferenceRecorder
    ) {
        compare(old.attributes, new.attributes, under: nil, &recorder) { attribute, isOld in
            // What went to or came from an ancestor is still there.
            isOld
                ? self.b.attributes(of: new.name).contains { $0.name == attribute.name }
                : self.a.attributes(of: old.name).contains { $0.name == attribute.name }
        }
    }

    private func compare(
        _ old: [AttributeDescription], _ new: [AttributeDescription], under composite: String?,
        _ recorder: inout DifferenceRecorder, isElsewhere: (AttributeDescription, Bool) -> Bool
    ) {
        let match = RenamingMatch(
            old.map { ($0.name, $0.renamingIdentifier) }, new.map { ($0.name, $0.renamingIdentifier) })
        let prefix = composite.map { $0 + "." } ?? ""
        for attribute in old where match.newByOld[attribute.name] == nil {
            recorder.property = prefix + attribute.name
            if isElsewhere(attribute, true) {
                recorder.add("moved", "declared here", "inherited", .lightweight)
            } else {
                recorder.add("removed", attribute.kindText, nil, attribute.presenceKind)
            }
        }
        for attribute in new {
            recorder.property = prefix + attribute.name
            if let before = match.oldByNew[attribute.name].flatMap({ name in old.first { $0.name == name } }) {
                compare(before, attribute, &recorder)
            } else if isElsewhere(attribute, false) {
                recorder.add("moved", "inherited", "declared here", .lightweight)
            } else {
                recorder.add("added", nil, attribute.kindText, attribute.presenceKind)
            }
        }
        recorder.property = nil
    }

    private func compare(
        _ old: AttributeDescription, _ new: AttributeDescription, _ recorder: inout DifferenceRecorder
    ) {
        let name = recorder.property
        let isStored = !old.isTransient || !new.isTransient
        func kind(_ kind: Kind) -> Kind { isStored ? kind : .sameHash }
        recorder.note("renamed", old.name, new.name, kind(.lightweight))
        recorder.note("type", old.type, new.type, kind(.lightweight))
        recorder.note("optional", old.isOptional, new.isOptional, kind(.lightweight))
        recorder.note("transient", old.isTransient, new.isTransient, .lightweight)
        recorder.note(
            "externalStorage", old.allowsExternalBinaryDataStorage, new.allowsExternalBinaryDataStorage,
            kind(.lightweight))
        recorder.note(
            "preservedOnDeletion", old.preservesValueInHistoryOnDeletion, new.preservesValueInHistoryOnDeletion,
            kind(.lightweight))
        recorder.note("versionHashModifier", old.versionHashModifier, new.versionHashModifier, kind(.lightweight))
        recorder.note(
            "derivation", old.derivation?.hashDescription, new.derivation?.hashDescription, kind(.lightweight))
        recorder.note(
            "derivationFilter", old.derivation?.filteringPredicateFormat, new.derivation?.filteringPredicateFormat,
            .sameHash)
        recorder.note("default", old.defaultValue, new.defaultValue, .sameHash)
        recorder.note("valueClass", old.valueClassName, new.valueClassName, .sameHash)
        recorder.note("valueTransformer", old.valueTransformerName, new.valueTransformerName, .sameHash)
        recorder.note("indexed", old.isIndexed, new.isIndexed, .sameHash)
        recorder.note("spotlight", old.isIndexedBySpotlight, new.isIndexedBySpotlight, .sameHash)
        recorder.note("storedInTruthFile", old.isStoredInTruthFile, new.isStoredInTruthFile, .sameHash)
        recorder.note("cloudEncryption", old.allowsCloudEncryption, new.allowsCloudEncryption, .sameHash)
        recorder.note("readOnly", old.isReadOnly, new.isReadOnly, .sameHash)
        recorder.note("validations", old.validationTexts, new.validationTexts, .sameHash)
        recorder.note("userInfo", old.userInfo, new.userInfo, .sameHash)
        recorder.note(
            "renamingIdentifier", old.renamingIdentifier ?? old.name, new.renamingIdentifier ?? new.name, .sameHash)
        if old.isComposite, new.isComposite {
            compare(old.elements, new.elements, under: name, &recorder) { _, _ in false }
            recorder.property = name
        }
    }
}

extension AttributeDescription {
    /// The attribute in two words.
    fileprivate var kindText: String {
        "\(isTransient ? "transient " : "")\(isDerived ? "derived " : "")\(type)\(isOptional ? " optional" : "")"
    }

    fileprivate var validationTexts: [String] { validations.map(\.predicateFormat).sorted() }

    /// What it means that the attribute is there, or not.
    fileprivate var presenceKind: ModelDifference.Kind { isTransient ? .sameHash : .lightweight }
}
