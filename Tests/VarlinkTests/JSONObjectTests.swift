import Testing
import Varlink

@Suite("JSON objects and access")
struct JSONObjectTests {
    @Test("Members keep their order through changes and removals")
    func order() {
        var object: JSONObject = ["c": 1, "a": 2, "b": 3]
        object["a"] = 20
        object["c"] = nil
        object["d"] = .null
        #expect(object.description == #"{"a":20,"b":3,"d":null}"#)
        #expect(object["c"] == nil)
        #expect(object["d"] == .null)
    }

    @Test("Large objects find, replace and remove members like small ones")
    func large() {
        var object = JSONObject()
        for number in 0..<1000 { object["k\(number)"] = JSON(number) }
        object["k500"] = "changed"
        object["k0"] = nil
        #expect(object.count == 999)
        #expect(object["k500"] == "changed")
        #expect(object["k0"] == nil)
        #expect(object["k999"] == 999)
        #expect(object.keys.first == "k1")
        for number in 1..<990 { object["k\(number)"] = nil }
        #expect(object.keys == (990..<1000).map { "k\($0)" })
        #expect(object["k995"] == 995)
    }

    @Test("Equality and hash do not depend on the order, but on kind and value")
    func equality() {
        let one: JSON = ["a": 1, "b": [2]]
        let other: JSON = ["b": [2], "a": 1]
        #expect(one == other)
        #expect(Set([one, other]).count == 1)
        #expect(one != ["a": 1.0, "b": [2]])
        #expect(one != ["a": 1])
        #expect(one != ["a": 1, "c": [2]])
    }

    @Test("Accessors give a value of their kind and nil for another")
    func access() {
        let value: JSON = ["n": -3, "u": .unsigned(.max), "d": 2.5, "s": "x", "a": [1, 2], "z": nil]
        #expect(value["n"]?.intValue == -3)
        #expect(value["n"]?.uint64Value == nil)
        #expect(value["n"]?.doubleValue == -3)
        #expect(value["u"]?.int64Value == nil)
        #expect(value["u"]?.uint64Value == .max)
        #expect(value["d"]?.intValue == nil)
        #expect(value["s"]?.stringValue == "x")
        #expect(value["a"]?[1] == 2)
        #expect(value["a"]?[2] == nil)
        #expect(value["z"]?.isNull == true)
        #expect(value["missing"] == nil)
        #expect(JSON(UInt64(5)) == .integer(5))
        #expect(JSON(UInt64.max) == .unsigned(.max))
    }
}
