// Types of arguments: paths of any bytes, text in UTF-8, and numbers with a range.

import ArgumentParser
import MementoKit

/// A path as the user gave it; not empty.
struct PathArgument: ExpressibleByArgument, Equatable, Sendable {
  let path: BytePath

  init?(argument: String) {
    // An empty path usually comes from an unset variable in a script. It must not be taken for the current folder.
    guard !argument.isEmpty else { return nil }
    path = BytePath(ArgumentBytes.decode(argument))
  }
}

/// A word of a command to run, or a pattern: any bytes, possibly none.
struct WordArgument: ExpressibleByArgument, Equatable, Sendable {
  let bytes: [UInt8]

  init?(argument: String) {
    bytes = ArgumentBytes.decode(argument)
  }
}

/// Text in UTF-8: a name, a message or a pattern.
struct TextArgument: ExpressibleByArgument, Equatable, Sendable {
  let text: String

  init?(argument: String) {
    guard let text = String(validating: ArgumentBytes.decode(argument), as: UTF8.self) else { return nil }
    self.text = text
  }
}

/// A waiting time in seconds.
struct SecondsArgument: ExpressibleByArgument, Equatable, Sendable {
  let seconds: Double

  init(_ seconds: Double) {
    self.seconds = seconds
  }

  init?(argument: String) {
    // A year is long enough to mean "for ever". Larger numbers could overflow later.
    guard let seconds = Double(argument), (0...31_536_000).contains(seconds) else { return nil }
    self.seconds = seconds
  }

  var defaultValueDescription: String { String(Int(seconds)) }
}

/// A file size in bytes, given as `500k`, `20M` or `1.5G`.
struct SizeArgument: ExpressibleByArgument, Equatable, Sendable {
  let bytes: UInt64

  init?(argument: String) {
    guard let bytes = IgnoreOptions.bytes(ofSize: argument) else { return nil }
    self.bytes = bytes
  }
}

/// A share in percent, more than 0 and at most 100: `10%` or `10`.
struct PercentArgument: ExpressibleByArgument, Equatable, Sendable, CustomStringConvertible {
  let percent: Double

  init(_ percent: Double) {
    self.percent = percent
  }

  init?(argument: String) {
    let number = argument.hasSuffix("%") ? String(argument.dropLast()) : argument
    guard let percent = Double(number), percent > 0, percent <= 100 else { return nil }
    self.percent = percent
  }

  var description: String { "\(Int(percent))%" }
}

/// A count, 0 or more.
struct CountArgument: ExpressibleByArgument, Equatable, Sendable {
  let count: Int

  init?(argument: String) {
    guard let count = Int(argument), count >= 0 else { return nil }
    self.count = count
  }
}

/// An age such as `12h`, `30d` or `6mo`.
struct AgeArgument: ExpressibleByArgument, Equatable, Sendable {
  let seconds: UInt64

  init?(argument: String) {
    guard let seconds = RetentionPolicy.seconds(ofAge: argument) else { return nil }
    self.seconds = seconds
  }
}

/// The most space that a store may take: `500M`, `5G`, or a share of the disk such as `10%`.
struct BudgetArgument: ExpressibleByArgument, Equatable, Sendable {
  let budget: RetentionPolicy.Budget

  init?(argument: String) {
    guard let budget = RetentionPolicy.Budget(argument) else { return nil }
    self.budget = budget
  }
}

/// An amount of bytes a second: `500k`, `20M`.
struct RateArgument: ExpressibleByArgument, Equatable, Sendable {
  let bytes: UInt64

  init?(argument: String) {
    guard let bytes = IgnoreOptions.bytes(ofSize: argument), bytes > 0 else { return nil }
    self.bytes = bytes
  }
}
