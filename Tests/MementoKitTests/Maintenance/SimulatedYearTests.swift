// A year of saves, as a timer makes them, with the clock of a test: the store stays within its budget, names stay, and
// a question costs at the end what it costs at the beginning.
//
// In every test run the year has few saves. MEMENTO_YEAR_SAVES says how many to make instead (every five minutes:
// 105120), and MEMENTO_YEAR_MINUTES after how long to end; times are printed then.

import MementoStore
import MementoSystem
import TestSupport
import Testing

@testable import MementoKit

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

struct SimulatedYearTests {
  private static let year: UInt64 = 365 * 86400
  private static let budget = 512 << 10

  private let shop: RepositoryFixture
  private let clock = TestClock()
  private let ticks = SaveTicks()

  init() throws {
    shop = try RepositoryFixture()
  }

  private static func number(_ variable: String) -> Int? { getenv(variable).flatMap { Int(String(cString: $0)) } }

  private func open() throws -> Repository {
    var options = RepositoryFixture.quick
    options.isDurable = true
    options.clock = clock.read
    // In a test run, what a save has time for does not depend on the machine.
    ticks.begin()
    if SimulatedYearTests.number("MEMENTO_YEAR_SAVES") == nil { options.upkeepClock = ticks.read }
    return try Repository.find(from: BytePath(shop.folder.path), options: options)
  }

  /// Bytes of all files of the store.
  private func size(_ folder: FolderTools) throws -> Int {
    try folder.names().reduce(0) { sum, name in
      let inner = FolderTools(folder.absolute(name))
      if let below = try? size(inner) { return sum + below }
      return sum + (try folder.read(name).count)
    }
  }

  /// Nanoseconds that the processors have worked for this process, which other processes do not change much.
  private static func worked() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  /// Nanoseconds of work for a question: the median of some.
  private func time(_ body: (Repository) throws -> Void) throws -> UInt64 {
    var times: [UInt64] = []
    for _ in 0..<15 {
      let start = SimulatedYearTests.worked()
      try body(try open())
      times.append(SimulatedYearTests.worked() - start)
    }
    return times.sorted()[7]
  }

  private func content(_ number: Int) -> [UInt8] {
    Array("save \(number)\n".utf8) + Content.text(200, seed: UInt64(number))
  }

  @Test func aYearOfSaves() throws {
    let wanted = SimulatedYearTests.number("MEMENTO_YEAR_SAVES")
    let saves = wanted ?? 500
    let end = SimulatedYearTests.number("MEMENTO_YEAR_MINUTES").map {
      Clock.nanosecondsSinceBoot() + UInt64($0) * 60_000_000_000
    }
    let budget = saves < 10_000 ? SimulatedYearTests.budget : 64 << 20
    let config = try shop.storeFolder.read("config".bytes)
    let keep = wanted == nil ? "30d, 20" : "30d, 200"
    try shop.storeFolder.write("config".bytes, config + "keep = \(keep)\nmax-size = \(budget)\n".bytes)
    for number in 0..<10 { try shop.folder.write("f\(number)".bytes, "file \(number)".bytes) }
    var first: (status: UInt64, list: UInt64)?
    var largest = 0
    var slowest: UInt64 = 0
    var done = 0
    let report = wanted.map { max(1, $0 / 24) }
    while done < saves, end.map({ Clock.nanosecondsSinceBoot() < $0 }) ?? true {
      clock.pass(seconds: SimulatedYearTests.year / UInt64(saves))
      try shop.folder.write("f0".bytes, content(done))
      let isMonth = done % (saves / 12) == 0
      let start = SimulatedYearTests.worked()
      try open().save(SaveOptions(name: isMonth ? "month \(done / (saves / 12))" : nil))
      slowest = max(slowest, SimulatedYearTests.worked() - start)
      done += 1
      if done % 25 == 0, wanted == nil || done % 1000 == 0 { largest = max(largest, try size(shop.storeFolder)) }
      if wanted != nil, done == 20 { first = try measure() }
      if let report, done % report == 0 {
        let now = try measure()
        let packs = try shop.storeFolder.folder("packs").names().count
        print(
          "\(done) saves, day \(365 * done / saves): status \(now.status / 1000) us, list \(now.list / 1000) us, "
            + "\(packs) packs, \(try size(shop.storeFolder)) bytes, \(try open().log().count) in the log, "
            + "slowest save \(slowest / 1_000_000) ms; after 20 saves status \((first?.status ?? 0) / 1000) us, "
            + "list \((first?.list ?? 0) / 1000) us")
        slowest = 0
      }
    }
    if wanted != nil { print("\(done) of \(saves) saves; the store had \(largest) bytes at most, of \(budget)") }
    // With the clock of the machine, a slow one may not keep up with so small a budget.
    if wanted == nil { #expect(largest <= budget) }
    let repository = try shop.reopened()
    // Where a flush takes longer than a save may spend, small packs are merged after 256 of them.
    #expect(try shop.storeFolder.folder("packs").names().count < 320)
    #expect(try repository.verify(readData: true).damage == [])
    for month in 0..<12 where month * (saves / 12) < done {
      try shop.directory.write("written", [])
      let output = try shop.directory.descriptor.open("written".bytes, .readWrite)
      try repository.write(Revision("month \(month)"), path: "f0", to: output.raw)
      #expect(try shop.directory.read("written") == content(month * (saves / 12)))
    }
    // What is younger than `keep` is there, or so much of it as the budget allows; what is older is gone but for a
    // rest.
    let kept = try repository.log().count
    let month = saves / 12
    if done == saves { #expect(kept > month / 2 && kept < month * 2) }
  }

  private func measure() throws -> (status: UInt64, list: UInt64) {
    (try time { _ = try $0.status() }, try time { _ = try $0.states() })
  }
}
