import StoreFormat
import TestKit

/// A store of the sample library model, made by the real program's own parts, in a folder of its own.
struct SampleStore {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("Library.sqlite")
        try StoreCreator.create(path, model: SampleModels.library)
    }
}

/// Runs the independent check of the format on a store, where it is at hand.
/// - Returns: what it printed; nil where there is no such tool.
func independentCheck(_ store: String) throws -> String? {
    guard let tools = Corpus.tools, let python = Programs.find("python3") else { return nil }
    return try Programs.run(python, [tools + "/check_store.py", store]).output
}
