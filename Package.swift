// swift-tools-version: 6.1
import CompilerPluginSupport
import Foundation
import PackageDescription

/// The folder with the swift-syntax modules that the running toolchain ships, found from the `swiftc` on PATH.
let toolchainHostModules: String = {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    for folder in path.split(separator: ":") {
        let compiler = URL(fileURLWithPath: String(folder)).appendingPathComponent("swiftc")
        guard FileManager.default.isExecutableFile(atPath: compiler.path) else { continue }
        let host = compiler.resolvingSymlinksInPath()
            .deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("lib/swift/host")
        if FileManager.default.fileExists(atPath: host.appendingPathComponent("SwiftSyntax.swiftmodule").path) {
            return host.path
        }
    }
    return "/usr/lib/swift/host"
}()

/// `make fuzz` builds everything with the counters that libFuzzer steers by; nobody else pays for them.
let isFuzzing = ProcessInfo.processInfo.environment["COEXIST_FUZZ"] == "1"

let language: [SwiftSetting] = [.swiftLanguageMode(.v6)]
let strict = language + (isFuzzing ? [.unsafeFlags(["-sanitize=fuzzer"])] : [])

/// libFuzzer, as the toolchain ships it.
let libFuzzer: String = {
    let toolchain = URL(fileURLWithPath: toolchainHostModules).deletingLastPathComponent().deletingLastPathComponent()
    return toolchain.appendingPathComponent("swift/clang/lib/linux/libclang_rt.fuzzer_no_main-x86_64.a").path
}()

let package = Package(
    name: "coexist",
    products: [
        .library(name: "CoreData", targets: ["CoreData"]),
        .library(name: "SwiftData", targets: ["SwiftData"]),
        .library(name: "LegacyStack", targets: ["LegacyStack"]),
        .library(name: "ModelStack", targets: ["ModelStack"]),
        .library(name: "StoreFormat", targets: ["StoreFormat"]),
        .library(name: "Bridge", targets: ["Bridge"]),
        .library(name: "Varlink", targets: ["Varlink"]),
        .executable(name: "coexistd", targets: ["coexistd"]),
        .executable(name: "coexistctl", targets: ["coexistctl"]),
        .executable(name: "coexist-bench", targets: ["coexist-bench"]),
        .executable(name: "coexist-soak", targets: ["coexist-soak"]),
    ],
    targets: [
        .systemLibrary(
            name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(
            name: "CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CEpoll"),
        .systemLibrary(name: "CLinux"),

        .target(name: "SQLite", dependencies: ["CSQLite", "CLinux"], swiftSettings: strict),
        .target(name: "KeyedArchive", swiftSettings: strict),
        .target(name: "StoreModel", dependencies: ["KeyedArchive", "CZlib"], swiftSettings: strict),
        .target(
            name: "StoreFormat", dependencies: ["CLinux", "SQLite", "StoreModel", "KeyedArchive"], swiftSettings: strict
        ),
        .target(
            name: "LegacyStack", dependencies: ["StoreFormat", "StoreModel", "SQLite"], swiftSettings: strict),
        .macro(
            name: "ModelMacros",
            swiftSettings: language + [.unsafeFlags(["-I", toolchainHostModules])],
            linkerSettings: [
                .unsafeFlags(["-L", toolchainHostModules, "-Xlinker", "-rpath", "-Xlinker", toolchainHostModules]),
                .linkedLibrary("SwiftSyntax"),
                .linkedLibrary("SwiftSyntaxMacros"),
                .linkedLibrary("SwiftSyntaxBuilder"),
                .linkedLibrary("SwiftSyntaxMacroExpansion"),
                .linkedLibrary("SwiftDiagnostics"),
                .linkedLibrary("SwiftParser"),
                .linkedLibrary("SwiftBasicFormat"),
                .linkedLibrary("SwiftCompilerPluginMessageHandling"),
            ]),
        .target(
            name: "ModelStack", dependencies: ["ModelMacros", "StoreFormat", "StoreModel", "KeyedArchive", "SQLite"],
            swiftSettings: strict),
        .target(name: "CoreData", dependencies: ["LegacyStack"], swiftSettings: strict),
        .target(name: "SwiftData", dependencies: ["ModelStack"], swiftSettings: strict),
        .target(
            name: "Bridge", dependencies: ["LegacyStack", "ModelStack", "StoreFormat", "StoreModel", "SQLite"],
            swiftSettings: strict),
        .target(name: "Varlink", dependencies: ["CEpoll"], swiftSettings: strict),
        .target(name: "Systemd", dependencies: ["CSystemd"], swiftSettings: strict),
        .target(
            name: "Control",
            dependencies: ["CLinux", "Bridge", "Varlink", "Systemd", "StoreFormat", "StoreModel", "SQLite"],
            swiftSettings: strict),
        .executableTarget(name: "coexistd", dependencies: ["Control"], swiftSettings: strict),
        .executableTarget(name: "coexistctl", dependencies: ["Control"], swiftSettings: strict),
        .executableTarget(
            name: "coexist-bench",
            dependencies: ["Bridge", "LegacyStack", "ModelStack", "StoreFormat", "SQLite", "CSQLite"],
            swiftSettings: strict),
        .executableTarget(
            name: "coexist-soak", dependencies: ["Bridge", "LegacyStack", "ModelStack", "StoreFormat", "SQLite"],
            swiftSettings: strict),

        .systemLibrary(name: "CLibFuzzer"),
        .target(
            name: "FuzzTargets",
            dependencies: ["Control", "SwiftData", "TestKit", "Bridge", "StoreFormat", "StoreModel", "Varlink"],
            swiftSettings: strict),
        .executableTarget(
            name: "coexist-fuzz", dependencies: ["FuzzTargets"] + (isFuzzing ? ["CLibFuzzer"] : []),
            swiftSettings: language + (isFuzzing ? [.define("COEXIST_FUZZ")] : []),
            linkerSettings: isFuzzing ? [.unsafeFlags([libFuzzer]), .linkedLibrary("stdc++")] : []),

        // Ends itself in the middle of a handover; for tests only.
        .executableTarget(
            name: "coexist-fault", dependencies: ["Bridge", "LegacyStack", "StoreFormat"], swiftSettings: strict),
        .target(
            name: "TestKit", dependencies: ["Varlink", "StoreFormat", "StoreModel", "SQLite"],
            swiftSettings: strict),
        .testTarget(name: "SQLiteTests", dependencies: ["TestKit", "SQLite"], swiftSettings: strict),
        .testTarget(name: "KeyedArchiveTests", dependencies: ["KeyedArchive"], swiftSettings: strict),
        .testTarget(
            name: "StoreModelTests", dependencies: ["TestKit", "StoreModel", "KeyedArchive"], swiftSettings: strict),
        .testTarget(
            name: "StoreFormatTests", dependencies: ["TestKit", "StoreFormat", "StoreModel"], swiftSettings: strict),
        .testTarget(name: "LegacyStackTests", dependencies: ["TestKit", "CoreData"], swiftSettings: strict),
        .testTarget(name: "ModelStackTests", dependencies: ["TestKit", "SwiftData"], swiftSettings: strict),
        .testTarget(
            name: "BridgeTests", dependencies: ["TestKit", "Bridge", "CoreData", "SwiftData", "coexist-fault"],
            exclude: ["Model/ownership.pml"], swiftSettings: strict),
        .testTarget(name: "ControlTests", dependencies: ["Control"], swiftSettings: strict),
        .testTarget(name: "VarlinkTests", dependencies: ["Varlink"], swiftSettings: strict),
        .testTarget(name: "SystemdTests", dependencies: ["Systemd"], swiftSettings: strict),
        .executableTarget(
            name: "interrupted-migration", dependencies: ["Bridge"], path: "Tests/Programs/InterruptedMigration",
            swiftSettings: strict),
        .testTarget(
            name: "FuzzTests", dependencies: ["TestKit", "FuzzTargets", "coexist-fuzz"], exclude: ["Corpus"],
            swiftSettings: strict),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "TestKit", "Varlink", "LegacyStack", "coexistd", "coexistctl", "coexist-soak", "interrupted-migration",
            ],
            swiftSettings: strict),
    ]
)
