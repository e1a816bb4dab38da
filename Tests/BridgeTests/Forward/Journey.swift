import Foundation
import ModelStack

@Model final class Journey {
    @Attribute(.unique) var code: String
    var note: String?
    @Attribute(.externalStorage) var map: Data?
    @Relationship(deleteRule: .cascade, inverse: \Halt.journey) var halts: [Halt] = []
    var guides: [Guide] = []

    init(code: String, note: String? = nil) {
        self.code = code
        self.note = note
    }
}

@Model final class Halt {
    var place: String
    var journey: Journey?

    init(place: String, journey: Journey? = nil) {
        self.place = place
        self.journey = journey
    }
}

@Model final class Guide {
    var name: String
    @Relationship(inverse: \Journey.guides) var journeys: [Journey] = []

    init(name: String) { self.name = name }
}
