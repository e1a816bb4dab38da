import Foundation
import StoreModel

/// Models written for tests, as values.
public enum SampleModels {
    /// A library: inheritance (`Person` with `Author` and `Member`), every attribute type on `Book`, to-one and one-to-many
    /// (`author`/`books`), many-to-many (`tags`/`books`), ordered (`Shelf.books`), one-to-one (`Member.card`), a unique
    /// attribute (`Tag.name`), and delete rules of each kind.
    public static let library: ModelDescription = {
        var author = EntityDescription(name: "Author", superentityName: "Person")
        author.attributes = [AttributeDescription(name: "penName", type: .string, isOptional: true)]
        author.relationships = [
            RelationshipDescription(
                name: "books", destination: "Book", inverse: "author", maxCount: 0, deleteRule: .cascade)
        ]
        var member = EntityDescription(name: "Member", superentityName: "Person")
        member.attributes = [AttributeDescription(name: "joined", type: .date, isOptional: true)]
        member.relationships = [
            RelationshipDescription(name: "card", destination: "Card", inverse: "member", deleteRule: .cascade)
        ]
        var card = EntityDescription(name: "Card")
        card.attributes = [AttributeDescription(name: "number", type: .integer32)]
        card.relationships = [RelationshipDescription(name: "member", destination: "Member", inverse: "card")]
        var person = EntityDescription(name: "Person")
        person.isAbstract = true
        person.attributes = [AttributeDescription(name: "name", type: .string, isOptional: true)]
        return ModelDescription(entities: [author, book, card, member, person, shelf, tag])
    }()

    private static let book: EntityDescription = {
        var book = EntityDescription(name: "Book")
        var cover = AttributeDescription(name: "cover", type: .binaryData, isOptional: true)
        cover.allowsExternalBinaryDataStorage = true
        var isbn = AttributeDescription(name: "isbn", type: .string, isOptional: true)
        isbn.preservesValueInHistoryOnDeletion = true
        var pages = AttributeDescription(name: "pages", type: .integer16)
        pages.defaultValue = .integer(0)
        book.attributes = [
            cover, isbn, pages,
            AttributeDescription(name: "title", type: .string, isOptional: true),
            AttributeDescription(name: "copies", type: .integer64, isOptional: true),
            AttributeDescription(name: "stock", type: .integer32, isOptional: true),
            AttributeDescription(name: "isLent", type: .boolean, isOptional: true),
            AttributeDescription(name: "rating", type: .double, isOptional: true),
            AttributeDescription(name: "weight", type: .float, isOptional: true),
            AttributeDescription(name: "price", type: .decimal, isOptional: true),
            AttributeDescription(name: "published", type: .date, isOptional: true),
            AttributeDescription(name: "identifier", type: .uuid, isOptional: true),
            AttributeDescription(name: "link", type: .uri, isOptional: true),
            AttributeDescription(name: "thumbnail", type: .binaryData, isOptional: true),
            AttributeDescription(name: "notes", type: .transformable, isOptional: true),
        ]
        book.relationships = [
            RelationshipDescription(name: "author", destination: "Author", inverse: "books"),
            RelationshipDescription(name: "shelf", destination: "Shelf", inverse: "books"),
            RelationshipDescription(name: "tags", destination: "Tag", inverse: "books", maxCount: 0),
        ]
        return book
    }()

    private static let shelf: EntityDescription = {
        var shelf = EntityDescription(name: "Shelf")
        shelf.attributes = [AttributeDescription(name: "label", type: .string, isOptional: true)]
        shelf.relationships = [
            RelationshipDescription(
                name: "books", destination: "Book", inverse: "shelf", maxCount: 0, isOrdered: true, deleteRule: .deny)
        ]
        return shelf
    }()

    private static let tag: EntityDescription = {
        var tag = EntityDescription(name: "Tag")
        tag.attributes = [AttributeDescription(name: "name", type: .string)]
        tag.uniquenessConstraints = [["name"]]
        tag.relationships = [RelationshipDescription(name: "books", destination: "Book", inverse: "tags", maxCount: 0)]
        return tag
    }()
}
