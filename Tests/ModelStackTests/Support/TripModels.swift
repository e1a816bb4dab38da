import SwiftData

@Model
final class Trip {
    @Attribute(.unique) var name: String
    var destination: String
    var start: Date
    var budget: Double?
    var days = 1
    var kind: Kind = Kind.holiday
    var address: Address?
    var notes: [String] = []
    @Attribute(.externalStorage) var photo: Data?
    @Attribute(.preserveValueOnDeletion) var code: UUID
    @Relationship(deleteRule: .cascade, inverse: \Item.trip) var items: [Item] = []
    @Relationship(deleteRule: .nullify) var guide: Guide?
    @Transient var isOpen = false

    enum Kind: String, Codable {
        case holiday
        case business
    }

    struct Address: Codable, Equatable {
        var street: String
        var number: Int?
    }

    init(
        name: String, destination: String = "", start: Date = Date(timeIntervalSinceReferenceDate: 0),
        code: UUID = UUID()
    ) {
        self.name = name
        self.destination = destination
        self.start = start
        self.code = code
    }

    var isLong: Bool { days > 7 }
}

@Model
final class Item {
    var title: String
    var weight: Int
    var isPacked: Bool = false
    var trip: Trip?
    var tags: [Label] = []

    init(title: String, weight: Int = 1, trip: Trip? = nil) {
        self.title = title
        self.weight = weight
        self.trip = trip
    }
}

@Model
final class Label {
    #Unique<Label>([\.word])
    #Index<Label>([\.word])
    var word: String
    var items: [Item] = []

    init(word: String) {
        self.word = word
    }
}

@Model
final class Guide {
    var name: String
    var trips: [Trip]? = []

    init(name: String) {
        self.name = name
    }
}
