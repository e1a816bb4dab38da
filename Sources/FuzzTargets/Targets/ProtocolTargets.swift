import Control
import Foundation
import Varlink

extension FuzzTarget {
    static let protocols: [FuzzTarget] = [
        FuzzTarget("json", "a JSON text", errors: [JSONError.self]) { bytes in
            let value = try JSON(parsing: [UInt8](bytes))
            let text = value.text()
            let again: JSON
            do {
                again = try JSON(parsing: text)
            } catch {
                throw Failure("\(text) cannot be read back: \(error)")
            }
            try promise(again.text() == text, "\(text) reads back as \(again.text())")
        },
        FuzzTarget("varlink", "what a peer of the control socket sends", errors: [MessageError.self]) { bytes in
            var buffer = MessageBuffer(maximumMessageBytes: 1 << 16)
            // Pieces of uneven sizes, as they come from a socket.
            for start in stride(from: 0, to: bytes.count, by: 37) {
                [UInt8](bytes.dropFirst(start).prefix(37)).withUnsafeBufferPointer { buffer.append($0) }
                while true {
                    let taken = try buffer.next { (message) throws(MessageError) in
                        if let call = try? Call(parsing: message) { _ = (call.message, call.interface, call.member) }
                        _ = try Reply(parsing: message).message
                        return true
                    }
                    if taken == nil { break }
                }
            }
        },
        FuzzTarget("varlink-interface", "an interface's description", errors: [InterfaceError.self]) { bytes in
            _ = try InterfaceDescription(parsing: String(decoding: bytes, as: UTF8.self))
        },
        FuzzTarget("configuration", "coexistd's configuration", errors: [JSONError.self, ConfigurationError.self]) {
            let configuration = try Configuration(json: JSON(parsing: [UInt8]($0)), relativeTo: "/etc/coexistd")
            _ = configuration.json.text(.pretty)
        },
    ]
}
