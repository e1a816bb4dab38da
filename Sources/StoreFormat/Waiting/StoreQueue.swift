import SQLite

/// The queue of a store's writers: the file `STORE-coexist-queue`, which is there while somebody writes.
public enum StoreQueue {
    /// The queue's file. A store that is opened through links has one.
    public static func path(of storePath: String) -> String { RealPath.of(storePath) + "-coexist-queue" }
}
