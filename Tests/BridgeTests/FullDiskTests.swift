import Bridge
import Foundation
import LegacyStack
import StoreFormat
import Synchronization
import TestKit
import Testing

/// A daemon's store on a disk that fills up.
@Suite(.enabled(if: SmallDisk.isPossible, "file systems cannot be mounted here"))
struct FullDiskTests {
    @Test func aLogThatFindsNoRoomInTheStoreRaisesAnAlarm() throws {
        let disk = try SmallDisk(bytes: 8 << 20)
        let path = disk.file("Library.sqlite")
        try StoreCreator.create(path, model: SampleModels.library)
        var options = BridgeOptions()
        options.maximumLogBytes = 64 << 10
        let bridge = try StoreBridge(path: path, options: options)
        let alarms = AlarmList()
        bridge.setAlarmHandler { alarms.add($0) }
        try disk.fill(leaving: 640 << 10)
        let label = String(repeating: "x", count: 1_800)
        _ = try bridge.legacy.save(
            ObjectBatch(
                (0..<200).map {
                    .insert(entity: "Shelf", name: "\($0)", values: ["label": .attribute(.string(label))])
                }))
        #expect(eventually { !alarms.texts.isEmpty })
        #expect(alarms.texts.count == 1, "\(alarms.texts)")
        #expect(alarms.texts.first?.contains("cannot be moved into the store") == true)
        #expect(alarms.texts.first?.contains("DiskFull") == true)
        // At the end it is said again, for what stays beside the store then.
        let problems = bridge.close()
        #expect(problems.count == 1 && problems[0].contains("DiskFull"), "\(problems)")
        try disk.empty()
        let again = try StoreBridge(path: path, options: options)
        #expect(try again.legacy.count(of: ObjectQuery(entity: "Shelf")) == 200)
        #expect(again.close() == [])
        #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
    }
}

private final class AlarmList: Sendable {
    private let state = Mutex<[String]>([])
    var texts: [String] { state.withLock { $0 } }
    func add(_ text: String) { state.withLock { $0.append(text) } }
}
