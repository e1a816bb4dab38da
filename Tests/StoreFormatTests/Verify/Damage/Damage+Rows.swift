import StoreFormat

/// Damages of the catalogue, and of the columns that every row has.
extension Damage {
    static let catalogue: [Damage] = [
        Damage("UPDATE Z_PRIMARYKEY SET Z_MAX = 2 WHERE Z_NAME = 'Work'", ["key-counter", "ZWORK", "highest Z_PK 3"]),
        Damage(
            "UPDATE Z_PRIMARYKEY SET Z_MAX = -1 WHERE Z_NAME = 'Lamp'", ["key-counter", "Lamp", "-1"],
            ["key-counter", "ZLAMP", "Z_MAX -1"]),
        Damage(
            "UPDATE Z_PRIMARYKEY SET Z_MAX = NULL WHERE Z_NAME = 'Lamp'", ["catalogue-value", "Lamp", "no integer"],
            ["key-counter", "ZLAMP", "highest Z_PK 2"]),
        Damage("UPDATE Z_PRIMARYKEY SET Z_MAX = 5 WHERE Z_NAME = 'Artist'", ["key-counter-sub", "Artist", "not 0"]),
        Damage(
            "UPDATE Z_PRIMARYKEY SET Z_SUPER = 6 WHERE Z_NAME = 'Guide'", ["catalogue-super", "Guide", "expected 3"]),
        Damage("UPDATE Z_PRIMARYKEY SET Z_NAME = 'Torch' WHERE Z_NAME = 'Lamp'", ["catalogue-name", "Lamp", "Torch"]),
        Damage("INSERT INTO Z_PRIMARYKEY VALUES (9, 'Ghost', 0, 0)", ["catalogue-extra", "Ghost", "number 9"]),
        Damage("INSERT INTO Z_PRIMARYKEY VALUES (9, 'Lamp', 0, 0)", ["catalogue-extra", "Lamp", "number 9"]),
        Damage(
            "UPDATE Z_PRIMARYKEY SET Z_MAX = 9223372036854775807 WHERE Z_NAME = 'Lamp'",
            ["key-counter", "ZLAMP", "leaves no key"]),
        Damage(
            "UPDATE Z_PRIMARYKEY SET Z_SUPER = 0 WHERE Z_NAME = 'Guide'", ["catalogue-super", "Guide", "expected 3"]),
        Damage(
            "DELETE FROM Z_PRIMARYKEY WHERE Z_NAME = 'Lamp'", ["catalogue-missing", "Lamp", "Z_PRIMARYKEY does not"],
            ["key-counter", "ZLAMP", "highest Z_PK 2"], ["row-entity", "ZLAMP 1", "Z_ENT 2"],
            ["row-entity", "ZLAMP 2", "Z_ENT 2"], ["history-entity", "ACHANGE 10", "ZENTITY 2"],
            ["history-entity", "ACHANGE 11", "ZENTITY 2"], ["coexist-entity", "Lamp", "not in the model"]),
    ]

    static let rows: [Damage] = [
        Damage(
            "UPDATE ZLAMP SET Z_ENT = 6 WHERE Z_PK = 2", ["row-entity", "ZLAMP 2", "Z_ENT 6"],
            ["history-kind", "Lamp 2", "row says 6"]),
        Damage(
            "UPDATE ZLAMP SET Z_ENT = 99 WHERE Z_PK = 2", ["row-entity", "ZLAMP 2", "Z_ENT 99"],
            ["history-kind", "Lamp 2", "row says 99"]),
        Damage(
            "UPDATE ZLAMP SET Z_ENT = NULL WHERE Z_PK = 2", ["row-entity", "ZLAMP 2", "NULL"],
            ["history-vanished", "Lamp 2", "transaction 1"]),
        Damage(
            "UPDATE ZPERSON SET Z_ENT = 3 WHERE Z_PK = 1", ["row-abstract", "ZPERSON 1", "Person"],
            ["polymorphic-key", "ZWORK 1.maker", "the row is 3"], ["polymorphic-key", "ZWORK 2.maker", "the row is 3"],
            ["history-kind", "Artist 1", "row says 3"]),
        Damage("UPDATE ZLAMP SET Z_OPT = NULL WHERE Z_PK = 2", ["row-version", "ZLAMP 2", "Z_OPT"]),
        Damage("UPDATE ZLAMP SET Z_OPT = 0 WHERE Z_PK = 2", ["row-version", "ZLAMP 2", "Z_OPT"]),
        Damage("UPDATE ZLAMP SET Z_OPT = 'one' WHERE Z_PK = 2", ["row-version", "ZLAMP 2", "Z_OPT"]),
        Damage(
            "UPDATE ZLAMP SET Z_PK = -2 WHERE Z_PK = 2", ["row-key", "ZLAMP -2", "Z_PK"],
            ["history-vanished", "Lamp 2", "transaction 1"]),
        Damage("DELETE FROM ZLAMP WHERE Z_PK = 2", ["history-vanished", "Lamp 2", "gone without a delete"]),
        Damage("INSERT INTO ZTAG VALUES (3, 7, 1, 'new')", ["history-deleted", "Tag 3", "transaction 4"]),
    ]
}
