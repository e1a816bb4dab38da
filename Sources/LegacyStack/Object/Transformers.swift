import StoreFormat

/// Turns the values of a transformable attribute into the data of its column, and back; the same for both stacks.
public typealias ValueTransformer = StoreFormat.ValueTransformer
/// The name of a value transformer; the same for both stacks.
public typealias NSValueTransformerName = StoreFormat.NSValueTransformerName
