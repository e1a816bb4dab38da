import Foundation

/// Builds a keyed archive from a graph of objects, which may be shared and may form cycles.
///
///     var archiver = KeyedArchiver()
///     let parent = archiver.reserve()
///     let child = archiver.object("Child", bases: ["NSObject"], ["parent": parent.node])
///     archiver.fill(parent, "Parent", bases: ["NSObject"], ["child": child.node])
///     let data = try archiver.archive(root: parent)
public struct KeyedArchiver: Sendable {
    /// An object of the archive that is being built.
    public struct Reference: Sendable, Hashable {
        /// The object's place; 0 is null.
        public let uid: UInt64

        /// What stands in a field that refers to the object.
        public var node: PropertyListNode { .uid(uid) }

        /// The reference of no object.
        public static let null = Reference(uid: 0)
    }

    private var objects: [PropertyListNode] = [.string("$null")]
    private var classes: [String: Reference] = [:]
    private var plain: [PropertyListNode: Reference] = [:]

    /// Makes an empty archive.
    public init() {}

    /// Takes a place for an object whose fields come later, so that others can refer to it already.
    public mutating func reserve() -> Reference {
        objects.append(.dictionary(PropertyListDictionary()))
        return Reference(uid: UInt64(objects.count - 1))
    }

    /// Sets the class and the fields of an object. `bases` are the class's superclasses, nearest first.
    public mutating func fill(
        _ reference: Reference, _ className: String, bases: [String], _ fields: PropertyListDictionary
    ) {
        guard reference.uid > 0, reference.uid < UInt64(objects.count) else { return }
        var fields = fields
        fields["$class"] = classReference(className, bases).node
        objects[Int(reference.uid)] = .dictionary(fields)
    }

    /// Sets what a place holds, as it is.
    mutating func replace(_ reference: Reference, with node: PropertyListNode) {
        guard reference.uid > 0, reference.uid < UInt64(objects.count) else { return }
        objects[Int(reference.uid)] = node
    }

    /// Adds an object.
    public mutating func object(_ className: String, bases: [String], _ fields: PropertyListDictionary) -> Reference {
        let reference = reserve()
        fill(reference, className, bases: bases, fields)
        return reference
    }

    /// Adds a plain value: a string, a number, a Boolean. Equal ones are stored once.
    public mutating func value(_ node: PropertyListNode) -> Reference {
        if node == .null { return .null }
        // Swift's strings are equal by canonical equivalence; only ASCII is surely equal by its bytes too.
        let isShared = node.string?.utf8.allSatisfy { $0 < 0x80 } ?? (node.integer != nil)
        if isShared, let known = plain[node] { return known }
        objects.append(node)
        let reference = Reference(uid: UInt64(objects.count - 1))
        if isShared { plain[node] = reference }
        return reference
    }

    /// Adds a string, or gives null for nil.
    public mutating func string(_ text: String?) -> Reference {
        text.map { value(.string($0)) } ?? .null
    }

    /// Adds an array, set or one of their mutable kin.
    public mutating func collection(_ className: String = "NSArray", _ elements: [Reference]) -> Reference {
        let reference = reserve()
        fill(reference, collection: className, elements)
        return reference
    }

    /// Sets the elements of a reserved array or set.
    public mutating func fill(_ reference: Reference, collection className: String, _ elements: [Reference]) {
        let bases = className.hasPrefix("NSMutable") ? ["NS" + className.dropFirst(9), "NSObject"] : ["NSObject"]
        fill(reference, className, bases: bases, ["NS.objects": .array(elements.map(\.node))])
    }

    /// Adds a dictionary.
    public mutating func dictionary(
        _ className: String = "NSDictionary", _ entries: [(key: Reference, value: Reference)]
    ) -> Reference {
        let bases = className == "NSDictionary" ? ["NSObject"] : ["NSDictionary", "NSObject"]
        return object(
            className, bases: bases,
            [
                "NS.keys": .array(entries.map(\.key.node)), "NS.objects": .array(entries.map(\.value.node)),
            ])
    }

    private mutating func classReference(_ name: String, _ bases: [String]) -> Reference {
        if let known = classes[name] { return known }
        objects.append(
            .dictionary([
                "$classname": .string(name), "$classes": .array(([name] + bases).map { .string($0) }),
            ]))
        let reference = Reference(uid: UInt64(objects.count - 1))
        classes[name] = reference
        return reference
    }

    /// The archive's property list with that object as `root`.
    public func propertyList(root: Reference) -> PropertyListNode {
        .dictionary([
            "$version": .integer(100_000), "$archiver": .string("NSKeyedArchiver"),
            "$top": .dictionary(["root": root.node]), "$objects": .array(objects),
        ])
    }

    /// The archive as a binary property list with that object as `root`.
    /// - Throws: ``PropertyListError`` if a field holds what a property list cannot.
    public func archive(root: Reference) throws(PropertyListError) -> Data {
        try PropertyList.binary(propertyList(root: root))
    }
}
