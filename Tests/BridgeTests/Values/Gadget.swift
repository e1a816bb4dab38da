import Foundation
import ModelStack
import TestKit

enum Mood: Codable { case calm, wild }

enum Size: String, Codable { case small, large }

enum Event: Codable, Equatable, Hashable {
    case none
    case sold(to: String, price: Int)
}

struct Part: Codable, Hashable {
    var name: String
    var size: Size
    var event: Event
    var tags: [String]
}

struct Spot: Codable, Equatable {
    var name: String?
    var height: Double
    var mood: Mood = .calm
    var events: [Event] = []
}

/// A class that only its transformer can store.
final class Tint: NSObject {
    let red: Int
    init(red: Int) { self.red = red }
}

final class TintTransformer: ModelStack.ValueTransformer, @unchecked Sendable {
    // Sendable: it holds nothing.
    override func transformedValue(_ value: Any?) -> Any? { (value as? Tint).map { Data("red \($0.red)".utf8) } }
    override func reverseTransformedValue(_ value: Any?) -> Any? {
        guard let data = value as? Data, let text = String(data: data, encoding: .utf8), text.hasPrefix("red ") else {
            return nil
        }
        return Int(text.dropFirst(4)).map { Tint(red: $0) }
    }

    static func register() {
        ModelStack.ValueTransformer.setValueTransformer(TintTransformer(), forName: .init("TintTransformer"))
    }
}

@Model final class Maker {
    var name: String
    init(name: String) { self.name = name }
}

/// A property of every kind that `@Model` classes store beside plain columns.
@Model final class Gadget {
    var name: String = "unnamed"
    var count: Int
    var serial: UUID
    var day: Date = Date(timeIntervalSinceReferenceDate: 86_400)
    var mood: Mood = Mood.wild
    var oldMood: Mood?
    var size: Size = Size.large
    var oldSize: Size?
    var event: Event = Event.none
    var spot: Spot?
    var otherSpot: Spot = Spot(name: "home", height: 1)
    var parts: [Part] = []
    var words: [String] = []
    var numbers: [Int] = []
    var blobs: [Data] = []
    var ids: [UUID]?
    var scores: [String: Int] = [:]
    var labels: Set<String> = []
    var link: URL?
    var home: URL = URL(fileURLWithPath: "/home")
    var price: Decimal?
    @Attribute(.transformable(by: TintTransformer.self)) var tint: Tint?
    @Attribute(.externalStorage) var photo: Data?
    var maker: Maker

    init(count: Int, serial: UUID = UUID(), maker: Maker) {
        self.count = count
        self.serial = serial
        self.maker = maker
    }
}
