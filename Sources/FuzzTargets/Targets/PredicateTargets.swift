import Foundation
import StoreFormat
import StoreModel

extension FuzzTarget {
    static let predicates: [FuzzTarget] = [
        FuzzTarget(
            "predicate", "a predicate's text, and the SQL that each stack makes of it",
            errors: [PredicateSyntaxError.self, StoreError.self]
        ) { bytes in
            let node = try PredicateNode.parse(String(decoding: bytes, as: UTF8.self))
            let text = node.formatString
            do {
                let again = try PredicateNode.parse(text)
                try promise(again.formatString == text, "\(text) reads back as \(again.formatString)")
            } catch let error as PredicateSyntaxError {
                throw Failure("\(text) cannot be read back: \(error)")
            }
            var refusal: (any Error)?
            for instance in Workshop.stacks {
                for entity in ["Book", "Person"] {
                    do {
                        _ = try instance.count(of: ObjectQuery(entity: entity, predicate: node, limit: 10))
                    } catch {
                        refusal = error
                    }
                }
            }
            if let refusal { throw refusal }
        },
        FuzzTarget(
            "expression", "an expression's text, as of derived attributes and indexes",
            errors: [PredicateSyntaxError.self]
        ) { bytes in
            _ = try ExpressionNode.parse(String(decoding: bytes, as: UTF8.self)).formatString
        },
    ]
}
