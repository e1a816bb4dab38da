import Foundation

/// Objects in order, in sections of equal neighbours.
struct SectionedResults {
    struct Section: NSFetchedResultsSectionInfo {
        let name: String
        let members: [NSManagedObject]

        var numberOfObjects: Int { members.count }
        var objects: [Any]? { members }
    }

    let objects: [NSManagedObject]
    let sections: [Section]
    private let paths: [ObjectIdentifier: IndexPath]

    init(_ objects: [NSManagedObject], keyPath: String?) {
        self.objects = objects
        var groups: [(name: String, members: [NSManagedObject])] = []
        if let keyPath {
            for object in objects {
                let name = object.value(forKeyPath: keyPath).map { "\($0)" } ?? ""
                if groups.last?.name == name {
                    groups[groups.count - 1].members.append(object)
                } else {
                    groups.append((name, [object]))
                }
            }
        } else {
            groups = [("", objects)]
        }
        sections = groups.map { Section(name: $0.name, members: $0.members) }
        var paths: [ObjectIdentifier: IndexPath] = [:]
        for (section, group) in groups.enumerated() {
            for (row, object) in group.members.enumerated() {
                paths[ObjectIdentifier(object)] = IndexPath(row: row, section: section)
            }
        }
        self.paths = paths
    }

    func object(at path: IndexPath) -> NSManagedObject? {
        guard sections.indices.contains(path.section), sections[path.section].members.indices.contains(path.row) else {
            return nil
        }
        return sections[path.section].members[path.row]
    }

    func indexPath(of object: NSManagedObject) -> IndexPath? { paths[ObjectIdentifier(object)] }
}

/// The sections that came and went, by name.
struct SectionDifference {
    let deleted: [Int]
    let inserted: [Int]

    init(from old: SectionedResults, to new: SectionedResults) {
        let (before, after) = (Set(old.sections.map(\.name)), Set(new.sections.map(\.name)))
        deleted = old.sections.indices.filter { !after.contains(old.sections[$0].name) }
        inserted = new.sections.indices.filter { !before.contains(new.sections[$0].name) }
    }

    var isEmpty: Bool { deleted.isEmpty && inserted.isEmpty }
}
