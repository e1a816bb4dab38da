import Foundation
import Varlink

/// What a client may do.
enum Role: Int, Comparable {
    case observe
    case write
    case admin

    static func < (a: Role, b: Role) -> Bool { a.rawValue < b.rawValue }

    /// The role that a method needs; to ask what it would do takes no more than to look.
    static func needed(for method: String, _ parameters: JSONObject) -> Role {
        switch method {
        case "Handover" where parameters["dryRun"]?.boolValue == true,
            "Prune" where parameters["dryRun"]?.boolValue == true:
            .observe
        case "Insert", "Update", "Delete", "Acknowledge": .write
        case "AddConsumer", "RemoveConsumer", "Prune", "Handover", "Freeze", "Thaw", "Invalidate", "Checkpoint",
            "Backup", "Reload", "Stop":
            .admin
        default: .observe
        }
    }
}

/// Which role a peer has, by its user and groups.
struct AccessPolicy {
    let access: Configuration.Access

    /// Root and the daemon's own user are administrators; who is named nowhere may do nothing, and gets nil.
    func role(of peer: Peer) -> Role? {
        if peer.uid == 0 || peer.uid == getuid() { return .admin }
        if allows(access.admin, peer) { return .admin }
        if allows(access.write, peer) { return .write }
        if allows(access.observe, peer) { return .observe }
        return nil
    }

    private func allows(_ names: [String], _ peer: Peer) -> Bool {
        names.contains { name in
            if name.hasPrefix("@") {
                let group = String(name.dropFirst())
                let number = UInt32(group) ?? Self.group(group)
                return number.map { peer.isMember(ofGroup: $0) } ?? false
            }
            return (UInt32(name) ?? Self.user(name)) == peer.uid
        }
    }

    /// What the configuration names and the system does not know, with where: numbers need not have a name.
    func unknownNames() -> [(path: String, what: String)] {
        [("observe", access.observe), ("write", access.write), ("admin", access.admin)].flatMap { role, names in
            names.compactMap { name -> (path: String, what: String)? in
                let isGroup = name.hasPrefix("@")
                let text = isGroup ? String(name.dropFirst()) : name
                guard UInt32(text) == nil, (isGroup ? Self.group(text) : Self.user(text)) == nil else { return nil }
                return ("access.\(role)", isGroup ? "group \(text)" : "user \(text)")
            }
        }
    }

    private static func user(_ name: String) -> UInt32? {
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 16_384)
        guard getpwnam_r(name, &entry, &buffer, buffer.count, &found) == 0, found != nil else { return nil }
        return entry.pw_uid
    }

    private static func group(_ name: String) -> UInt32? {
        var entry = Glibc.group()
        var found: UnsafeMutablePointer<Glibc.group>?
        var buffer = [CChar](repeating: 0, count: 16_384)
        guard getgrnam_r(name, &entry, &buffer, buffer.count, &found) == 0, found != nil else { return nil }
        return entry.gr_gid
    }
}
