import Foundation
import TestKit

extension Programs {
    /// Runs a program as somebody who may not read everything: as `nobody`, where this is root.
    static func runAsNobody(_ program: String, _ arguments: [String]) throws -> Result {
        guard geteuid() == 0 else { return try run(program, arguments) }
        guard let setpriv = find("setpriv") else { throw CocoaError(.fileNoSuchFile) }
        return try run(setpriv, ["--reuid=65534", "--regid=65534", "--clear-groups", program] + arguments)
    }

    /// Whether another user can run the programs that were built here.
    static let canBeNobody = (try? runAsNobody(coexistctl, ["--version"]))?.exitCode == 0
}
