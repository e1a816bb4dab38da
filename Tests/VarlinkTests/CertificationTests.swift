import Foundation
import Testing
import Varlink

/// Against an implementation that is not ours.
@Suite(
    "Certification with the Python implementation",
    .enabled(if: PythonVarlink.installation != nil, "The Python package `varlink` is not installed"))
struct CertificationTests {
    @Test("Their client certifies our server")
    func server() throws {
        let python = try #require(PythonVarlink.installation)
        let folder = try TemporaryFolder()
        let path = folder.file("s")
        let text = try String(contentsOfFile: python.tests + "/org.varlink.certification.varlink", encoding: .utf8)
        let service = Service(
            vendor: "Example", product: "Certification", version: "1", url: "",
            interfaces: [try InterfaceDescription(parsing: text)])
        let server = try Server(
            service: service, listeners: [Listener(path: path)], handler: CertificationServer.handle)
        let (status, output) = try PythonVarlink.run(
            python.python, [python.tests + "/test_certification.py", "--client", "--varlink=unix:" + path])
        #expect(status == 0, "\(output)")
        #expect(output.contains("Certification passed"), "\(output)")
        server.stop(within: .zero)
        server.waitUntilStopped()
    }

    @Test("Their server certifies our client")
    func client() throws {
        let python = try #require(PythonVarlink.installation)
        let folder = try TemporaryFolder()
        let path = folder.file("s")
        let pipe = Pipe()
        let process = PythonVarlink.process(
            python.python, ["-u", python.tests + "/test_certification.py", "--varlink=unix:" + path], output: pipe)
        try process.run()
        defer { process.terminate() }
        // It says when it listens.
        let line = String(decoding: pipe.fileHandleForReading.availableData, as: UTF8.self)
        try #require(line.contains("Listening"))

        let client = try Client("unix:" + path, timeout: .seconds(20))
        let prefix = CertificationServer.prefix
        let id = try client.call(prefix + "Start")["client_id"] ?? .null
        var last: JSONObject = [:]
        for number in 1...9 {
            var parameters: JSONObject = ["client_id": id]
            for (key, value) in last { parameters[key] = value }
            last = try client.call(prefix + "Test0\(number)", parameters)
        }
        var texts: [JSON] = []
        try client.stream(prefix + "Test10", ["client_id": id, "mytype": last["mytype"] ?? .null]) { reply in
            texts.append(reply["string"] ?? .null)
            return true
        }
        #expect(texts == CertificationServer.lastReplies.map(JSON.string))
        try client.oneway(prefix + "Test11", ["client_id": id, "last_more_replies": .array(texts)])
        #expect(try client.call(prefix + "End", ["client_id": id]) == ["all_ok": true])
    }

    @Test("Their scanner takes the descriptions that we print")
    func descriptions() throws {
        let python = try #require(PythonVarlink.installation)
        let folder = try TemporaryFolder()
        let text = try String(contentsOfFile: python.tests + "/org.varlink.certification.varlink", encoding: .utf8)
        let printed = folder.file("a.varlink")
        try Data(try InterfaceDescription(parsing: text).normalizedText.utf8).write(to: URL(fileURLWithPath: printed))
        let code = "import sys, varlink.scanner as s; i = s.Interface(open(sys.argv[1]).read()); print(len(i.members))"
        let (status, output) = try PythonVarlink.run(python.python, ["-c", code, printed])
        #expect(status == 0 && output == "17\n", "\(output)")
    }
}
