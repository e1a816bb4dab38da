/// A class' layout of values, before any store is known.
final class ModelShape: Sendable {
    let name: String

    init(name: String) {
        self.name = name
    }
}
