import StoreFormat

/// Damages of attributes' values.
extension Damage {
    static let values: [Damage] = [
        Damage(
            "UPDATE ZWORK SET ZTITLE = x'00' WHERE Z_PK = 2", ["value-class", "ZWORK 2.title", "blob, expected text"]),
        Damage(
            "UPDATE ZWORK SET ZYEAR = 'old' WHERE Z_PK = 2", ["value-class", "ZWORK 2.year", "expected integer"],
            ["value-range", "ZWORK 2.year", "old"]),
        Damage("UPDATE ZWORK SET ZYEAR = 1.5 WHERE Z_PK = 2", ["value-class", "ZWORK 2.year", "real"]),
        Damage("UPDATE ZWORK SET ZYEAR = 40000 WHERE Z_PK = 2", ["value-range", "ZWORK 2.year", "40000"]),
        Damage("UPDATE ZWORK SET ZWEIGHT = 1 << 31 WHERE Z_PK = 2", ["value-range", "ZWORK 2.weight", "2147483648"]),
        Damage("UPDATE ZWORK SET ZISLOANED = 2 WHERE Z_PK = 2", ["value-range", "ZWORK 2.isLoaned", "boolean 2"]),
        Damage("UPDATE ZWORK SET ZNUMBER = x'0011' WHERE Z_PK = 2", ["value-uuid", "ZWORK 2.number", "2 bytes"]),
        Damage("UPDATE ZWORK SET ZACQUIRED = 'soon' WHERE Z_PK = 2", ["value-class", "ZWORK 2.acquired", "a number"]),
        Damage("UPDATE ZWORK SET ZVALUE = 'dear' WHERE Z_PK = 2", ["value-class", "ZWORK 2.value", "a number"]),
        Damage("UPDATE ZWORK SET ZNOTES = 'text' WHERE Z_PK = 2", ["value-class", "ZWORK 2.notes", "expected blob"]),
        Damage("UPDATE ZWORK SET ZLINK = x'01' WHERE Z_PK = 2", ["value-class", "ZWORK 2.link", "expected text"]),
        Damage("UPDATE ZWORK SET ZHEIGHT = 70000 WHERE Z_PK = 2", ["value-range", "ZWORK 2.size.height", "70000"]),
        Damage("UPDATE ZROOM SET ZNAME = NULL", ["value-mandatory", "ZROOM 1.name", "null"]),
        Damage("UPDATE ZWORK SET ZIMAGE = x'0300' WHERE Z_PK = 2", ["value-external", "ZWORK 2.image", "neither"]),
        Damage("UPDATE ZWORK SET ZIMAGE = x'02414200' WHERE Z_PK = 2", ["external-file", "ZWORK 2.image", "no UUID"]),
        Damage(
            "UPDATE ZWORK SET ZTITLE = CAST(x'66ff' AS TEXT) WHERE Z_PK = 2", ["value-text", "ZWORK 2.title", "UTF-8"]),
        Damage(
            "UPDATE ZWORK SET ZTITLE = CAST(x'e282' AS TEXT) WHERE Z_PK = 2", ["value-text", "ZWORK 2.title", "UTF-8"]),
        Damage(
            "UPDATE ZWORK SET ZLINK = CAST(x'c0af' AS TEXT) WHERE Z_PK = 2", ["value-text", "ZWORK 2.link", "UTF-8"]),
        Damage(
            "UPDATE ZWORK SET ZUNIT = CAST(x'eda080' AS TEXT) WHERE Z_PK = 2",
            ["value-text", "ZWORK 2.size.unit", "UTF-8"]),
        Damage(
            "UPDATE ZPERSON SET ZSTYLE = 'Dada' WHERE Z_PK = 2",
            ["value-entity", "ZPERSON 2.style", "ZSTYLE is of Artist, but the row is of the entity 5"]),
        Damage("UPDATE ZWORK SET ZACQUIRED = 9e999 WHERE Z_PK = 2", ["value-date", "ZWORK 2.acquired", "infinite"]),
        Damage("UPDATE ZWORK SET ZACQUIRED = -9e999 WHERE Z_PK = 2", ["value-date", "ZWORK 2.acquired", "infinite"]),
        Damage("UPDATE ZWORK SET ZVALUE = 9e999 WHERE Z_PK = 2", ["value-range", "ZWORK 2.value", "no decimal"]),
        Damage("UPDATE ZWORK SET ZVALUE = 1e300 WHERE Z_PK = 2", ["value-range", "ZWORK 2.value", "decimal holds"]),
        Damage("UPDATE ZFRAME SET ZSCALE = 1e300", ["value-range", "ZFRAME 1.scale", "does not fit a Float"]),
        Damage(
            "UPDATE ZWORK SET ZYEAR = 9e999 WHERE Z_PK = 2", ["value-class", "ZWORK 2.year", "real"],
            ["value-range", "ZWORK 2.year", "Inf"]),
        Damage(
            "UPDATE ZWORK SET ZNUMBER = 'id' WHERE Z_PK = 2", ["value-class", "ZWORK 2.number", "expected blob"],
            ["value-uuid", "ZWORK 2.number", "2 bytes"]),
        Damage(
            "UPDATE ZWORK SET ZIMAGE = substr(ZIMAGE, 1, 37) WHERE Z_PK = 3",
            ["value-external", "ZWORK 3.image", "37 bytes"]),
        Damage("UPDATE ZROOM SET ZWORKSCOUNT = 9", ["derived-value", "ZROOM 1.worksCount", "expected 2"]),
        Damage(
            "UPDATE ZWORK SET ZMAKERNAME = 'Bob' WHERE Z_PK = 2",
            ["derived-value", "ZWORK 2.makerName", "expected Ada"]),
    ]
}
