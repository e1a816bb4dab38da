import Foundation

/// Reading and writing property lists.
public enum PropertyList {
    /// What a reader accepts, so that no input can take memory or stack without bound.
    public struct Limits: Sendable, Equatable {
        /// How deep containers may lie in each other.
        public var depth: Int
        /// How many values there may be, where one that is shared counts each time that it is reached.
        public var nodes: Int

        /// Makes limits; the defaults are far above what a model or a store's metadata needs.
        public init(depth: Int = 128, nodes: Int = 4_000_000) {
            self.depth = depth
            self.nodes = nodes
        }
    }

    /// Reads a property list in the binary or the XML form.
    /// - Throws: ``PropertyListError`` with the place where it was noticed.
    public static func parse(_ data: Data, limits: Limits = Limits()) throws(PropertyListError) -> PropertyListNode {
        if data.starts(with: BinaryPropertyListReader.magic) {
            return try BinaryPropertyListReader.read(data, limits: limits)
        }
        let start = data.first { ![0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF].contains($0) }
        guard start == UInt8(ascii: "<") || XMLEncoding.isUTF16(data) else {
            throw PropertyListError(.notAPropertyList, "neither `bplist` nor XML at the start", at: 0)
        }
        return try XMLPropertyListReader.read(data, limits: limits)
    }

    /// Writes a tree in the binary form (`bplist00`), with equal scalars written once.
    /// - Throws: ``PropertyListError`` for `null` inside a container and for trees that are too deep.
    public static func binary(_ node: PropertyListNode) throws(PropertyListError) -> Data {
        var writer = BinaryPropertyListWriter()
        return try writer.write(node)
    }
}
