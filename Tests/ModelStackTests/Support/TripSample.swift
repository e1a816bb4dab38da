import Foundation
import SQLite
import StoreFormat
import SwiftData
import TestKit

/// A store of trips, and a context on it.
struct TripSample {
    let folder: TemporaryFolder
    let path: String
    let container: ModelContainer
    let context: ModelContext

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("Trips.store")
        container = try ModelContainer(
            for: Trip.self, configurations: ModelConfiguration(url: URL(fileURLWithPath: path)))
        context = ModelContext(container)
    }

    /// What is in the file.
    func sql(_ text: String) throws -> [[SQLValue]] {
        try StoreConnector.connect(path, .reader).query(text)
    }
}
