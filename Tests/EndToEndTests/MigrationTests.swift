import Foundation
import StoreFormat
import StoreModel
import TestKit
import Testing
import Varlink

/// `coexistctl migrate`, and what is left where it is ended.
@Suite struct MigrationTests {
    /// The sample library with a book, its author, tags and a shelf; and a store of the model that it is migrated to.
    private struct Sample {
        let folder: TemporaryFolder
        let path: String
        let target: String

        /// The library's next version: a new entity that comes first, a renamed entity and attribute, an attribute with a
        /// default, a to-one that becomes to-many, and a removed attribute.
        static let model: ModelDescription = {
            var model = SampleModels.library
            var entities = model.entities
            func index(_ name: String) -> Int { entities.firstIndex { $0.name == name } ?? 0 }
            let book = index("Book")
            let author = index("Author")
            let title = entities[book].attributes.firstIndex { $0.name == "title" } ?? 0
            entities[book].attributes[title].name = "name"
            entities[book].attributes[title].renamingIdentifier = "title"
            entities[book].attributes.removeAll { $0.name == "stock" }
            var grade = AttributeDescription(name: "grade", type: .integer16)
            grade.defaultValue = .integer(5)
            entities[book].attributes.append(grade)
            let writer = entities[book].relationships.firstIndex { $0.name == "author" } ?? 0
            entities[book].relationships[writer].name = "authors"
            entities[book].relationships[writer].renamingIdentifier = "author"
            entities[book].relationships[writer].maxCount = 0
            entities[author].relationships[0].inverseName = "authors"
            entities.append(EntityDescription(name: "Aisle"))
            model.entities = entities
            return model
        }()

        init(isAdopted: Bool = false) throws {
            folder = try TemporaryFolder()
            path = folder.file("Library.sqlite")
            try StoreCreator.create(path, model: SampleModels.library)
            let daemon = try RunningDaemon(store: path, folder: folder)
            for arguments in [
                ["Author", "name=Herbert"], ["Shelf", "label=A"], ["Tag", "name=sand"],
                ["Book", "title=Dune", "stock=3", "author=Author/1", "shelf=Shelf/1", "tags=Tag/1"],
                ["Book", "title=Kim", "author=Author/1"],
            ] {
                let result = try Programs.run(
                    Programs.coexistctl, ["insert"] + arguments, environment: ["COEXIST_SOCKET": daemon.socket])
                #expect(result.exitCode == 0, "\(result.errors)")
            }
            #expect(try daemon.ctl("update", "Book/2", "title=Kim!").exitCode == 0)
            #expect(try daemon.ctl("delete", "Book/2").exitCode == 0)
            #expect(daemon.stop() == 0)
            if !isAdopted { #expect(try Programs.ctl("release", path, "--keep-history").exitCode == 0) }
            target = folder.file("Target.sqlite")
            try StoreCreator.create(target, model: Self.model)
            for name in try FileManager.default.contentsOfDirectory(atPath: folder.path)
            where !name.hasPrefix("Library.sqlite") && !name.hasPrefix("Target") {
                try FileManager.default.removeItem(atPath: folder.file(name))
            }
        }

        /// The book as both stacks dump it.
        func book() throws -> JSON? {
            let legacy = try Programs.ctl("dump", path, "--entity", "Book")
            let model = try Programs.ctl("dump", path, "--entity", "Book", "--stack", "model")
            #expect(legacy.exitCode == 0 && legacy.output == model.output, "\(legacy.errors) \(model.errors)")
            return try legacy.lines.first.map { try JSON(parsing: $0) }
        }

        /// Expects the new model with the old values.
        func expectNew() throws {
            let book = try book()
            #expect(book?["values"]?["name"] == "Dune")
            #expect(book?["values"]?["grade"] == 5)
            #expect(book?["values"]?["stock"] == nil)
            #expect(book?["version"] == 1)
            #expect(book?["relationships"]?["authors"]?[0]?.stringValue?.hasSuffix("/Author/p1") == true)
            #expect(book?["relationships"]?["shelf"]?.stringValue?.hasSuffix("/Shelf/p1") == true)
            #expect(book?["relationships"]?["tags"]?[0]?.stringValue?.hasSuffix("/Tag/p1") == true)
            try expectSound()
        }

        /// Expects the store as it was made.
        func expectOld() throws {
            let book = try book()
            #expect(book?["values"]?["title"] == "Dune")
            #expect(book?["values"]?["stock"] == 3)
            #expect(book?["relationships"]?["author"]?.stringValue?.hasSuffix("/Author/p1") == true)
            try expectSound()
        }

        func expectSound() throws {
            let result = try Programs.ctl("verify", path)
            #expect(result.exitCode == 0 && result.output == "0 violations\n", "\(result.output)")
            if let check = try independentCheck(path) { #expect(check == "0 violations\n") }
            #expect(try Programs.ctl("hashes", path).exitCode == 0)
        }
    }

    @Test func aPlanSaysWhatWouldBeDoneAndWritesNothing() throws {
        let sample = try Sample()
        let before = try FileImage.of(sample.folder.path)
        let refused = try Programs.ctl("migrate", sample.path, "--to", sample.target, "--dry-run", "--json")
        #expect(refused.exitCode == 1)
        let plan = try JSON(parsing: refused.output)
        #expect(plan["refusals"]?[0]?["entity"] == "Book" && plan["refusals"]?[0]?["property"] == "stock")
        #expect(plan["refusals"]?[0]?["code"] == "DataLoss" && plan["refusals"]?.arrayValue?.count == 1)
        #expect(plan["losses"]?[0]?["objects"] == 1)
        let text = try Programs.ctl("migrate", sample.path, "--to", sample.target, "--dry-run", "--allow-data-loss")
        #expect(text.exitCode == 0, "\(text.errors)")
        for line in [
            "add Aisle", "add Book.grade: integer16, default 5", "rename Book.name: was title",
            "remove Book.stock: its values go",
            "rename Book.authors: was author", "change Book.authors: to-many now", "lost: Book.stock: 1 object",
            "nothing was written",
        ] { #expect(text.lines.contains(line), "\(line)\nin\n\(text.output)") }
        #expect(try FileImage.of(sample.folder.path) == before)
    }

    @Test func aRefusalNamesThePropertyAndChangesNothing() throws {
        let sample = try Sample()
        let before = try FileImage.of(sample.folder.path)
        let result = try Programs.ctl("migrate", sample.path, "--to", sample.target, "--json")
        #expect(result.exitCode == 1)
        #expect(result.errors.contains("MigrationRefused") && result.errors.contains("Book.stock"))
        #expect(result.errors.contains("--allow-data-loss"))
        let error = try JSON(parsing: result.output)["error"]
        #expect(error?["code"] == "MigrationRefused")
        #expect(error?["details"]?["refusals"]?[0]?["property"] == "stock")
        #expect(try FileImage.of(sample.folder.path) == before)
    }

    @Test func aStoreIsMigratedWithItsHistoryAndABackup() throws {
        let sample = try Sample()
        let uuid = try Store.open(sample.path).uuid
        let result = try Programs.ctl("migrate", sample.path, "--to", sample.target, "--allow-data-loss", "--json")
        #expect(result.exitCode == 0, "\(result.errors)")
        let report = try JSON(parsing: result.output)
        #expect(report["migrated"] == true && report["uuid"]?.stringValue == uuid)
        try sample.expectNew()
        let backup = try #require(report["backup"]?.stringValue)
        #expect(try Programs.ctl("dump", backup, "--entity", "Book").output.contains(#""title":"Dune""#))
        // The daemon reads history by the names of now, and goes on writing.
        let daemon = try RunningDaemon(store: sample.path, folder: sample.folder)
        let history = try daemon.json("history")
        let changes = history.flatMap { $0["changes"]?.arrayValue ?? [] }
        let updates = changes.filter { $0["kind"] == "update" && $0["entity"] == "Book" }
        #expect(updates.contains { $0["properties"] == ["name"] }, "\(updates)")
        #expect(history.last?["author"]?.stringValue?.hasPrefix("com.apple.coredata.schemamigrator: ") == true)
        #expect(try daemon.ctl("insert", "Book", "name=Emma", "authors=Author/1").exitCode == 0)
        #expect(daemon.stop() == 0)
        try sample.expectSound()
        let again = try Programs.ctl("migrate", sample.path, "--to", sample.target)
        #expect(again.exitCode == 0 && again.output.contains("nothing to do"))
    }

    @Test func anAdoptedStoreStaysAdoptedAndGuarded() throws {
        let sample = try Sample(isAdopted: true)
        let result = try Programs.ctl("migrate", sample.path, "--to", sample.target, "--allow-data-loss")
        #expect(result.exitCode == 0, "\(result.errors)")
        let audit = try Programs.ctl("audit", sample.path)
        #expect(audit.exitCode == 0, "\(audit.output)")
        #expect(audit.output.contains(#/migration: transaction \d+ of .*, by coexistctl, from the model with digest /#))
        #expect(!audit.output.contains("foreign:"))
        let migrations = try JSON(parsing: Programs.ctl("audit", sample.path, "--json").output)["migrations"]
        #expect(migrations?.arrayValue?.count == 1 && migrations?[0]?["program"] == "coexistctl")
        try sample.expectNew()
        let stranger = try Programs.sqlite3(sample.path, "UPDATE ZBOOK SET ZNAME = 'x'")
        #expect(stranger.exitCode != 0 && stranger.errors.contains("guarded by Coexist"))
        #expect(try Programs.sqlite3(sample.path, "INSERT INTO ZAISLE (Z_ENT) VALUES (1)").exitCode != 0)
        let daemon = try RunningDaemon(store: sample.path, folder: sample.folder)
        #expect(try daemon.ctl("handover", "Book", "--to", "model").exitCode == 0)
        #expect(try daemon.ctl("update", "Book/1", "name=Dune II", "--stack", "model").exitCode == 0)
        #expect(daemon.stop() == 0)
        try sample.expectSound()
        #expect(try Programs.ctl("release", sample.path).exitCode == 0)
        try sample.expectSound()
    }

    @Test func besideADaemonItIsBusy() throws {
        let sample = try Sample(isAdopted: true)
        let daemon = try RunningDaemon(store: sample.path, folder: sample.folder)
        let result = try Programs.ctl("migrate", sample.path, "--to", sample.target, "--allow-data-loss", "--json")
        #expect(result.exitCode == 1)
        #expect(try JSON(parsing: result.output)["error"]?["code"] == "Busy")
        #expect(result.errors.contains("\(daemon.processIdentifier)"))
        #expect(daemon.stop() == 0)
        try sample.expectOld()
    }

    @Test func wrongUsageAndUnreadableStoresHaveTheirCodes() throws {
        let sample = try Sample()
        #expect(try Programs.ctl("migrate", sample.path).exitCode == 2)
        #expect(try Programs.ctl("migrate", sample.folder.file("none"), "--to", sample.target).exitCode == 4)
        #expect(try Programs.ctl("migrate", sample.path, "--to", sample.folder.file("none.momd")).exitCode == 4)
    }

    @Test func whereverItIsKilledTheStoreIsOldOrNew() throws {
        let program = Programs.folder + "/interrupted-migration"
        let whole = try Sample(isAdopted: true)
        let counted = try Programs.run(program, [whole.path, whole.target, "0"])
        let points = try #require(Int(counted.output.trimmingCharacters(in: .whitespacesAndNewlines)), "\(counted)")
        #expect(points >= 9)
        try whole.expectNew()
        let template = try Sample(isAdopted: true)
        var isNew = false
        for point in 1...points {
            let folder = try TemporaryFolder()
            let sample = try Copy(of: template.folder.path, in: folder)
            let result = try Programs.run(program, [sample.path, template.target, "\(point)"])
            #expect(result.exitCode == SIGKILL, "\(result.output)")
            let stage = result.output.trimmingCharacters(in: .whitespacesAndNewlines)
            // Once it is the new one, it is so from there on.
            let names = try Programs.ctl("dump", sample.path, "--entity", "Book").output
            #expect(names.contains(#""name":"Dune""#) != names.contains(#""title":"Dune""#), "\(stage)")
            let isNewHere = names.contains(#""name":"Dune""#)
            #expect(isNewHere || !isNew, "\(stage)")
            isNew = isNewHere
            #expect(try Programs.ctl("verify", sample.path).output == "0 violations\n", "\(stage)")
            if let check = try independentCheck(sample.path) { #expect(check == "0 violations\n", "\(stage)") }
            #expect(isNewHere == ["swapped", "cleaned"].contains(stage), "\(stage)")
            // What was left is no hindrance, and goes.
            let again = try Programs.ctl("migrate", sample.path, "--to", template.target, "--allow-data-loss")
            #expect(again.exitCode == 0, "\(stage): \(again.errors)")
            #expect(try Programs.ctl("dump", sample.path, "--entity", "Book").output.contains(#""name":"Dune""#))
            let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(!left.contains { $0.contains("coexist-migration") }, "\(stage): \(left)")
        }
        #expect(isNew)
    }

    private struct Copy {
        let path: String

        init(of source: String, in folder: TemporaryFolder) throws {
            for name in try FileManager.default.contentsOfDirectory(atPath: source)
            where name.hasPrefix("Library.sqlite") {
                try FileManager.default.copyItem(atPath: "\(source)/\(name)", toPath: folder.file(name))
            }
            path = folder.file("Library.sqlite")
        }
    }

    @Test func aReaderFromBeforeGetsTheMigrationWithoutChangesAndThenWhatCameAfter() throws {
        let sample = try Sample(isAdopted: true)
        let daemon = try RunningDaemon(store: sample.path, folder: sample.folder)
        #expect(try daemon.ctl("consumers", "add", "search").exitCode == 0)
        let before = try #require(try daemon.json("consumers").first?[0]?["token"]?.stringValue)
        #expect(daemon.stop() == 0)
        let migrated = try Programs.ctl("migrate", sample.path, "--to", sample.target, "--allow-data-loss")
        #expect(migrated.exitCode == 0, "\(migrated.errors)")

        let after = try RunningDaemon(store: sample.path, folder: sample.folder)
        #expect(try after.ctl("insert", "Tag", "name=new").exitCode == 0)
        let consumer = try after.json("consumers").first?[0]
        #expect(consumer?["token"]?.stringValue == before)
        #expect(consumer?["lag"] == 2 && consumer?["state"] == "active")
        let history = try after.json("history", "--after", before)
        try #require(history.count == 2)
        #expect(history[0]["author"]?.stringValue?.hasPrefix("com.apple.coredata.schemamigrator") == true)
        #expect(history[0]["changes"] == [])
        #expect(history[1]["changes"]?.arrayValue?.count == 1)
        #expect(history[1]["changes"]?[0]?["kind"] == "insert" && history[1]["changes"]?[0]?["entity"] == "Tag")
        #expect(after.stop() == 0)
    }

    private static let canMount: Bool = {
        guard let unshare = Programs.find("unshare") else { return false }
        let result = try? Programs.run(unshare, ["-m", "sh", "-c", "mount -t tmpfs -o size=64k none /tmp"])
        return result?.exitCode == 0
    }()

    @Test(.enabled(if: canMount, "file systems cannot be mounted here"), arguments: [1, 2, 3, 4])
    func aFullDiskLeavesTheOldStoreAndNothingBeside(share: Int) throws {
        let sample = try Sample(isAdopted: true)
        let folder = try TemporaryFolder()
        let unshare = try #require(Programs.find("unshare"))
        let size = try #require(try FileManager.default.attributesOfItem(atPath: sample.path)[.size] as? Int)
        // Room for the store and a part of what a migration needs beside it: it ends at another step each time.
        let script = """
            mount -t tmpfs -o size=\(size + size * share / 2) none '\(folder.path)' && cp '\(sample.path)' '\(folder.path)/S' &&
            { '\(Programs.coexistctl)' migrate '\(folder.path)/S' --to '\(sample.target)' --allow-data-loss 2>&1; echo "exit $?";
            ls '\(folder.path)'; '\(Programs.coexistctl)' verify '\(folder.path)/S';
            '\(Programs.coexistctl)' dump '\(folder.path)/S' --entity Book; }
            """
        let result = try Programs.run(unshare, ["-m", "sh", "-c", script])
        #expect(result.lines.contains { $0.contains("DiskFull") }, "\(result.output) \(result.errors)")
        #expect(result.lines.contains("exit 1"))
        let files = result.lines.filter { $0 == "S" || $0.hasPrefix("S-") || $0.hasPrefix("S.") }
        #expect(files.allSatisfy { ["S", "S-wal", "S-shm"].contains($0) }, "\(files)")
        #expect(result.lines.contains("0 violations"))
        #expect(result.output.contains(#""title":"Dune""#))
    }
}
