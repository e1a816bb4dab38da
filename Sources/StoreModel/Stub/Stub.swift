public enum ModelDifference { public static func between(_ a: ModelDescription, _ b: ModelDescription) -> [String] { [] } }
