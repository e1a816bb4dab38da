import StoreFormat
import StoreModel

/// An expression, in NSExpression's format language: what a derived attribute is computed from.
///
/// ```swift
/// NSExpression(format: "pages.@count")
/// NSExpression(forFunction: "canonical:", arguments: [NSExpression(forKeyPath: "name")])
/// ```
open class NSExpression: NSObject, @unchecked Sendable {
    // Sendable: nothing changes after `init`.
    let node: ExpressionNode
    /// Why the format could not be read; nil for an expression that can be used.
    public let error: StoreError?
    private let text: String

    init(node: ExpressionNode) {
        self.node = node
        error = nil
        text = node.formatString
    }

    /// Reads a format; where it cannot be read, `error` says why, and a store cannot be made of what uses it.
    public init(format: String) {
        text = format
        do {
            node = try ExpressionNode.parse(format)
            error = nil
        } catch {
            node = .constant(.null)
            self.error = StoreError(.badPredicate, "\(error)", way: "correct the format")
        }
    }

    /// The value at a key path, such as `author.name` or `pages.@count`.
    public convenience init(forKeyPath keyPath: String) {
        self.init(node: .keyPath(keyPath.split(separator: ".").map(String.init)))
    }

    /// A function by its selector's name, such as `count:` or `now`.
    public convenience init(forFunction name: String, arguments: [NSExpression]) {
        self.init(node: .function(name, arguments.map(\.node)))
    }

    /// A value; one that no model can hold counts as none.
    public convenience init(forConstantValue value: Any?) {
        self.init(node: .constant(value.flatMap { ModelValues.value($0) } ?? .null))
    }

    /// The object itself.
    public class func expressionForEvaluatedObject() -> NSExpression { NSExpression(node: .evaluatedObject) }

    /// The derivation that the expression is; one that cannot be read stays as it was written.
    var derivation: DerivationExpression {
        guard error == nil else { return DerivationExpression(hashDescription: text, format: text) }
        return DerivationExpression(node)
    }

    override open var description: String { error == nil ? node.formatString : text }
}
