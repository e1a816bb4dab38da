import StoreFormat

/// Objects that were made without a context.
///
/// Such an object keeps its values and, as they were set, the objects that it is related to; their inverses follow when it
/// comes into a context: by `insert`, or as soon as it is related to an object of one.
extension NSManagedObject {
    var isLoose: Bool { flags.contains(.loose) }

    /// The objects at the other end, as they were set.
    func looseMembers(_ slot: Int) -> [NSManagedObject] { extras?.relations[slot] ?? [] }

    /// Sets the objects at the other end, while neither this nor any of them has a context.
    /// - Returns: false where one of them has: this object, and they, are then in that one.
    func setLoose(_ members: [NSManagedObject], _ slot: Int, _ relationship: SchemaRelationship) -> Bool {
        if let context = members.lazy.compactMap(\.managedObjectContext).first {
            context.insert(self)
            return false
        }
        let destination = info.description.model?.openedSchema.flatMap { schema in
            relationship.destination >= 0 ? schema.entities[relationship.destination] : nil
        }
        if let stranger = members.first(where: { destination?.isAncestor(of: $0.info) != true || !$0.isLoose }) {
            invalidate(
                slot,
                StoreError(
                    .typeMismatch,
                    "\(info.name).\(relationship.name) leads to \(relationship.layout.description.destinationEntityName), not to \(stranger.id.shown)",
                    way: "give an object of that entity"))
            return true
        }
        let extras = extras ?? ObjectExtras()
        extras.relations[slot] = members.isEmpty ? nil : members
        self.extras = extras
        return true
    }

    /// Takes objects without a context into this one's, before they are related to it.
    func takeAlong(_ members: [NSManagedObject]) {
        for member in members where member.isLoose { managedObjectContext?.insert(member) }
    }
}

extension NSManagedObjectContext {
    /// Takes in an object that was made without a context, and what it is related to.
    func takeIn(_ first: NSManagedObject) {
        var taken: [(object: NSManagedObject, relations: [Int: [NSManagedObject]])] = []
        var waiting = [first]
        while let object = waiting.popLast() {
            guard object.isLoose else { continue }
            precondition(
                instance.schema[object.info.name] === object.info,
                "an object of \(object.info.name) was made for another store than \(instance.store.path)")
            object.flags.remove(.loose)
            object.flags.insert(.inserted)
            object.link = link
            newObjects[object.id.key] = object
            insertedList.append(object)
            let relations = object.extras?.relations ?? [:]
            object.extras?.relations = [:]
            taken.append((object, relations))
            for slot in relations.keys.sorted() { waiting += relations[slot] ?? [] }
        }
        // To-ones first: what they lead to knows this object from then on, and no list that is set takes it out again.
        for isToMany in [false, true] {
            for (object, relations) in taken {
                for (slot, members) in relations.sorted(by: { $0.key < $1.key }) {
                    guard case .relationship(let relationship) = object.info.properties[slot],
                        relationship.isToMany == isToMany
                    else { continue }
                    guard isToMany else {
                        object.setToOne(members.first, slot, relationship)
                        continue
                    }
                    let known = object.toMany(slot, relationship).filter { known in !members.contains { $0 === known } }
                    object.setToMany(members + known, slot, relationship)
                }
            }
        }
        for (object, _) in taken { object.awakeFromInsert() }
    }
}
