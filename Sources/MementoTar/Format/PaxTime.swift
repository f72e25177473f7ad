// Times of pax headers: seconds since 1970 as a decimal number with any number of places.

package import MementoTime

package enum PaxTime {
  package static func encode(_ time: Timestamp) -> String {
    if time.nanoseconds == 0 { return String(time.seconds) }
    // A negative time counts from zero down: one and a half seconds before 1970 is -1.5 and not -2 + 0.5.
    let isNegative = time.seconds < 0
    let seconds = isNegative ? (time.seconds &+ 1).magnitude : time.seconds.magnitude
    let nanoseconds = isNegative ? 1_000_000_000 - time.nanoseconds : time.nanoseconds
    var places = String(nanoseconds)
    places = String(repeating: "0", count: 9 - places.utf8.count) + places
    while places.hasSuffix("0") { places.removeLast() }
    return "\(isNegative ? "-" : "")\(seconds).\(places)"
  }

  /// Places after the ninth are cut off, downwards. Nil: not a time, or not within 64 bits.
  package static func decode(_ text: ArraySlice<UInt8>) -> Timestamp? {
    let isNegative = text.first == UInt8(ascii: "-")
    let digits = isNegative ? text.dropFirst() : text
    let whole = digits.prefix { $0 != UInt8(ascii: ".") }
    let places = digits.dropFirst(whole.count + 1)
    guard !whole.isEmpty || !places.isEmpty, let magnitude = whole.isEmpty ? 0 : PaxRecord.number(whole),
      let seconds = Int64(exactly: magnitude),
      places.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else { return nil }
    let nine = Array(places.prefix(9)) + Array(repeating: UInt8(ascii: "0"), count: max(0, 9 - places.count))
    guard let fraction = PaxRecord.number(nine) else { return nil }
    if !isNegative { return Timestamp(seconds: seconds, nanoseconds: UInt32(fraction)) }
    let cuts = places.dropFirst(9).contains { $0 != UInt8(ascii: "0") }
    let rest = fraction + (cuts ? 1 : 0)
    if rest == 0 { return Timestamp(seconds: -seconds, nanoseconds: 0) }
    guard seconds < Int64.max else { return nil }
    return rest == 1_000_000_000
      ? Timestamp(seconds: -seconds - 1, nanoseconds: 0)
      : Timestamp(seconds: -seconds - 1, nanoseconds: UInt32(1_000_000_000 - rest))
  }
}
