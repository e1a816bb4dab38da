import Testing
import Varlink

@testable import Control

@Suite struct ConfigurationTests {
    private func read(_ text: String) throws -> Configuration {
        try Configuration(json: try JSON(parsing: text), relativeTo: "/etc/coexist")
    }

    private func failure(_ text: String) -> ConfigurationError? {
        do {
            _ = try read(text)
            return nil
        } catch {
            return error as? ConfigurationError
        }
    }

    @Test func whatIsNotGivenHasTheDocumentedDefault() throws {
        let configuration = try read(#"{"store": "Trips.store"}"#)
        #expect(configuration.store == "/etc/coexist/Trips.store")
        #expect(configuration.ownership.defaultOwner == .legacy)
        #expect(configuration.guardMode == .always)
        #expect(configuration.durability == .full)
        #expect(configuration.history.isTracking)
        #expect(configuration.socket == "/run/coexistd/org.coexistd.control")
    }

    @Test func ownersAreReadByEntity() throws {
        let configuration = try read(
            #"{"store": "/s", "ownership": {"default": "model", "entities": {"Book": "legacy"}}}"#)
        #expect(configuration.ownership.defaultOwner == .model)
        #expect(configuration.ownership.entities == ["Book": .legacy])
    }

    @Test func anUnknownKeyNamesTheNearest() {
        #expect(failure(#"{"store": "/s", "guards": "off"}"#)?.path == "guards")
        #expect(failure(#"{"store": "/s", "guards": "off"}"#)?.way == "did you mean guard?")
        #expect(failure(#"{"store": "/s", "history": {"trackin": "off"}}"#)?.path == "history.trackin")
    }

    @Test func aBadValueNamesItsPathWhatItWasAndWhatIsAllowed() {
        let error = failure(#"{"store": "/s", "guard": "sometimes"}"#)
        #expect(error?.path == "guard")
        #expect(error?.message.contains("sometimes") == true)
        #expect(error?.way == #"allowed is "always", "while-running", "record", "off""#)
        #expect(failure(#"{"store": "/s", "readers": {"count": 0}}"#)?.path == "readers.count")
        #expect(
            failure(#"{"store": "/s", "ownership": {"entities": {"Book": "both"}}}"#)?.path == "ownership.entities.Book"
        )
    }

    @Test(arguments: ["[]", "{}", #"{"store": 5}"#, #"{"store": ""}"#])
    func aConfigurationWithoutAStoreIsRefused(text: String) {
        #expect(failure(text) != nil)
    }

    @Test func crossStackDeletesAndTheAgeOfReadersAreRead() throws {
        let configuration = try read(
            #"{"store": "/s", "crossStackDeletes": "forward", "readers": {"maximumAge": 5}}"#)
        #expect(configuration.crossStackDeletes == .forward)
        #expect(configuration.readers.maximumAge == 5)
        #expect(try read(#"{"store": "/s"}"#).crossStackDeletes == .refuse)
        #expect(try read(#"{"store": "/s"}"#).readers.maximumAge == 60)
        #expect(failure(#"{"store": "/s", "crossStackDeletes": "ask"}"#)?.path == "crossStackDeletes")
        #expect(failure(#"{"store": "/s", "readers": {"maximumAge": 0}}"#)?.path == "readers.maximumAge")
    }

    @Test func theEffectiveValuesReadBackEqual() throws {
        let configuration = try read(
            #"{"store": "/s", "guard": "record", "cache": {"maximumObjects": 10}, "log": {"level": "debug"}}"#)
        #expect(try Configuration(json: configuration.json, relativeTo: "/") == configuration)
    }
}
