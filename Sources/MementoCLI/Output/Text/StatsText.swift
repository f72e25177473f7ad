// The lines of `memento stats`: totals, a table of the states, and on a terminal bars and a line of growth.

import MementoKit

struct StatsText {
  let form: TextForm
  /// The most parts of a chart; what is left is one line.
  private static let mostParts = 8
  /// The most states that are named of those that keep something.
  private static let mostKeepers = 5

  func lines(_ found: StoreStatistics, isChosen: Bool) -> [String] {
    if found.states.isEmpty { return ["no states; \(store(found))"] }
    var lines = totals(found)
    lines += ["", form.style.heading("states")] + states(found)
    lines += chart("top folders", found.folders.map { (folder($0.name), $0.amount) })
    lines += chart("kinds of files", found.kinds.map { (kind($0.name), $0.amount) })
    if !isChosen { lines += growth(found.growth) }
    return lines + ["", store(found)]
  }

  // MARK: Totals

  private func totals(_ found: StoreStatistics) -> [String] {
    let what = Quantity.count(found.states.count, "state")
    var lines = [
      "\(what): \(Quantity.count(found.files, "file")), \(Quantity.bytes(found.rawBytes)); "
        + "stored in about \(Quantity.bytes(found.all.stored))",
      "deduplication \(ratio(found.rawBytes, found.all.raw)), compression \(ratio(found.all.raw, found.all.stored)), "
        + "both \(ratio(found.rawBytes, found.all.stored))",
    ]
    let amounts = found.amounts
    lines.append(
      "deleting \(found.states.count == 1 ? "it" : "all of them") frees about "
        + "\(Quantity.bytes(amounts.freedLater.stored)) when history and trash expire; "
        + "delete --purge frees about \(Quantity.bytes(amounts.freedNow.stored)) at once")
    let keepers: [(String, StoredAmount)] =
      states(found.keepers) + [
        ("the position", found.keepers.position), ("the timeline (keep)", found.keepers.timeline),
        ("the trash", found.keepers.trash),
      ]
    let kept = keepers.filter { $0.1.raw > 0 }.map { "\($0.0) about \(Quantity.bytes($0.1.stored))" }
    if !kept.isEmpty { lines.append("the rest is kept by: " + kept.joined(separator: ", ")) }
    lines.append("(stored sizes are estimates: what shares a block with other files counts with its share of it)")
    return lines
  }

  /// The states that keep most, and all others in one.
  private func states(_ keepers: StoreStatistics.Keepers) -> [(String, StoredAmount)] {
    let most = keepers.states.prefix(StatsText.mostKeepers).map { keeper in
      (keeper.names.map { TerminalText.escaped($0) }.joined(separator: " and "), keeper.amount)
    }
    let rest = keepers.states.dropFirst(StatsText.mostKeepers)
    if rest.isEmpty { return most }
    let raw = rest.reduce(0) { $0 + $1.amount.raw }
    let stored = rest.reduce(0) { $0 + $1.amount.stored }
    return most + [(Quantity.count(rest.count, "other state"), StoredAmount(raw: raw, stored: stored))]
  }

  /// For example `4.1x`; `-` where there is nothing to compare with.
  private func ratio(_ whole: UInt64, _ part: UInt64) -> String {
    guard part > 0 else { return "-" }
    let tenths = Int((Double(whole) / Double(part) * 10).rounded())
    return "\(tenths / 10).\(tenths % 10)x"
  }

  private func store(_ found: StoreStatistics) -> String {
    let free = found.packBytes > found.keptBytes ? found.packBytes - found.keptBytes : 0
    let checked = found.lastVerified.map { "; checked as a whole on \(form.day($0))" } ?? ""
    return "the store: \(Quantity.count(found.packs, "pack")), \(Quantity.bytes(found.packBytes)), of which about "
      + "\(Quantity.bytes(free)) is overhead or not needed any more\(checked)"
  }

  // MARK: States

  private func states(_ found: StoreStatistics) -> [String] {
    var table = Table([.left, .left, .right, .right, .right, .right, .right])
    table.add(
      ["", "", "size", "alone", "stored", "frees now", "later"].map {
        Table.Cell(text: $0, paint: form.style.faint)
      })
    for state in found.states {
      table.add([
        form.mark(state.isCurrent),
        Table.Cell(
          text: state.name.map { TerminalText.escaped($0) } ?? form.id(state.snapshot), paint: form.style.name),
        Table.Cell(text: Quantity.bytes(state.rawBytes)),
        Table.Cell(text: Quantity.bytes(state.amounts.alone.raw)),
        Table.Cell(text: Quantity.bytes(state.amounts.alone.stored)),
        Table.Cell(text: Quantity.bytes(state.amounts.freedNow.stored)),
        Table.Cell(text: Quantity.bytes(state.amounts.freedLater.stored)),
      ])
    }
    return lines(table, [nil] + found.states.map(\.amounts.alone.stored))
  }

  // MARK: Charts

  private func chart(_ title: String, _ parts: [(name: String, amount: StoredAmount)]) -> [String] {
    if parts.isEmpty { return [] }
    var table = Table([.left, .right, .right])
    table.add(["", "size", "stored"].map { Table.Cell(text: $0, paint: form.style.faint) })
    var sizes: [UInt64?] = [nil]
    for part in parts.prefix(StatsText.mostParts) {
      table.add(row(part.name, part.amount, paint: form.style.folder))
      sizes.append(part.amount.raw)
    }
    let rest = parts.dropFirst(StatsText.mostParts)
    if !rest.isEmpty {
      let raw = rest.reduce(0) { $0 + $1.amount.raw }
      let stored = rest.reduce(0) { $0 + $1.amount.stored }
      table.add(row("\(rest.count) more", StoredAmount(raw: raw, stored: stored), paint: form.style.faint))
      sizes.append(raw)
    }
    return ["", form.style.heading(title)] + lines(table, sizes)
  }

  private func row(
    _ name: String, _ amount: StoredAmount, paint: @escaping @Sendable (String) -> String
  ) -> [Table.Cell] {
    [
      Table.Cell(text: name, paint: paint), Table.Cell(text: Quantity.bytes(amount.raw)),
      Table.Cell(text: Quantity.bytes(amount.stored)),
    ]
  }

  private func folder(_ name: [UInt8]) -> String {
    name.isEmpty ? "(files at the top)" : TerminalText.escaped(name) + "/"
  }

  private func kind(_ name: [UInt8]) -> String {
    name.isEmpty ? "(no extension)" : "." + TerminalText.escaped(name)
  }

  private static let eighths = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]

  /// The narrowest room for a bar that tells something.
  private static let leastBar = 8

  /// The lines of a table with a bar at the end of each that has a value: up to a quarter of the terminal, and no wider than
  /// what is left. No bars where there is no terminal, no room, or nothing but ASCII. The last column is aligned at the right.
  private func lines(_ table: Table, _ values: [UInt64?]) -> [String] {
    let largest = values.compactMap(\.self).max() ?? 0
    let terminal = form.width ?? 80
    let width = min(max(StatsText.leastBar, min(40, terminal / 4)), terminal - table.width - 2)
    guard form.isTerminal, form.isUnicode, largest > 0, width >= StatsText.leastBar else { return table.lines() }
    return zip(table.lines(), values).map { line, value in
      let bar = value.map { StatsText.bar($0, of: largest, width: width) } ?? ""
      return bar.isEmpty ? line : "\(line)  \(bar)"
    }
  }

  private static func bar(_ value: UInt64, of largest: UInt64, width: Int) -> String {
    let steps = Int((Double(value) / Double(largest) * Double(width * 8)).rounded())
    if steps == 0 { return value == 0 ? "" : eighths[1] }
    return String(repeating: "█", count: steps / 8) + eighths[steps % 8]
  }

  // MARK: Growth

  private static let levels = Array("▁▂▃▄▅▆▇█")

  /// How much was stored at each of so many moments between the first snapshot and the last one.
  private func growth(_ steps: [StoreStatistics.Growth]) -> [String] {
    guard let first = steps.first, let last = steps.last, steps.count > 1, last.time > first.time else { return [] }
    let from = form.day(first.time)
    let to = form.day(last.time)
    let total = steps.reduce(0) { $0 + $1.added.stored }
    let line = "from \(Quantity.bytes(first.added.stored)) on \(from) to \(Quantity.bytes(total)) on \(to)"
    guard form.isTerminal, form.isUnicode else { return ["", "growth: \(line)"] }
    let terminal = form.width ?? 80
    let room = terminal - line.count - 2
    if room < StatsText.leastBar { return ["", form.style.heading("growth"), line] }
    let width = min(max(StatsText.leastBar, min(40, terminal / 3)), room)
    return ["", form.style.heading("growth"), "\(sparkline(steps, total, width: width))  \(line)"]
  }

  private func sparkline(_ steps: [StoreStatistics.Growth], _ total: UInt64, width: Int) -> String {
    guard let first = steps.first?.time, let last = steps.last?.time else { return "" }
    let span = last.seconds(since: first)
    var sums = [UInt64](repeating: 0, count: width)
    for step in steps {
      let place = Int(step.time.seconds(since: first) / span * Double(width - 1))
      sums[min(max(place, 0), width - 1)] += step.added.stored
    }
    var sum: UInt64 = 0
    return String(
      sums.map { added in
        sum += added
        let level = Int(Double(sum) / Double(max(total, 1)) * Double(StatsText.levels.count - 1))
        return StatsText.levels[min(max(level, 0), StatsText.levels.count - 1)]
      })
  }
}

extension SnapshotTime {
  fileprivate func seconds(since start: SnapshotTime) -> Double {
    Double(seconds) - Double(start.seconds) + (Double(nanoseconds) - Double(start.nanoseconds)) / 1e9
  }
}
