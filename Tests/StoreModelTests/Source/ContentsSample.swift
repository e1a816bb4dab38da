import Foundation
import Testing

@testable import StoreModel

/// Models made of a few elements of an `.xcdatamodel`.
enum ContentsSample {
    /// The model with that inside its element, which begins in the second line.
    static func read(_ body: String) throws -> ModelDescription {
        let text = "<?xml version=\"1.0\"?>\n<model userDefinedModelVersionIdentifier=\"1.8\">\(body)</model>"
        return try ContentsReader(Data(text.utf8), source: "test").model()
    }

    /// An attribute with these XML attributes.
    static func attribute(_ attributes: String) throws -> AttributeDescription {
        let model = try read("<entity name=\"E\"><attribute name=\"a\" \(attributes)/></entity>")
        return try #require(model["E"]?.attributes.first)
    }
}
