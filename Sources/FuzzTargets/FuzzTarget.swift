import Foundation

/// A reader of bytes that a file, a peer or a person made, with what it may answer: a value, or an error of its own type.
///
/// libFuzzer (`make fuzz`) and the tests feed the same targets.
public struct FuzzTarget: Sendable {
    /// The name, which is the name of the folder of its seeds too.
    public let name: String
    /// What is read, in words.
    public let purpose: String
    private let errors: [any Error.Type]
    private let body: @Sendable (Data) throws -> Void

    init(
        _ name: String, _ purpose: String, errors: [any Error.Type],
        _ body: @escaping @Sendable (Data) throws -> Void
    ) {
        self.name = name
        self.purpose = purpose
        self.errors = errors
        self.body = body
    }

    /// How a reading ended that ended well.
    public enum Outcome: Sendable {
        /// The bytes were a value.
        case value
        /// The bytes were refused with an error of the reader's own type.
        case refused(String)
    }

    /// A reading that ended otherwise: an error of a type that the reader does not promise, or a promise broken.
    public struct Failure: Error, CustomStringConvertible {
        /// What went wrong.
        public let description: String

        init(_ description: String) {
            self.description = description
        }
    }

    /// Reads the bytes.
    /// - Throws: ``Failure``.
    public func read(_ bytes: Data) throws(Failure) -> Outcome {
        do {
            try body(bytes)
            return .value
        } catch let failure as Failure {
            throw failure
        } catch {
            guard errors.contains(where: { $0 == type(of: error) }) else {
                throw Failure("\(name) threw \(type(of: error)): \(error)")
            }
            let text = "\(error)"
            guard !text.isEmpty else { throw Failure("\(name) threw a \(type(of: error)) that says nothing") }
            return .refused(text)
        }
    }

    /// Every target.
    public static let all: [FuzzTarget] = models + propertyLists + values + predicates + protocols + stores

    /// The target of that name; nil where there is none.
    public static func named(_ name: String) -> FuzzTarget? { all.first { $0.name == name } }
}

/// Fails unless what a reader promised holds.
func promise(_ holds: Bool, _ what: @autoclosure () -> String) throws(FuzzTarget.Failure) {
    if !holds { throw FuzzTarget.Failure(what()) }
}

extension FuzzTarget {
    /// Removes what the targets wrote.
    public static func clear() { Workshop.clear() }
}
