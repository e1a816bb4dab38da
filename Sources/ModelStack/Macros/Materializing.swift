import Foundation

/// Hands a backing to the object that is being made for it.
///
/// The class' stored property gets its first value before any initializer's body runs, so the backing cannot come as an
/// argument; it waits in the thread's own storage.
enum Materializing {
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()

    static func run<T: PersistentModel>(_ type: T.Type, _ backing: ModelBacking) -> T {
        pthread_setspecific(key, Unmanaged.passUnretained(backing).toOpaque())
        defer { pthread_setspecific(key, nil) }
        return T(_$materializing: backing)
    }

    /// The backing that waits on this thread.
    static func take() -> ModelBacking? {
        guard let pointer = pthread_getspecific(key) else { return nil }
        pthread_setspecific(key, nil)
        return Unmanaged<ModelBacking>.fromOpaque(pointer).takeUnretainedValue()
    }
}

extension ModelBacking {
    /// The backing of an object that is being made: the one that waits for it, or a new one without a context.
    public static func make<T: PersistentModel>(_ type: T.Type) -> ModelBacking {
        if let waiting = Materializing.take() { return waiting }
        let shape = T._$shape
        return ModelBacking(shape: shape, values: ContiguousArray(repeating: .null, count: shape.slotCount))
    }

    static func materialize(_ type: any PersistentModel.Type, _ backing: ModelBacking) -> AnyObject {
        Materializing.run(type, backing)
    }
}
