import Glibc
import Systemd
import Testing

/// Everything that reads the environment, one after the other.
@Suite("What the service manager passes and is told", .serialized)
struct EnvironmentTests {
    /// A socket as the service manager's.
    private final class Manager {
        let descriptor: Int32
        let name = "@systemd-tests-\(getpid())"

        init() throws {
            descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            let bytes = Array(name.utf8)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
            address.sun_path.0 = 0
            let result = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(2 + bytes.count))
                }
            }
            try #require(result == 0)
            setenv("NOTIFY_SOCKET", name, 1)
        }

        func next() -> String {
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            return count < 0 ? "nothing" : String(decoding: buffer[..<count], as: UTF8.self)
        }

        deinit {
            unsetenv("NOTIFY_SOCKET")
            close(descriptor)
        }
    }

    @Test("Each state is sent as sd_notify(3) has it")
    func states() throws {
        let manager = try Manager()
        let notifier = Notifier()
        #expect(notifier.ready(status: "Serving\ntwo"))
        #expect(manager.next() == "READY=1\nSTATUS=Serving two")
        #expect(notifier.status("busy"))
        #expect(manager.next() == "STATUS=busy")
        #expect(notifier.stopping())
        #expect(manager.next() == "STOPPING=1")
        #expect(notifier.watchdog())
        #expect(manager.next() == "WATCHDOG=1")
        #expect(notifier.extendTimeout(by: .milliseconds(1500)))
        #expect(manager.next() == "EXTEND_TIMEOUT_USEC=1500000")
    }

    @Test("A reload carries the monotonic time in microseconds")
    func reloading() throws {
        let manager = try Manager()
        var before = timespec()
        clock_gettime(CLOCK_MONOTONIC, &before)
        #expect(Notifier().reloading())
        var after = timespec()
        clock_gettime(CLOCK_MONOTONIC, &after)
        let lines = manager.next().split(separator: "\n")
        #expect(lines.first == "RELOADING=1")
        let value = try #require(lines.last?.split(separator: "=").last.flatMap { Int($0) })
        #expect(value >= before.tv_sec * 1_000_000 + before.tv_nsec / 1000)
        #expect(value <= after.tv_sec * 1_000_000 + after.tv_nsec / 1000)
    }

    @Test("Without a service manager nothing is sent, and nothing fails")
    func alone() {
        unsetenv("NOTIFY_SOCKET")
        #expect(!Notifier().ready())
        #expect(!Notifier().watchdog())
    }

    @Test("The watchdog's time is read, and half of it is the interval")
    func watchdog() {
        #expect(Watchdog.timeout == nil)
        setenv("WATCHDOG_USEC", "2000000", 1)
        setenv("WATCHDOG_PID", "\(getpid())", 1)
        #expect(Watchdog.timeout == .seconds(2))
        #expect(Watchdog.interval == .seconds(1))
        setenv("WATCHDOG_PID", "1", 1)
        #expect(Watchdog.timeout == nil)
        unsetenv("WATCHDOG_USEC")
        unsetenv("WATCHDOG_PID")
    }

    @Test("Descriptors for another process are not taken, ours are, with their names")
    func inherited() async {
        setenv("LISTEN_PID", "1", 1)
        setenv("LISTEN_FDS", "1", 1)
        #expect(SocketActivation.inherited().isEmpty)
        unsetenv("LISTEN_PID")
        unsetenv("LISTEN_FDS")
        // In a process of its own: descriptors 3 and 4 belong to others here.
        await #expect(processExitsWith: .success) {
            let descriptor = open("/dev/null", O_RDONLY)
            dup2(descriptor, 3)
            dup2(descriptor, 4)
            setenv("LISTEN_PID", "\(getpid())", 1)
            setenv("LISTEN_FDS", "2", 1)
            setenv("LISTEN_FDNAMES", "control:metrics", 1)
            let sockets = SocketActivation.inherited(unsetEnvironment: true)
            let expected = [
                InheritedSocket(descriptor: 3, name: "control"), InheritedSocket(descriptor: 4, name: "metrics"),
            ]
            exit(sockets == expected && SocketActivation.inherited().isEmpty ? 0 : 1)
        }
    }

    @Test("Standard error is the journal only where $JOURNAL_STREAM says so")
    func journalStream() {
        unsetenv("JOURNAL_STREAM")
        #expect(!Journal.isStandardError)
        var status = stat()
        fstat(2, &status)
        setenv("JOURNAL_STREAM", "\(status.st_dev):\(status.st_ino)", 1)
        #expect(Journal.isStandardError)
        setenv("JOURNAL_STREAM", "\(status.st_dev):\(status.st_ino + 1)", 1)
        #expect(!Journal.isStandardError)
        unsetenv("JOURNAL_STREAM")
    }
}
