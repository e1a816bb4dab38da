import SQLite
import StoreFormat
import Testing

@Suite
struct OwnershipTests {
    @Test("entities with one-to-one pairs and inheritance are one unit")
    func units() throws {
        let groups = OwnershipUnits.group(try SampleStore().store.layout).mapValues { $0.sorted() }
        #expect(
            groups == [
                "Book": ["Book"], "Card": ["Author", "Card", "Member", "Person"], "Shelf": ["Shelf"], "Tag": ["Tag"],
            ])
    }

    @Test("a save of the owner counts a commit and records stack, instance and epochs")
    func recorded() throws {
        let sample = try SampleStore()
        try sample.adopt()
        _ = try sample.insert("Shelf", try sample.authority())
        let row = try sample.connection.query("SELECT NUMBER, STACK, INSTANCE, EPOCHS, CAUSE FROM COEXIST_TRANSACTION")
        #expect(row == [[1, "legacy", "tests", "Shelf=1", .null]])
        #expect(try sample.scalar("SELECT COMMITS FROM COEXIST_STATE") == 1)
        #expect(
            try HistoryReader(sample.connection, store: sample.store).transactions(after: 0).first?.writer
                == .init(stack: .legacy, instanceName: "tests"))
        #expect(try sample.violations() == [])
    }

    @Test("a save that touches one entity of the other stack changes nothing, and names every object")
    func refused() throws {
        let sample = try SampleStore()
        try sample.adopt(["Tag": .model])
        let authority = try sample.authority()
        let before = try Tables(sample.connection)
        let error = expectStoreError(.ownershipViolation) {
            try sample.save(authority) { save in
                try SampleStore.insert("Shelf", in: save)
                let tags = (1...2).map {
                    StoreError.Offence(object: ObjectReference(entity: "Tag", key: $0), reason: "")
                }
                try save.authorize([try sample.entity("Tag"), try sample.entity("Shelf")]) { _ in tags }
            }
        }
        #expect(error?.objects.map(\.object.key) == [1, 2])
        #expect(error?.objects.first?.owner == .model)
        #expect(error?.objects.first?.epoch == 1)
        #expect(try Tables(sample.connection) == before)
    }

    @Test(
        "an old epoch, a frozen unit and one that is gone from the register are refused",
        arguments: [
            ("UPDATE COEXIST_UNIT SET EPOCH = 2 WHERE NAME = 'Shelf'", StoreError.Code.staleEpoch),
            ("UPDATE COEXIST_UNIT SET FROZEN = 1 WHERE NAME = 'Shelf'", .frozen),
            ("DELETE FROM COEXIST_ENTITY WHERE NAME = 'Shelf'", .damaged),
        ])
    func stale(_ sql: String, _ code: StoreError.Code) throws {
        let sample = try SampleStore()
        try sample.adopt()
        let authority = try sample.authority()
        // A freeze lasts as long as somebody holds the store's lock.
        let lock = try StoreLock(storePath: sample.path)
        defer { lock.release() }
        try sample.connection.execute(sql)
        expectStoreError(code) { _ = try sample.insert("Shelf", authority) }
        #expect(try sample.count("ZSHELF") == 0)
        try sample.insert("Book", ["pages": .integer(1)], authority)
    }

    @Test("a freeze that nobody's lock stands behind is undone by the save, and not by one that fails")
    func abandoned() throws {
        let sample = try SampleStore()
        try sample.adopt(owner: .legacy, ["Tag": .model])
        let authority = try sample.authority()
        try sample.connection.execute("UPDATE COEXIST_UNIT SET FROZEN = 1 WHERE NAME = 'Shelf'")
        expectStoreError(.ownershipViolation) {
            _ = try sample.insert("Tag", ["name": .string("a")], keys: [:], authority)
        }
        #expect(try sample.scalar("SELECT count(*) FROM COEXIST_UNIT WHERE FROZEN = 1") == .integer(1))
        _ = try sample.insert("Shelf", [:], keys: [:], authority)
        #expect(try sample.scalar("SELECT count(*) FROM COEXIST_UNIT WHERE FROZEN = 1") == .integer(0))
        #expect(try sample.count("ZSHELF") == 1)
        #expect(try sample.violations() == [])
    }

    @Test("an instance that opened before adoption holds no epoch: it replays before it saves")
    func openedBefore() throws {
        let sample = try SampleStore()
        try sample.adopt()
        let behind = #expect(throws: BehindSwitch.self) { _ = try sample.insert("Shelf") }
        #expect(behind?.refusal.code == .staleEpoch)
    }

    @Test("pairs of a join table that the other stack owns cannot be changed, but go with an object of one's own")
    func joins() throws {
        let sample = try SampleStore()
        try sample.adopt(["Tag": .model])
        guard case .manyToMany(let join)? = try sample.entity("Tag").relationship("books")?.storage else {
            throw CancellationError()
        }
        try sample.save(try sample.authority(.model)) { save in
            #expect(!save.ownsJoin(join))
            expectStoreError(.ownershipViolation) {
                try save.authorizeJoin(
                    join, relationship: "Tag.books",
                    objects: [.init(object: ObjectReference(entity: "Tag", key: 1), reason: "")])
            }
            try save.deleteAllJoins(join, own: 1)
        }
    }

    @Test("pairs of a join table whose unit is frozen cannot be changed by its owner either")
    func frozenJoins() throws {
        let sample = try SampleStore()
        try sample.adopt([:])
        guard case .manyToMany(let join)? = try sample.entity("Tag").relationship("books")?.storage else {
            throw CancellationError()
        }
        let lock = try StoreLock(storePath: sample.path)
        defer { lock.release() }
        let sql = "UPDATE COEXIST_UNIT SET FROZEN = 1 WHERE NAME = (SELECT UNIT FROM COEXIST_JOIN)"
        try sample.connection.execute(sql)
        try sample.save(try sample.authority()) { save in
            #expect(!save.ownsJoin(join))
            expectStoreError(.frozen) { try save.authorizeJoin(join, relationship: "Tag.books", objects: []) }
        }
    }
}

extension SampleStore {
    fileprivate func insert(_ name: String, _ authority: SaveAuthority) throws -> Int64 {
        try insert(name, [:], keys: [:], authority)
    }

    fileprivate func insert(_ name: String, _ values: [String: AttributeValue], _ authority: SaveAuthority) throws {
        try insert(name, values, keys: [:], authority)
    }

    fileprivate func adopt(_ owners: [String: StackName]) throws { try adopt(owner: .legacy, owners) }
}
