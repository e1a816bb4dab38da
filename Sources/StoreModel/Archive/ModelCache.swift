import Foundation
import KeyedArchive

/// The content of `Z_MODELCACHE.Z_CONTENT`: the whole model as a compressed keyed archive (Format, section 7).
public enum ModelCache {
    /// How large a cache may become when it is expanded. The largest that is known is 361 KB.
    static let maximumSize = 16 << 20

    /// Reads the model out of a store's cache.
    /// - Throws: ``ModelError``: `emptyCache`, `damagedCache`, or what the archive lacks.
    public static func decode(_ content: Data?) throws(ModelError) -> ModelDescription {
        guard let content, !content.isEmpty else { throw .emptyCache }
        let archive: Data
        do {
            archive = try RawDeflate.inflate(content, maximumSize: maximumSize)
        } catch {
            throw .damagedCache(error)
        }
        return try decode(archive: archive, source: "the store's model cache")
    }

    /// Reads the model out of a keyed archive: a `.mom`, or an expanded cache.
    /// - Throws: ``ModelError``, with `source` as the name of what is read.
    public static func decode(archive: Data, source: String) throws(ModelError) -> ModelDescription {
        let root: ArchivedObject?
        do {
            root = try KeyedArchive(data: archive).root
        } catch {
            throw .malformed(source: source, reason: "\(error)")
        }
        guard let root else { throw .malformed(source: source, reason: "its archive has no root") }
        return try ModelArchiveReader(source: source).model(root)
    }

    /// Writes a model as a store's cache, in Apple's newest form.
    /// - Throws: ``ModelError`` if an expression of the model cannot be archived, or an entity is missing.
    public static func encode(_ model: ModelDescription) throws(ModelError) -> Data {
        let archive = try archive(model)
        do {
            return try RawDeflate.deflate(archive)
        } catch {
            throw .damagedCache(error)
        }
    }

    /// Writes a model as the keyed archive inside a store's cache.
    /// - Throws: what ``encode(_:)`` throws.
    public static func archive(_ model: ModelDescription) throws(ModelError) -> Data {
        var writer = ModelArchiveWriter(model)
        return try writer.data()
    }
}
