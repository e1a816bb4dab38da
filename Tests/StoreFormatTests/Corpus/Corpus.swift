import Foundation
import StoreFormat
import TestKit
import Testing

extension Corpus {
    static let condition: ConditionTrait = .enabled(if: folder != nil, Comment(rawValue: message))

    /// A copy of the store, opened by its own model; nil for one that cannot be read without a model file.
    static func open(_ name: String, in folder: TemporaryFolder) throws -> Store? {
        do {
            return try Store.open(try copy(name, to: folder))
        } catch let error as StoreError
            where [.modelMissing, .modelUnreadable, .metadataUnreadable, .notAStore].contains(error.code)
        {
            return nil
        }
    }
}
