import ModelStack

/// An object of one of the soak's entities: a counter, or the entry that says which save added 1 to it.
protocol Counted: PersistentModel {
    /// A counter's value; an entry's counter.
    var value: Int { get set }
    /// Which save made this entry; nil for a counter.
    var entry: String? { get set }

    init()
}

/// The soak's entities, as the model stack has them.
enum CounterTypes {
    static let all: [any Counted.Type] = [
        Apple.self, Birch.self, Cedar.self, Daisy.self, Elder.self, Fern.self, Gorse.self, Hazel.self, Iris.self,
        Juniper.self, Kale.self, Larch.self, Maple.self, Nettle.self, Oak.self, Pine.self, Quince.self, Rowan.self,
        Sorrel.self, Thyme.self, Ulmus.self, Violet.self, Willow.self, Yarrow.self, Zinnia.self,
    ]
}

@Model final class Apple: Counted {
    var value: Int = 0
    var entry: String?

    init() {}
}

@Model final class Birch: Counted {
    var value: Int = 0
    var entry: String?

    init() {}
}

@Model final class Cedar: Counted {
    var value: Int = 0
    var entry: String?

    init() {}
}

@Model final class Daisy: Counted {
    var value: Int = 0
    var entry: String?

    init() {}
}

@Model final class Elder: Counted {
    var value: Int = 0
    var entry: String?

    init() {}
}

@Model final class Fern: Counted {
    var value: Int = 0
    var entry: String?

    init() {}
}

@Model final class Gorse: Counted {
    var value: Int = 0
    var entry: String?

    init() {}
}

@Model final class Hazel: Counted {
    var value: Int = 0
    var entry: String?

    init() {}
}

@Model final class Iris: Counted {
    var value: Int = 0
    var entry: String?

    init() {}
}

@Model final class Juniper: Counted {
    var value: Int = 0
    var entry: String?

    init() {}
}

@Model final class Kale: Counted {
    var value: Int = 0
    var entry: String?

    init() {}
}

@Model final class Larch: Counted {
    var value: Int = 0
    var entry: String?

    init() {}
}

@Model final class Maple: Counted {
    var value: Int = 0
    var entry: String?

    init() {}
}

@Model final class Nettle: Counted {
    var value: Int = 0
    var entry: String?

    init() {}
}

@Model final class Oak: Counted {
    var value: Int = 0
    var entry: String?

    init() {}
}

@Model final class Pine: Counted {
    var value: Int = 0
    var entry: String?

    init() {}
}

@Model final class Quince: Counted {
    var value: Int = 0
    var entry: String?

    init() {}
}

@Model final class Rowan: Counted {
    var value: Int = 0
    var entry: String?

    init() {}
}

@Model final class Sorrel: Counted {
    var value: Int = 0
    var entry: String?

    init() {}
}

@Model final class Thyme: Counted {
    var value: Int = 0
    var entry: String?

    init() {}
}

@Model final class Ulmus: Counted {
    var value: Int = 0
    var entry: String?

    init() {}
}

@Model final class Violet: Counted {
    var value: Int = 0
    var entry: String?

    init() {}
}

@Model final class Willow: Counted {
    var value: Int = 0
    var entry: String?

    init() {}
}

@Model final class Yarrow: Counted {
    var value: Int = 0
    var entry: String?

    init() {}
}

@Model final class Zinnia: Counted {
    var value: Int = 0
    var entry: String?

    init() {}
}
