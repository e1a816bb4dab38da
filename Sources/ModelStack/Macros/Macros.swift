@_exported import Foundation
@_exported import Observation

/// Makes a class an entity of a store: its stored properties are persisted and observed.
///
/// ```swift
/// @Model final class Trip {
///     @Attribute(.unique) var name: String
///     @Relationship(deleteRule: .cascade, inverse: \Item.trip) var items: [Item] = []
///     init(name: String) { self.name = name }
/// }
/// ```
@attached(
    member, names: named(_$backing), named(_$shape), named(schemaMetadata), named(_$schemaDeclarations), named(init))
@attached(memberAttribute)
@attached(extension, conformances: PersistentModel, Observable)
public macro Model() = #externalMacro(module: "ModelMacros", type: "ModelMacro")

/// What `@Model` puts on each persisted property; not for use by hand.
@attached(accessor, names: named(init), named(get), named(set))
@attached(peer, names: prefixed(_))
public macro _PersistedProperty(_ index: Int) = #externalMacro(module: "ModelMacros", type: "PersistedPropertyMacro")

/// Keeps a property out of the store.
@attached(peer)
public macro Transient() = #externalMacro(module: "ModelMacros", type: "MarkerMacro")

/// Says how a value is stored: unique, in a file of its own, kept in history after a deletion.
@attached(peer)
public macro Attribute(
    _ options: Schema.Attribute.Option..., originalName: String? = nil, hashModifier: String? = nil
) = #externalMacro(module: "ModelMacros", type: "MarkerMacro")

/// Says how objects are related: what a deletion does, and which property is the other end.
@attached(peer)
public macro Relationship(
    _ options: Schema.Relationship.Option..., deleteRule: Schema.Relationship.DeleteRule = .nullify,
    minimumModelCount: Int? = 0, maximumModelCount: Int? = 0, originalName: String? = nil, inverse: AnyKeyPath? = nil,
    hashModifier: String? = nil
) = #externalMacro(module: "ModelMacros", type: "MarkerMacro")

/// Properties whose values are unique together; one list for each constraint.
@freestanding(declaration)
public macro Unique<T: PersistentModel>(_ constraints: [PartialKeyPath<T>]...) =
    #externalMacro(module: "ModelMacros", type: "SchemaDeclarationMacro")

/// Properties that are indexed together; one list for each index.
@freestanding(declaration)
public macro Index<T: PersistentModel>(_ indices: [PartialKeyPath<T>]...) =
    #externalMacro(module: "ModelMacros", type: "SchemaDeclarationMacro")

/// Gives an actor a container and a context of its own.
@attached(member, names: named(modelContainer), named(modelContext), named(init))
@attached(extension, conformances: ModelActor)
public macro ModelActor() = #externalMacro(module: "ModelMacros", type: "ModelActorMacro")

/// Stands for a persisted property in the class' storage; it has no size.
public struct _PersistedMark: Sendable {
    /// The mark; it holds nothing.
    public init() {}
}
