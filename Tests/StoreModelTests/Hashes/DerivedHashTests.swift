import Foundation
import Testing

@testable import StoreModel

@Suite struct DerivedHashTests {
    /// A derivation with the hash of its entity, worked out with Python's hashlib from the rules of Format, section 9.
    static let hashes = [
        ("pages.@count", "uP+/rjOLUaNBce+CAMAJvKJ0g3KSzC5RkBXwDpzZrOs="),
        ("count:(pages)", "4tkMKa9LMMkoN6BuAVIXObZacFk487R2wXktcxgpAcc="),
        ("pages.@sum.size", "C7NvvG/rXw82KhqCkMtWxb3Xj+5oUKESvIuNBmTc/Zk="),
        ("sum:(pages.size)", "cqmP4LrGxyLE3VPqE57XTAnxYv5A9gkiWHjQsa2LS9g="),
        ("pages.@min.size", "BTSRJ4ZbWdLc05ECUy1CpeevJWNcCWc2Dup4CaylkIo="),
        ("pages.@max.size", "tz5lHTsBFfjIwACkdE8uljJ21fA5zAwGCLu5jAD43ZI="),
        ("pages.@avg.size", "VtR1RmwLGyoSP9Dw6BSlhsCx9gIa+P00bv9BNtz4s5k="),
        ("now()", "P4Z5LjYdKewDcowzGfxB6GowpXTtsb900E3mzpplFtM="),
        ("uppercase:(title)", "yi9G91gE+q1D9IK7NeYKDUTiDDkHR9iubx3D5AHmtRY="),
        ("lowercase:(title)", "pTneQZ1sibu12PJD+QzANczTTw46t7JDONQjc9aTvLI="),
        ("canonical:(title)", "dvIZe8nLbTQ+KrKK7fRHaplgiC05vS++nZJnKyXtzqM="),
        ("owner.name", "W+/Ywq+hvhcO2xNp+s7PNB6/2ip43cmrj+GflrUEaL4="),
        ("canonical:(owner.name)", "sxOAY8enaJaDRghJnciBTNWkAEFv8WR4a5IOm93Ja18="),
    ]

    private func model(_ derivation: String) throws -> ModelDescription {
        let text = """
            <model><entity name="Book"><attribute name="a" optional="YES" attributeType="Integer 64" derived="YES"
            derivationExpression="\(derivation)"/><relationship name="pages" toMany="YES" optional="YES"
            destinationEntity="Page" inverseName="book"/></entity><entity name="Page"><relationship name="book" maxCount="1"
            optional="YES" destinationEntity="Book" inverseName="pages"/></entity></model>
            """
        return try ContentsReader(Data(text.utf8), source: "test").model()
    }

    /// The expression is hashed in the form that the model has, and every kind of model keeps that form.
    @Test(arguments: hashes)
    func everyKindOfModelHashesADerivationAlike(_ derivation: String, _ hash: String) throws {
        let source = try model(derivation)
        #expect(try source.versionHashes()["Book"]?.base64EncodedString() == hash)
        let cached = try ModelCache.decode(ModelCache.encode(source))
        #expect(try cached.versionHashes()["Book"]?.base64EncodedString() == hash)
        #expect(cached["Book"]?.attributes.first?.derivation == source["Book"]?.attributes.first?.derivation)
        #expect(ModelDifference.between(source, cached).isEmpty)
    }

    @Test func spacesInASourceDoNotCount() throws {
        #expect(try model(" uppercase:( title ) ").versionHashes() == model("uppercase:(title)").versionHashes())
    }

    @Test(arguments: [
        ("count:(pages)", "pages.@count"), ("pages.@count", "pages.@count"), ("sum:(pages.size)", "pages.@sum.size"),
        ("average:(pages.size)", "pages.@avg.size"), ("uppercase:(title)", "uppercase:(title)"),
        ("max:(pages)", "max:(pages)"),
    ])
    func formsThatSayTheSameAreToldToBe(_ derivation: String, _ format: String) throws {
        #expect(try DerivationExpression(parsing: derivation).format == format)
    }
}
