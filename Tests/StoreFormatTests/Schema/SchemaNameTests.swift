import SQLite
import StoreFormat
import StoreModel
import TestKit
import Testing

/// Names of a model go into SQL without quotes, as Core Data writes them: a model from a file must not say more than names.
@Suite struct SchemaNameTests {
    private static func model(entity: String = "Y", attribute: String = "a", index: String? = nil) -> ModelDescription {
        var entity = EntityDescription(name: entity)
        entity.attributes = [AttributeDescription(name: attribute, type: .string, isOptional: true)]
        if let index {
            entity.fetchIndexes = [
                FetchIndexDescription(
                    name: index, elements: [.init(property: attribute, kind: .binary, isAscending: true)])
            ]
        }
        return ModelDescription(entities: [entity])
    }

    /// Each would run a second statement, or leave the first one's table, if it came into SQL as it stands.
    static let hostile = [
        model(entity: "Y ( a ); CREATE TABLE EVIL (a); --"),
        model(attribute: "a VARCHAR ); CREATE TABLE EVIL (a); --"),
        model(index: "a ON ZY(Z_PK); CREATE TABLE EVIL (a); --"),
        model(index: "a b"), model(entity: "Y-Z"), model(attribute: "a'"), model(attribute: ""),
    ]

    @Test(arguments: hostile.indices)
    func aNameThatIsNoneIsRefusedAndNothingIsMade(number: Int) throws {
        let folder = try TemporaryFolder()
        let error = #expect(throws: StoreError.self) {
            try StoreCreator.create(folder.file("s.sqlite"), model: Self.hostile[number])
        }
        #expect(error?.code == .modelUnreadable)
        #expect(try FolderContents(folder.path).files.isEmpty)
    }

    /// Letters of every script are names.
    @Test func otherScriptsAreNames() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("s.sqlite")
        try StoreCreator.create(path, model: Self.model(entity: "Καφές", attribute: "größe", index: "nach_Größe2"))
        #expect(try StoreVerifier.verify(StoreConnector.offlineReader(path), store: Store.open(path)) == [])
    }

    @Test func oneStatementIsOneStatement() throws {
        let folder = try TemporaryFolder()
        let connection = try Connection(path: folder.file("s.db"), mode: .readWriteCreate)
        #expect(throws: SQLiteError.self) { try connection.executeOne("CREATE TABLE a (b); CREATE TABLE c (d)") }
        #expect(try connection.query("SELECT name FROM sqlite_master").isEmpty)
    }
}
