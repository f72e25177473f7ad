// What arguments are parsed into: paths of any bytes, text that is UTF-8, numbers in range.

import ArgumentParser
import MementoKit

/// A path as it was given.
struct PathArgument: ExpressibleByArgument, Equatable, Sendable {
  let path: BytePath

  init?(argument: String) {
    // An empty path is a script's unset variable; taking it for the current folder would hit the wrong one.
    guard !argument.isEmpty else { return nil }
    path = BytePath(ArgumentBytes.decode(argument))
  }
}

/// A word of a command to run: any bytes, also none.
struct WordArgument: ExpressibleByArgument, Equatable, Sendable {
  let bytes: [UInt8]

  init?(argument: String) {
    bytes = ArgumentBytes.decode(argument)
  }
}

/// Text: a name, a message, a pattern.
struct TextArgument: ExpressibleByArgument, Equatable, Sendable {
  let text: String

  init?(argument: String) {
    guard let text = String(validating: ArgumentBytes.decode(argument), as: UTF8.self) else { return nil }
    self.text = text
  }
}

/// A time to wait.
struct SecondsArgument: ExpressibleByArgument, Equatable, Sendable {
  let seconds: Double

  init(_ seconds: Double) {
    self.seconds = seconds
  }

  init?(argument: String) {
    // A year is for ever; larger numbers only overflow somewhere.
    guard let seconds = Double(argument), (0...31_536_000).contains(seconds) else { return nil }
    self.seconds = seconds
  }

  var defaultValueDescription: String { String(Int(seconds)) }
}

/// A size of files: `500k`, `20M`, `1.5G`.
struct SizeArgument: ExpressibleByArgument, Equatable, Sendable {
  let bytes: UInt64

  init?(argument: String) {
    guard let bytes = IgnoreOptions.bytes(ofSize: argument) else { return nil }
    self.bytes = bytes
  }
}

/// A number of things.
struct CountArgument: ExpressibleByArgument, Equatable, Sendable {
  let count: Int

  init?(argument: String) {
    guard let count = Int(argument), count >= 0 else { return nil }
    self.count = count
  }
}
