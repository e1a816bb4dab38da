import Foundation
import ModelStack
import StoreModel

/// The values of the i-th object.
struct Sample {
    let count: Int64
    let flag: Bool
    let made: Double
    let price: Double
    let name: String
    let note: String

    init(_ i: Int) {
        count = Int64(i)
        flag = i & 1 == 1
        made = Double(i)
        price = Double(i) / 3
        name = "item number \(i)"
        note = "a somewhat longer note about \(i)"
    }
}

/// The object as the model stack has it.
@Model
final class Item {
    var name: String?
    var note: String?
    var count: Int = 0
    var price: Double = 0.0
    var made: Date = Date(timeIntervalSinceReferenceDate: 0)
    var flag: Bool = false

    init() {}
}
