import StoreFormat

/// What others changed: objects without changes of their own follow, the others are left to the save's version test.
extension ObjectContext {
    func syncIfNeeded() {
        if inbox.hasNews { readNews() }
    }

    private func readNews() {
        for news in inbox.take() {
            switch news {
            case .changed(let changes):
                for change in changes {
                    guard let backing = registeredObject(change.root, change.key) else { continue }
                    outdate(backing, isDeleted: change.isDelete, properties: change.properties)
                }
            case .dropped(let roots):
                for backing in registeredObjects(roots) { outdate(backing, isDeleted: false) }
            }
        }
    }

    /// Somebody else changed the object: a clean one reads again, one with changes is left to the version test.
    private func outdate(_ backing: ModelBacking, isDeleted: Bool, properties: [String]? = nil) {
        guard backing.state == .persistent || backing.state == .deleted else { return }
        forgetToManys(backing)
        guard !pendingContains(backing) || !isChanged(backing) && backing.state == .persistent
        else {
            // Read anew once the changes are given up.
            backing.isStale = true
            return
        }
        if isDeleted {
            backing.state = .gone
        } else {
            backing.values = []
            backing.isStale = true
        }
        notifyProperties?(backing, properties)
    }

    /// Reads an object without changes anew.
    func refreshFromStore(_ backing: ModelBacking) {
        guard let entity = backing.entity, backing.state == .persistent, backing.values.isEmpty else { return }
        backing.isStale = false
        backing.isShown = false
        do {
            if let row = try instance.row(entity, backing.key) {
                backing.row = row
            } else {
                backing.state = .gone
            }
        } catch {
            // Without a connection the last known values stay; the next save's version test decides.
            backing.isStale = true
        }
    }
}
