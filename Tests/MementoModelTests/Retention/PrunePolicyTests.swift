import TestSupport
import Testing

@testable import MementoModel

/// Held against a second, slow way to say what restic's documentation says.
struct PrunePolicyTests {
  private func time(_ text: String, _ dates: DateReader = utc) throws -> SnapshotTime {
    try #require(dates.time(text, .start))
  }

  private static let utc = DateReader(now: { SnapshotTime(seconds: 0, nanoseconds: 0) })

  private func kept(_ policy: PrunePolicy, _ times: [String], _ dates: DateReader = utc) throws -> [[String]] {
    try #require(policy.reasons(for: try times.map { try time($0, dates) }, dates))
  }

  @Test func theNewestOfEachPeriodIsKept() throws {
    var policy = PrunePolicy()
    policy.daily = 2
    #expect(
      try kept(policy, ["2026-11-20 14:00", "2026-11-20 15:00", "2026-11-18 01:00", "2026-11-17 23:59"])
        == [[], ["daily 2026-11-20"], ["daily 2026-11-18"], []])
    policy = PrunePolicy()
    policy.weekly = 5
    policy.monthly = 1
    policy.yearly = 1
    policy.hourly = 1
    policy.last = 2
    // 2027-01-03 is the Sunday of the last week of 2026.
    #expect(
      try kept(policy, ["2027-01-04 00:00", "2027-01-03 23:59", "2026-12-28 00:00", "2026-12-27 23:00"])
        == [
          ["last", "hourly 2027-01-04 00:00", "weekly 2027-W01", "monthly 2027-01", "yearly 2027"],
          ["last", "weekly 2026-W53"], [], ["weekly 2026-W52"],
        ])
  }

  /// As restic: where periods are left over, the oldest is kept as well.
  @Test func theOldestIsKeptWhilePeriodsAreLeft() throws {
    var policy = PrunePolicy()
    policy.monthly = 4
    #expect(
      try kept(policy, ["2024-01-02 13:42", "2024-01-03 01:04", "2024-01-04 20:09", "2024-01-04 20:20"])
        == [["oldest monthly 2024-01"], [], [], ["monthly 2024-01"]])
    policy.monthly = 1
    #expect(try kept(policy, ["2024-01-02 13:42", "2024-01-04 20:20"]) == [[], ["monthly 2024-01"]])
    #expect(try kept(policy, ["2024-01-02 13:42"]) == [["monthly 2024-01"]])
    #expect(try kept(policy, []) == [])
  }

  @Test func withinCountsFromTheNewest() throws {
    var policy = PrunePolicy()
    policy.within = "1mo"
    #expect(
      try kept(policy, ["2020-03-31 10:00", "2020-02-29 10:00", "2020-02-29 09:59", "2020-03-01 00:00"])
        == [["within 1mo"], ["within 1mo"], [], ["within 1mo"]])
    for text in ["", "soon", "2026-01-01", "-1d", "1"] {
      policy.within = text
      #expect(
        policy.reasons(for: [SnapshotTime(seconds: 0, nanoseconds: 0)], PrunePolicyTests.utc) == nil, "\(text)")
      #expect(policy.reasons(for: [], PrunePolicyTests.utc) == nil, "\(text)")
    }
  }

  /// Clocks are put back from 3:00 to 2:00 on 2026-10-25 at 1:00 UTC, and forward on 2026-03-29 at 1:00 UTC.
  @Test func periodsAreThoseOfLocalClocks() throws {
    let summer = (1_774_746_000...1_792_889_999)
    let local = DateReader(
      now: PrunePolicyTests.utc.now, zoneOffset: { summer.contains(Int($0)) ? 7200 : 3600 })
    var policy = PrunePolicy()
    policy.hourly = 3
    // 2:30 comes twice: these are two hours.
    let autumn = ["2026-10-25T00:10:00Z", "2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z", "2026-10-25T02:30:00Z"]
    #expect(
      try kept(policy, autumn, local)
        == [[], ["hourly 2026-10-25 02:00"], ["hourly 2026-10-25 02:00"], ["hourly 2026-10-25 03:00"]])
    policy = PrunePolicy()
    policy.daily = 2
    // 22:30 UTC is the next day in summer, 23:30 UTC in winter.
    #expect(
      try kept(
        policy, ["2026-03-28T22:59:00Z", "2026-03-28T23:30:00Z", "2026-03-29T21:59:00Z", "2026-03-27T22:00:00Z"], local)
        == [["daily 2026-03-28"], [], ["daily 2026-03-29"], []])
  }

  /// Where clocks go back over midnight, a day comes again after the next one, and still counts once.
  @Test func aDayThatComesTwiceCountsOnce() throws {
    let zone = DateReader(now: PrunePolicyTests.utc.now, zoneOffset: { $0 < 60 ? 0 : -3600 })
    var policy = PrunePolicy()
    policy.daily = 2
    let times = [-1, 30, 90, 3700, 90_000].map { SnapshotTime(seconds: $0, nanoseconds: 0) }
    let found = try #require(policy.reasons(for: times, zone))
    #expect(found == [[], [], [], ["daily 1970-01-01"], ["daily 1970-01-02"]])
  }

  @Test func farTimesDoNotTrap() {
    var policy = PrunePolicy()
    (policy.last, policy.hourly, policy.daily, policy.weekly, policy.monthly, policy.yearly) = (9, 9, 9, 9, 9, 9)
    policy.within = "100000mo"
    let zone = DateReader(now: PrunePolicyTests.utc.now, zoneOffset: { _ in 3600 })
    for seconds in [Int64.min, -62_135_596_801, -1, 0, 253_402_300_800, Int64.max] {
      _ = policy.reasons(for: [SnapshotTime(seconds: seconds, nanoseconds: 0)], zone)
    }
  }

  // MARK: Properties

  /// What must hold of any policy and any times.
  @Test(arguments: 0..<40) func propertiesHold(_ seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let count = Int(random.next() % 60)
    let span = [3600 * 3, 86400 * 9, 86400 * 100, 86400 * 1500][Int(random.next() % 4)]
    let times = (0..<count).map { _ in
      SnapshotTime(seconds: 1_780_000_000 + Int64(random.next() % UInt64(span)), nanoseconds: 0)
    }
    var policy = PrunePolicy()
    func some() -> Int { random.next() % 3 == 0 ? Int(random.next() % 6) : 0 }
    policy.last = some()
    policy.hourly = some()
    policy.daily = some()
    policy.weekly = some()
    policy.monthly = some()
    policy.yearly = some()
    let zone = DateReader(now: PrunePolicyTests.utc.now, zoneOffset: { $0 % 7_000_000 < 3_500_000 ? 7200 : 3600 })
    let reasons = try #require(policy.reasons(for: times, zone))
    #expect(reasons.count == times.count)
    // The order in which they are given does not matter.
    let order = times.indices.shuffled(using: &random)
    let shuffled = try #require(policy.reasons(for: order.map { times[$0] }, zone))
    if Set(times).count == times.count { #expect(order.indices.allSatisfy { shuffled[$0] == reasons[order[$0]] }) }
    // Each rule keeps as many as it says, or all periods and the oldest.
    for (kind, limit) in [
      ("last", policy.last), ("hourly", policy.hourly), ("daily", policy.daily), ("weekly", policy.weekly),
      ("monthly", policy.monthly), ("yearly", policy.yearly),
    ] {
      let kept = reasons.flatMap { $0.filter { $0 == kind || $0.hasPrefix("\(kind) ") } }
      let oldest = reasons.flatMap { $0.filter { $0.hasPrefix("oldest \(kind) ") } }
      #expect(kept.count + oldest.count <= limit && oldest.count <= 1)
      if limit > 0, count > 0 { #expect(!kept.isEmpty) }
    }
    // The newest is kept by every rule that keeps anything, and a policy that says more keeps no less.
    if !policy.isEmpty, let newest = times.indices.max(by: { times[$0] < times[$1] }) {
      #expect(times.indices.contains { times[$0] == times[newest] && !reasons[$0].isEmpty })
    }
    var more = policy
    more.last += 3
    let wider = try #require(more.reasons(for: times, zone))
    #expect(times.indices.allSatisfy { reasons[$0].isEmpty || !wider[$0].isEmpty })
    #expect(policy.isEmpty == (policy == PrunePolicy()))
    if policy.isEmpty { #expect(reasons.allSatisfy { $0.isEmpty }) }
    // Said again with what was kept, it removes nothing more.
    let left = times.indices.filter { !reasons[$0].isEmpty }.map { times[$0] }
    let again = try #require(policy.reasons(for: left, zone))
    #expect(again.allSatisfy { !$0.isEmpty })
  }
}
