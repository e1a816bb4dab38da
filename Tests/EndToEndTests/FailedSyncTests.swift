import Foundation
import TestKit
import Testing

/// A disk that fails to sync: a library that the daemon is started with has one call fail when a file is there.
@Suite(.enabled(if: Programs.find("clang") != nil))
struct FailedSyncTests {
    private static let source = """
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <errno.h>
        #include <stdlib.h>
        #include <unistd.h>
        static int fails(void) { const char *p = getenv("FAILING_SYNC"); return p && unlink(p) == 0; }
        int fsync(int fd) {
            int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
            if (fails()) { errno = EIO; return -1; }
            return real(fd);
        }
        int fdatasync(int fd) {
            int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
            if (fails()) { errno = EIO; return -1; }
            return real(fd);
        }
        """

    @Test(arguments: [["insert", "Tag", "name=b"], ["checkpoint"]])
    func afterOneNothingIsWrittenUntilTheStoreIsOpenedAnew(command: [String]) throws {
        let sample = try SampleStore()
        let (library, trigger) = (sample.folder.file("sync.so"), sample.folder.file("fail"))
        try Data(Self.source.utf8).write(to: URL(fileURLWithPath: sample.folder.file("sync.c")))
        let compiled = try Programs.run(
            Programs.find("clang") ?? "", ["-shared", "-fPIC", "-o", library, sample.folder.file("sync.c"), "-ldl"])
        #expect(compiled.exitCode == 0, "\(compiled.errors)")
        let daemon = try RunningDaemon(
            ["--store", sample.path], folder: sample.folder,
            environment: ["LD_PRELOAD": library, "FAILING_SYNC": trigger])
        #expect(try daemon.ctl("insert", "Tag", "name=a").exitCode == 0)
        try Data().write(to: URL(fileURLWithPath: trigger))
        let failed = try Programs.run(
            Programs.coexistctl, command + ["--json"], environment: ["COEXIST_SOCKET": daemon.socket])
        #expect(failed.exitCode != 0 && failed.output.contains("InputOutput"), "\(failed.output)")
        #expect(!FileManager.default.fileExists(atPath: trigger))
        // The next sync would succeed: that says nothing of the one before.
        for words in [["insert", "Tag", "name=c"], ["checkpoint"], ["freeze", "Tag"]] {
            let result = try Programs.run(
                Programs.coexistctl, words + ["--json"], environment: ["COEXIST_SOCKET": daemon.socket])
            #expect(result.exitCode != 0)
            #expect(result.output.contains(#""code":"InputOutput""#), "\(words): \(result.output)")
        }
        let status = try daemon.json("status").first
        #expect(status?["state"] == "degraded")
        #expect(status?["problem"]?["code"] == "InputOutput")
        #expect(daemon.messages.contains("error: the store is not written any more"))
        #expect(try daemon.json("fetch", "Tag", "--count").first != nil)
        daemon.kill()
        let again = try RunningDaemon(store: sample.path, folder: sample.folder)
        #expect(try again.json("status").first?["state"] == "running")
        #expect(try again.ctl("insert", "Tag", "name=d").exitCode == 0)
        #expect(try again.ctl("verify").exitCode == 0)
    }
}
