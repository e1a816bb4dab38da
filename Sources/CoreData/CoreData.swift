@_exported import LegacyStack

// Foundation has classes of these names too. Named here once more, ours is what a file means that imports both this
// module and Foundation.

public typealias NSPredicate = LegacyStack.NSPredicate
public typealias NSCompoundPredicate = LegacyStack.NSCompoundPredicate
public typealias NSSortDescriptor = LegacyStack.NSSortDescriptor
