import FoundationEssentials
import TestSupport
import Testing

@testable import MementoPattern

/// What goes in comes back: the same type, the same value.
@Suite struct ValueTests {
  private func roundTrip(_ data: [String: Any]) throws -> [String: Any] {
    try #require(ValueJSON.data(try ValueJSON.encode(data: data)))
  }

  private func expectExact<T: Equatable>(_ value: T, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let back = try roundTrip(["value": value])["value"]
    let same = try #require(back, sourceLocation: sourceLocation)
    #expect(type(of: same) == T.self, sourceLocation: sourceLocation)
    #expect(same as? T == value, sourceLocation: sourceLocation)
  }

  @Test func integersOfEveryTypeAndLimit() throws {
    try expectExact(0)
    for value in [Int.min, -1, 1, Int.max] { try expectExact(value) }
    for value in [Int8.min, 0, Int8.max] { try expectExact(value) }
    for value in [Int16.min, 0, Int16.max] { try expectExact(value) }
    for value in [Int32.min, 0, Int32.max] { try expectExact(value) }
    for value in [Int64.min, 0, Int64.max] { try expectExact(value) }
    for value in [UInt.min, UInt.max] { try expectExact(value) }
    for value in [UInt8.min, UInt8.max] { try expectExact(value) }
    for value in [UInt16.min, UInt16.max] { try expectExact(value) }
    for value in [UInt32.min, UInt32.max] { try expectExact(value) }
    for value in [UInt64.min, UInt64.max] { try expectExact(value) }
  }

  @Test func doublesToTheBit() throws {
    let values: [Double] = [
      0, -0.0, 1, -1, 5, 0.1, 0.1 + 0.2, .pi, 1e300, -1e300, 1e-300, .leastNonzeroMagnitude, .leastNormalMagnitude,
      .greatestFiniteMagnitude, .infinity, -.infinity, 1e18, 9_007_199_254_740_992, 123456789.123456789,
    ]
    for value in values {
      let back = try #require(try roundTrip(["value": value])["value"] as? Double, "\(value)")
      #expect(back.bitPattern == value.bitPattern, "\(value)")
    }
    let nan = try #require(try roundTrip(["value": Double.nan])["value"] as? Double)
    #expect(nan.isNaN)
  }

  @Test func randomDoublesToTheBit() throws {
    var random = SplitMix64(seed: 11)
    for _ in 0..<2000 {
      let value = Double(bitPattern: random.next())
      guard !value.isNaN else { continue }
      let back = try #require(try roundTrip(["value": value])["value"] as? Double)
      #expect(back.bitPattern == value.bitPattern, "\(value)")
    }
  }

  @Test func floatsStayFloats() throws {
    for value: Float in [0, -0.0, 1, 0.1, .pi, .greatestFiniteMagnitude, .infinity] { try expectExact(value) }
  }

  @Test func textOfAnyKind() throws {
    let texts = [
      "", " ", "a", "\u{0}", "\n\t\"\\/", "é", "e\u{301}", "日本語", "👩‍👩‍👧‍👦 🇩🇪", "\u{10FFFF}", "\u{202E}", "$data",
      String(repeating: "x", count: 100_000),
    ]
    for text in texts {
      let back = try #require(try roundTrip(["value": text])["value"] as? String)
      #expect(back.unicodeScalars.elementsEqual(text.unicodeScalars))
    }
  }

  @Test func datesToTheBit() throws {
    var dates = [
      Date.distantPast, .distantFuture, Date(timeIntervalSinceReferenceDate: 0),
      Date(timeIntervalSinceReferenceDate: 0.1), Date(timeIntervalSinceReferenceDate: -0.1),
      Date(timeIntervalSince1970: 1_780_000_000.123456), Date(timeIntervalSinceReferenceDate: 1e300),
      Date(timeIntervalSinceReferenceDate: 1e-12), Date(),
    ]
    var random = SplitMix64(seed: 5)
    for _ in 0..<1000 { dates.append(Date(timeIntervalSinceReferenceDate: .random(in: -1e10...1e10, using: &random))) }
    for date in dates {
      let back = try #require(
        try roundTrip(["value": date])["value"] as? Date, "\(date.timeIntervalSinceReferenceDate)")
      #expect(
        back.timeIntervalSinceReferenceDate.bitPattern == date.timeIntervalSinceReferenceDate.bitPattern,
        "\(date.timeIntervalSinceReferenceDate)")
    }
  }

  @Test func datesAreReadable() throws {
    let json = String(
      decoding: try ValueJSON.encode(data: ["at": Date(timeIntervalSince1970: 1_780_322_400.5)]), as: UTF8.self)
    #expect(json == #"{"at":{"$date":"2026-06-01T14:00:00.500000000Z"}}"#)
  }

  @Test func bytes() throws {
    for count in [0, 1, 2, 3, 255, 100_000] { try expectExact(Data(Content.random(count, seed: 3))) }
  }

  @Test func nestedCollections() throws {
    let data: [String: Any] = [
      "empty": [String: Any](), "none": [Any](),
      "mixed": [1, "two", 3.5, true, ["four": UInt8(4)], [5, [6]]] as [Any],
      "deep": ["a": ["b": ["c": ["d": Int8(-1)]]]], "flags": ["x": true, "y": false],
    ]
    let back = try roundTrip(data)
    #expect((back["empty"] as? [String: Any])?.isEmpty == true)
    #expect((back["none"] as? [Any])?.isEmpty == true)
    let mixed = try #require(back["mixed"] as? [Any])
    #expect(mixed[0] as? Int == 1 && mixed[1] as? String == "two" && mixed[2] as? Double == 3.5)
    #expect(mixed[3] as? Bool == true && (mixed[4] as? [String: Any])?["four"] as? UInt8 == 4)
    #expect((mixed[5] as? [Any])?[0] as? Int == 5)
    let deep = (((back["deep"] as? [String: Any])?["a"] as? [String: Any])?["b"] as? [String: Any])?["c"]
    #expect((deep as? [String: Any])?["d"] as? Int8 == -1)
    #expect(back["flags"] as? [String: Bool] == ["x": true, "y": false])
  }

  @Test func typedCollectionsCanBeCast() throws {
    let back = try roundTrip(["names": ["a", "b"], "counts": ["x": 1], "bytes": [UInt8(1), 2]])
    #expect(back["names"] as? [String] == ["a", "b"])
    #expect(back["counts"] as? [String: Int] == ["x": 1])
    #expect(back["bytes"] as? [UInt8] == [1, 2])
  }

  @Test func optionals() throws {
    let nickname: String? = nil
    let city: String? = "Ulm"
    let doubled: Int?? = 3
    let back = try roundTrip(["nickname": nickname as Any, "city": city as Any, "doubled": doubled as Any])
    #expect(back.keys.sorted() == ["city", "doubled", "nickname"])
    #expect(back["nickname"] as? String == nil)
    #expect(back["city"] as? String == "Ulm")
    #expect(back["doubled"] as? Int == 3)
  }

  @Test func dictionariesThatLookLikeTags() throws {
    let data: [String: Any] = [
      "a": ["$data": "AAAA"], "b": ["$int8": "5"], "c": ["$dictionary": ["$date": "x"]], "d": ["$unknown": 1],
      "e": ["$data": "x", "more": 1] as [String: Any], "$date": "top",
    ]
    let back = try roundTrip(data)
    #expect(back["a"] as? [String: String] == ["$data": "AAAA"])
    #expect(back["b"] as? [String: String] == ["$int8": "5"])
    #expect(back["c"] as? [String: [String: String]] == ["$dictionary": ["$date": "x"]])
    #expect(back["d"] as? [String: Int] == ["$unknown": 1])
    #expect((back["e"] as? [String: Any])?["more"] as? Int == 1)
    #expect(back["$date"] as? String == "top")
    #expect(try roundTrip(["$data": "AAAA"])["$data"] as? String == "AAAA")
  }

  @Test func equalDataIsEqualBytes() throws {
    var one: [String: Any] = [:]
    var two: [String: Any] = [:]
    for index in 0..<50 { one["key\(index)"] = index }
    for index in (0..<50).reversed() { two["key\(index)"] = index }
    #expect(try ValueJSON.encode(data: one) == ValueJSON.encode(data: two))
  }

  @Test func unsupportedTypesNameTheirPlace() throws {
    struct Point {}
    #expect(throws: CaretakerError.unsupportedType("Point", keyPath: "shapes[1].center")) {
      _ = try ValueJSON.encode(data: ["shapes": [["center": 1], ["center": Point()]] as [Any]])
    }
    #expect(throws: CaretakerError.unsupportedType("Set<Int>", keyPath: "set")) {
      _ = try ValueJSON.encode(data: ["set": Set([1])])
    }
  }

  @Test func tooDeepNesting() throws {
    var value: Any = 1
    for _ in 0..<99 { value = [value] }
    #expect(throws: Never.self) { _ = try roundTrip(["v": value]) }
    for _ in 0..<500 { value = [value] }
    #expect(throws: CaretakerError.self) { _ = try ValueJSON.encode(data: ["v": value]) }
  }

  /// What another program wrote, or what was damaged: nil or a value, never a trap.
  @Test func foreignBytes() throws {
    for text in ["", "x", "[1]", "5", "null", "\"a\"", "{", #"{"a":}"#, "\u{FEFF}{}", #"{"a":1"#] {
      #expect(ValueJSON.data(text.bytes)?.count ?? 0 == 0, "\(text)")
    }
    let plain = try #require(
      ValueJSON.data(#"{"n": 5, "x": 1.5, "big": 18446744073709551615, "z": null, "five": 5.0}"#.bytes))
    #expect(plain["five"] as? Int == 5)
    #expect(plain["n"] as? Int == 5 && plain["x"] as? Double == 1.5 && plain["big"] as? UInt64 == .max)
    let odd = try #require(
      ValueJSON.data(#"{"a":{"$uint8":"300"},"b":{"$data":"?"},"c":{"$date":"x"},"d":{"$int":5}}"#.bytes))
    #expect(odd["a"] as? [String: String] == ["$uint8": "300"])
    #expect(odd["b"] as? [String: String] == ["$data": "?"])
    #expect(odd["c"] as? [String: String] == ["$date": "x"])
    #expect(odd["d"] as? [String: Int] == ["$int": 5])
    var random = SplitMix64(seed: 17)
    let good = try ValueJSON.encode(data: ["name": "a", "at": Date(), "list": [1, 2.5, Data([1])] as [Any]])
    for _ in 0..<500 {
      var bytes = good
      bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      _ = ValueJSON.data(bytes)
    }
    #expect(ValueJSON.data([UInt8](repeating: UInt8(ascii: "["), count: 1_000_000)) == nil)
  }
}
