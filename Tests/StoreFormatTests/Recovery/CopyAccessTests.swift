import Foundation
import SQLite
import StoreFormat
import TestKit
import Testing

/// Who may read copies of a store, and what lies beside it: nobody whom the store keeps out.
@Suite struct CopyAccessTests {
    private static func mode(_ path: String) -> String {
        var info = stat()
        return lstat(path, &info) == 0 ? String(info.st_mode & 0o7777, radix: 8) : "none"
    }

    /// The modes of everything in a folder that is new, by name.
    private static func modes(_ folder: String, except known: Set<String> = []) throws -> [String: String] {
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder)
        return Dictionary(
            uniqueKeysWithValues: Set(names).subtracting(known).map { ($0, mode("\(folder)/\($0)")) })
    }

    private static func names(_ folder: String) throws -> Set<String> {
        Set(try FileManager.default.subpathsOfDirectory(atPath: folder))
    }

    /// A store with external data, whose modes are these; its own external files are open to everybody.
    private func museum(_ mode: mode_t) throws -> SampleStore {
        let sample = try Museum.make()
        chmod(sample.path, mode)
        return sample
    }

    @Test("a backup and its external data are as open as the store, and never more while they are made")
    func backup() throws {
        let sample = try museum(0o600)
        let folder = try TemporaryFolder()
        var seen: Set<String> = []
        try StoreBackup.copy(sample.path, to: folder.file("copy.sqlite")) { _, _ in
            seen.formUnion((try? Self.modes(folder.path).values) ?? [:].values)
        }
        #expect(seen.isSubset(of: ["600", "700"]) && seen.contains("600"))
        let modes = try Self.modes(folder.path)
        #expect(modes["copy.sqlite"] == "600")
        #expect(modes[".copy_SUPPORT"] == "700" && modes[".copy_SUPPORT/_EXTERNAL_DATA"] == "700")
        #expect(modes.filter { $0.key.hasPrefix(".copy_SUPPORT/_EXTERNAL_DATA/") }.map(\.value) == ["600"])
    }

    @Test(
        "a copy has the store's owner, group and mode, where that can be given",
        .enabled(if: geteuid() == 0, "only root gives files away"))
    func owner() throws {
        let sample = try museum(0o640)
        chown(sample.path, 1234, 2345)
        let folder = try TemporaryFolder()
        try StoreBackup.copy(sample.path, to: folder.file("copy.sqlite"))
        for name in try Self.names(folder.path) {
            var info = stat()
            #expect(lstat(folder.file(name), &info) == 0)
            #expect([info.st_uid, info.st_gid] == [1234, 2345], "\(name)")
            #expect(info.st_mode & 0o777 == (info.st_mode & S_IFMT == S_IFDIR ? 0o750 : 0o640), "\(name)")
        }
    }

    @Test("files of external data, their folders and the journal are as open as the store that writes them")
    func external() throws {
        let sample = try SampleStore()
        chmod(sample.path, 0o600)
        let before = try Self.names(sample.folder.path)
        try sample.save { save in
            try SampleStore.insert("Book", ["pages": .integer(1), "cover": .data(ExternalDataTests.large)], in: save)
            let modes = try Self.modes(sample.folder.path, except: before)
            #expect(modes.keys.contains { $0.hasSuffix(".files") })
            #expect(Set(modes.filter { $0.key.hasPrefix(".") }.values) == ["600", "700"], "\(modes)")
        }
        let folder = ".library_SUPPORT/_EXTERNAL_DATA"
        let modes = try Self.modes(sample.folder.path, except: before)
        #expect(modes[folder] == "700")
        #expect(modes.filter { $0.key.hasPrefix(folder + "/") }.map(\.value) == ["600"])
        #expect(try sample.value("Book", 1, "cover") == .data(ExternalDataTests.large))
    }

    @Test("a restored store is as open as the one that it replaces, and where there was none as its backup")
    func restore() throws {
        let sample = try museum(0o600)
        let folder = try TemporaryFolder()
        let backup = folder.file("copy.sqlite")
        try StoreBackup.copy(sample.path, to: backup)
        chmod(backup, 0o400)
        let new = folder.file("new.sqlite")
        _ = try StoreRestore.restore(backup, to: new)
        // What comes back is to be written.
        #expect(Self.mode(new) == "600")
        #expect(Self.mode(folder.file(".new_SUPPORT/_EXTERNAL_DATA")) == "700")
        chmod(new, 0o640)
        chmod(backup, 0o644)
        let report = try StoreRestore.restore(backup, to: new) { _, _ in
            #expect(Self.mode(new + "-coexist-restore") == "600")
        }
        #expect(Self.mode(new) == "640")
        let replaced = try #require(report.replaced)
        #expect(Self.mode(replaced) == "640")
        let support = folder.file(
            ".\(URL(fileURLWithPath: replaced).deletingPathExtension().lastPathComponent)_SUPPORT")
        #expect(Self.mode(support) == "750")
    }

    @Test("what is salvaged is as open as the damaged store, the copy that is read to nobody else")
    func salvage() throws {
        let sample = try museum(0o600)
        let folder = try TemporaryFolder()
        var seen: Set<String> = []
        _ = try StoreSalvage.salvage(sample.path, to: folder.file("saved.sqlite")) { _, _ in
            seen.formUnion((try? Self.modes(folder.path).values) ?? [:].values)
        }
        #expect(seen.isSubset(of: ["600", "700"]) && !seen.isEmpty)
        let modes = try Self.modes(folder.path)
        #expect(Set(modes.values) == ["600", "700"] && modes["saved.sqlite"] == "600", "\(modes)")
    }

    @Test("a migration's copy and its draft are as open as the store")
    func migration() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("library.sqlite")
        var model = SampleModels.library
        try StoreCreator.create(path, model: model)
        chmod(path, 0o600)
        model.entities.append(Short.entity("Zone", [Short.attribute("name")]))
        let before = try Self.names(folder.path)
        var seen: [String: String] = [:]
        let report = try StoreMigrator(path, to: model).migrate(
            hooks: MigrationHooks(reached: { _ in
                let now = (try? Self.modes(folder.path, except: before)) ?? [:]
                seen.merge(now) { _, new in new }
            }))
        #expect(Self.mode(path) == "600")
        #expect(Self.mode(try #require(report.backup)) == "600")
        #expect(seen.keys.contains { $0.hasSuffix("-coexist-migration") })
        let open = seen.filter { !["600", "700"].contains($0.value) && !$0.key.hasSuffix("-coexist") }
        #expect(open.isEmpty, "\(open)")
    }

    @Test("a link among the external files is not followed into a copy")
    func link() throws {
        let sample = try museum(0o600)
        let external = sample.store.externalData.folder
        let secret = sample.folder.file("secret")
        try Data("secret".utf8).write(to: URL(fileURLWithPath: secret))
        try FileManager.default.createSymbolicLink(
            atPath: "\(external)/\(UUID().uuidString)", withDestinationPath: secret)
        let folder = try TemporaryFolder()
        try StoreBackup.copy(sample.path, to: folder.file("copy.sqlite"))
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.file(".copy_SUPPORT/_EXTERNAL_DATA"))
        #expect(files.count == 1)
    }
}
