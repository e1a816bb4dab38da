import CLinux
import Foundation

/// What kind of file system a folder is on, and what that means for a store.
struct FileSystem {
    /// How far SQLite's locks and shared memory can be relied on.
    enum Kind: String {
        /// On this machine: both work.
        case local
        /// Over a network: processes of several machines cannot share the log's index.
        case network
        /// It depends on what is behind it.
        case layered
        case unknown
    }

    let name: String
    let kind: Kind
    /// Bytes that may still be written.
    let free: UInt64
    let isReadOnly: Bool

    /// Nil where the folder cannot be asked.
    init?(_ folder: String) {
        var info = statvfs()
        guard statvfs(folder, &info) == 0 else { return nil }
        let magic = coexist_file_system_kind(folder)
        let known = Self.known[magic]
        name = known?.name ?? "0x" + String(magic, radix: 16)
        kind = known?.kind ?? .unknown
        free = UInt64(info.f_bavail) * UInt64(info.f_frsize)
        isReadOnly = info.f_flag & UInt(ST_RDONLY) != 0
    }

    /// By the kernel's numbers (`linux/magic.h` and the file systems' own headers).
    private static let known: [UInt64: (name: String, kind: Kind)] = [
        0xef53: ("ext4", .local), 0x5846_5342: ("xfs", .local), 0x9123_683e: ("btrfs", .local),
        0x0102_1994: ("tmpfs", .local), 0xf2f5_2010: ("f2fs", .local), 0x2fc1_2fc1: ("zfs", .local),
        0xca45_1a4e: ("bcachefs", .local), 0x8584_58f6: ("ramfs", .local), 0x7366_746e: ("ntfs3", .local),
        0x4d44: ("vfat", .local), 0x2011_bab0: ("exfat", .local), 0x5265_4973: ("reiserfs", .local),
        0x3153_464a: ("jfs", .local), 0x6969: ("nfs", .network), 0x517b: ("smb", .network),
        0xff53_4d42: ("cifs", .network), 0xfe53_4d42: ("smb2", .network), 0x00c3_6400: ("ceph", .network),
        0x5346_414f: ("afs", .network), 0x0bd0_0bd0: ("lustre", .network), 0x0116_1970: ("gfs2", .network),
        0x7461_636f: ("ocfs2", .network), 0x6573_5546: ("fuse", .layered), 0x794c_7630: ("overlay", .layered),
        0x0102_1997: ("9p", .layered), 0x786f_4256: ("vboxsf", .layered),
    ]
}
