/// What a context can be asked to execute.
open class NSPersistentStoreRequest: NSObject {}

/// What executing a request gave.
open class NSPersistentStoreResult: NSObject {}
