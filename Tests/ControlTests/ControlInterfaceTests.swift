import Testing
import Varlink

@testable import Control

@Suite struct ControlInterfaceTests {
    @Test func theDescriptionIsValidVarlink() throws {
        let description = try ControlInterface.description()
        #expect(description.name == "org.coexistd.Control")
        #expect(
            description.input(ofMethod: "Fetch")?.map(\.name) == [
                "entity", "where", "sort", "limit", "offset", "stack",
            ])
    }

    @Test func everyErrorIsDeclaredWithMessageAndWay() throws {
        let description = try ControlInterface.description()
        for error in ["OwnershipViolation", "StaleEpoch", "VersionConflict", "UnknownEntity", "Busy", "Stopping"] {
            #expect(description.parameters(ofError: error)?.map(\.name) == ["message", "way", "objects"], "\(error)")
        }
    }
}
