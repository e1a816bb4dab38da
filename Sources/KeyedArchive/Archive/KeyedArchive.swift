import Foundation

/// A keyed archive (`NSKeyedArchiver`): a flat list of objects that refer to each other by UID.
///
/// Objects are looked at one by one, by what the caller follows, so cycles do no harm.
public struct KeyedArchive: Sendable {
    /// `$objects`: place 0 is `$null`.
    public let objects: [PropertyListNode]
    /// `$top`: the named roots.
    public let top: PropertyListDictionary

    /// Reads an archive.
    /// - Throws: ``PropertyListError`` if the bytes are no property list, ``KeyedArchiveError`` if it is no archive.
    public init(data: Data, limits: PropertyList.Limits = PropertyList.Limits()) throws {
        try self.init(propertyList: PropertyList.parse(data, limits: limits))
    }

    /// Reads an archive from its property list.
    /// - Throws: ``KeyedArchiveError`` if a part that every archive has is missing.
    public init(propertyList: PropertyListNode) throws(KeyedArchiveError) {
        guard let list = propertyList.dictionary else { throw KeyedArchiveError("the list is no dictionary") }
        guard let archiver = list["$archiver"]?.string, archiver.hasSuffix("KeyedArchiver") else {
            throw KeyedArchiveError("no $archiver that names a keyed archiver")
        }
        guard case .array(let objects)? = list["$objects"] else { throw KeyedArchiveError("no $objects array") }
        guard let top = list["$top"]?.dictionary else { throw KeyedArchiveError("no $top dictionary") }
        self.objects = objects
        self.top = top
    }

    /// The object under `root` in `$top`, else under the only name that is there.
    public var root: ArchivedObject? {
        if let root = top["root"] { return ArchivedObject(self, root) }
        return top.count == 1 ? top.values.first.flatMap { ArchivedObject(self, $0) } : nil
    }

    /// The object of a UID, or nil for `$null` and for UIDs that are out of range.
    public func object(_ uid: UInt64) -> ArchivedObject? {
        ArchivedObject(self, .uid(uid))
    }
}
