import StoreFormat
import Varlink

/// The units of ownership, for planning before anything is adopted: which entities move together, and why.
struct UnitReport {
    private let units: [OwnershipUnit]

    init(_ units: [OwnershipUnit]) { self.units = units }

    var json: JSON {
        .array(
            units.map { unit in
                [
                    "name": .string(unit.name), "entities": DescriptionJSON.texts(unit.entities),
                    "trees": .array(unit.trees.map(DescriptionJSON.texts)),
                    "pairs": .array(
                        unit.pairs.map { pair in
                            [
                                "entity": .string(pair.entity), "property": .string(pair.property),
                                "inverseEntity": .string(pair.other), "inverse": .string(pair.inverse),
                            ]
                        }),
                ]
            })
    }

    /// The units of several entities; every other entity is a unit by itself.
    func print(_ output: Output) {
        let several = units.filter { $0.entities.count > 1 }
        output.line()
        guard !several.isEmpty else {
            output.line("units      every entity moves by itself")
            return
        }
        let rest = units.count > several.count ? "; every other entity moves by itself" : ""
        output.line("units      entities that move together\(rest)")
        for unit in several {
            output.line("  \(unit.name): \(unit.entities.joined(separator: ", "))")
            for tree in unit.trees { output.line("    one table: \(tree.joined(separator: ", "))") }
            for pair in unit.pairs {
                output.line("    one-to-one: \(pair.entity).\(pair.property) and \(pair.other).\(pair.inverse)")
            }
        }
    }
}
