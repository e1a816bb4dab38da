import Foundation
import LegacyStack
import SQLite
import StoreFormat
import TestKit
import Testing

/// One transaction of very many changes, and history that has very many.
@Suite struct LargeTransactionTests {
    private static let canMount: Bool = {
        guard let unshare = Programs.find("unshare") else { return false }
        let result = try? Programs.run(unshare, ["-m", "sh", "-c", "mount -t tmpfs -o size=64k none /tmp"])
        return result?.exitCode == 0
    }()

    @Test(.enabled(if: canMount, "file systems cannot be mounted here"))
    func aHugeDeleteThatDoesNotFitIsUndoneAndWorksOnceThereIsSpace() throws {
        let sample = try SampleStore()
        do {
            let instance = try LegacyInstance(path: sample.path)
            defer { instance.close() }
            let context = instance.newContext()
            let author = NSEntityDescription.insertNewObject(forEntityName: "Author", into: context)
            for i in 1...20_000 {
                let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
                book.setValue("\(i)", forKey: "title")
                book.setValue(author, forKey: "author")
            }
            try context.save()
        }
        // Adopted here: a daemon that adopts makes a copy beside the store.
        try RunningDaemon(store: sample.path, folder: sample.folder).stop()
        let size = try #require(try FileManager.default.attributesOfItem(atPath: sample.path)[.size] as? Int)
        let disk = try TemporaryFolder()
        let outside = try TemporaryFolder()
        let filler = 32 << 20
        let script = """
            mount -t tmpfs -o size=\(size + (1 << 20) + filler) none '\(disk.path)' && cp '\(sample.path)' '\(disk.path)/S' || exit 9
            head -c \(filler) /dev/zero > '\(disk.path)/filler'
            export COEXIST_SOCKET='\(outside.file("s"))'
            '\(Programs.coexistd)' --store '\(disk.path)/S' --socket "$COEXIST_SOCKET" & daemon=$!
            ctl() { '\(Programs.coexistctl)' "$@" 2>&1; }
            for i in $(seq 600); do ctl status > /dev/null && break; sleep 0.1; done
            ctl delete Author/1; echo "exit $?"
            ctl fetch Book --count; ctl history --json --after 1 | wc -l
            rm '\(disk.path)/filler'
            ctl delete Author/1 > /dev/null; echo "exit $?"
            ctl fetch Book --count; ctl history --json --after 1 | wc -l
            ctl stop > /dev/null; wait $daemon
            ctl verify '\(disk.path)/S'
            """
        let unshare = try #require(Programs.find("unshare"))
        let result = try Programs.run(unshare, ["-m", "sh", "-c", script])
        #expect(result.lines.first?.contains("DiskFull") == true, "\(result.output) \(result.errors)")
        #expect(
            result.lines.dropFirst().map { $0.trimmingCharacters(in: .whitespaces) } == [
                "exit 1", "20000", "0", "exit 0", "0", "1", "0 violations",
            ], "\(result.output) \(result.errors)")
    }

    private func counts(_ path: String) throws -> (transactions: Int64, changes: Int64) {
        let row = try Connection(path: path, mode: .readOnly)
            .query("SELECT (SELECT count(*) FROM ATRANSACTION), (SELECT count(*) FROM ACHANGE)").first
        return (row?[0].integerValue ?? -1, row?[1].integerValue ?? -1)
    }

    @Test func aPurgeAtTheStartHoldsUpNobodyAndGoesOnAfterAKill() throws {
        let sample = try SampleStore()
        try RunningDaemon(store: sample.path, folder: sample.folder).stop()
        // 1,000 transactions of 100 changes each.
        let connection = try StoreConnector.connect(sample.path, .writer(.full))
        let entity = try #require(try Store.open(sample.path).layout["Tag"]?.number)
        try connection.execute(
            """
            BEGIN IMMEDIATE;
            INSERT INTO ATRANSACTION (Z_PK, Z_ENT, Z_OPT, ZTIMESTAMP)
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
                SELECT i, 16002, 1, 1000 + i FROM n;
            INSERT INTO ACHANGE (Z_PK, Z_ENT, Z_OPT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID)
                WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 99999)
                SELECT i + 1, 16001, 1, 0, \(entity), i + 1, i / 100 + 1 FROM n;
            UPDATE Z_PRIMARYKEY SET Z_MAX = 1000 WHERE Z_ENT = 16002;
            UPDATE Z_PRIMARYKEY SET Z_MAX = 100000 WHERE Z_ENT = 16001;
            COMMIT;
            """)
        #expect(try counts(sample.path) == (1_000, 100_000))
        let configuration = sample.folder.file("config.json")
        try #"{"store": "\#(sample.path)", "history": {"maximumTransactions": 10}}"#.write(
            toFile: configuration, atomically: true, encoding: .utf8)
        do {
            let daemon = try RunningDaemon(["--config", configuration], folder: sample.folder)
            #expect(try counts(sample.path).transactions > 10, "it is ready before the purge has ended")
            #expect(eventually { ((try? counts(sample.path).transactions) ?? 1_000) < 1_000 })
            daemon.kill()
        }
        let half = try counts(sample.path)
        #expect(half.transactions < 1_000 && half.transactions > 10)
        #expect(half.changes == half.transactions * 100, "a batch goes whole, or not at all")
        let again = try RunningDaemon(["--config", configuration], folder: sample.folder)
        #expect(try again.ctl("insert", "Tag", "name=a").exitCode == 0)
        #expect(eventually { (try? counts(sample.path))?.transactions == 10 })
        #expect(try again.json("status").first?["history"]?["first"] == 992)
        #expect(try counts(sample.path).changes == 901)
        #expect(again.stop() == 0)
    }
}
