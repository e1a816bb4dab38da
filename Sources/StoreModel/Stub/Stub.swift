import Foundation
public enum ModelCache { public static func decode(_ data: Data) throws -> ModelDescription { ModelDescription() } }
public enum ModelDifference { public static func between(_ a: ModelDescription, _ b: ModelDescription) -> [String] { [] } }
extension ModelDescription { public func versionHashes() throws -> [String: Data] { [:] } }
extension ModelCache { public static func encode(_ model: ModelDescription) throws -> Data { Data() } }
extension ModelDescription { public static func hashesDigest(_ h: [String: Data]) -> String { "" }; public static func modelChecksum(_ h: [String: Data]) -> String { "" } }
