/// Where a created store differs from a real one, and why: statements without blanks, by how they begin.
struct SchemaDeviation {
    var store: String
    var reason: String
    var onlyReal: [String] = []
    var onlyMade: [String] = []

    /// All that is known of a store.
    static func of(_ name: String) -> SchemaDeviation {
        all.filter { name.hasPrefix($0.store) }.reduce(into: SchemaDeviation(store: name, reason: "")) {
            $0.onlyReal += $1.onlyReal
            $0.onlyMade += $1.onlyMade
        }
    }

    static let all: [SchemaDeviation] = [
        SchemaDeviation(
            store: "01_", reason: "framework 851: texts of history stand in ATRANSACTION itself",
            onlyReal: ["CREATETABLEATRANSACTION("],
            onlyMade: [
                "CREATETABLEATRANSACTION(", "CREATETABLEATRANSACTIONSTRING(", "CREATEINDEXATRANSACTION_ZAUTHORTS_INDEX",
                "CREATEINDEXATRANSACTION_ZBUNDLEIDTS_INDEX", "CREATEINDEXATRANSACTION_ZCONTEXTNAMETS_INDEX",
                "CREATEINDEXATRANSACTION_ZPROCESSIDTS_INDEX", "CREATEUNIQUEINDEXZ_TRANSACTIONSTRING_UNIQUE_NAME",
            ]),
        SchemaDeviation(
            store: "01_", reason: "before framework 865: a uniqueness constraint stands in the table's text",
            onlyReal: ["CREATETABLEZSTRUCTUREDMETADATA("],
            onlyMade: ["CREATETABLEZSTRUCTUREDMETADATA(", "CREATEUNIQUEINDEXZ_StructuredMetadata_UNIQUE_metadataHash"]),
        SchemaDeviation(
            store: "37_",
            reason: "framework 637: constraints in the table's text, indexes of the form before fetch indexes",
            onlyReal: ["CREATETABLEZGEOGRAPHICREGION(", "CREATEINDEXZGEOGRAPHICREGION_", "CREATEINDEXZMOOD_"],
            onlyMade: ["CREATETABLEZGEOGRAPHICREGION(", "CREATEUNIQUEINDEXZ_GeographicRegion_UNIQUE_"]),
        SchemaDeviation(
            store: "11_", reason: "macOS 10.15: the index of Z_ENT is missing for one of the tables with subentities",
            onlyMade: ["CREATEINDEXZGENERICASSET_Z_ENT_INDEX"]),
        SchemaDeviation(
            store: "11_", reason: "two or more order columns: their mutual order is not known",
            onlyReal: ["CREATETABLEZGENERICASSET(", "CREATETABLEZCLOUDSHAREDCOMMENT("],
            onlyMade: ["CREATETABLEZGENERICASSET(", "CREATETABLEZCLOUDSHAREDCOMMENT("]),
        SchemaDeviation(
            store: "11_", reason: "indexes with an entity number from before a migration",
            onlyReal: [
                "CREATEINDEXZ_34SUGGESTIONSBEINGKEYASSETS_Z_51",
                "CREATEINDEXZ_34SUGGESTIONSBEINGREPRESENTATIVEASSETS_Z_51",
            ]),
        SchemaDeviation(
            store: "11_",
            reason: "the application's own triggers and indexes, and an R*Tree that its model does not hold",
            onlyReal: [
                "CREATETRIGGERZT_", "CREATEINDEXRADAR_", "CREATEUNIQUEINDEXRADAR_", "CREATEVIRTUALTABLEZ_RT_",
                "CREATETRIGGERZ_RT_",
            ]),
        SchemaDeviation(
            store: "14_", reason: "two or more order columns: their mutual order is not known",
            onlyReal: ["CREATETABLEZASSET("], onlyMade: ["CREATETABLEZASSET("]),
        SchemaDeviation(
            store: "14_",
            reason: "the application's own triggers and indexes, and an R*Tree that its model does not hold",
            onlyReal: [
                "CREATETRIGGERZT_", "CREATEINDEXZ_32ASSETS_Z_32ALBUMS_", "CREATEVIRTUALTABLEZ_RT_",
                "CREATETRIGGERZ_RT_",
            ]),
    ]
}
