// How long a request is repeated.

/// The bounds of one request with its repetitions, in seconds.
package struct RetryLimits: Sendable {
  /// How long nothing may move in one try.
  package var silence = 15.0
  /// How long nothing may move in all tries together, with the pauses between them.
  package var allSilence = 30.0
  package var tries = 10
  /// The same as long as the engine has never answered: it may not be there at all.
  package var firstTries = 4
  /// The first pause; each one is twice as long as the one before.
  package var pause = 0.1
  package var longestPause = 5.0

  package init() {}
}

/// What one request has used up of them.
struct RetryCount {
  private let limits: RetryLimits
  private(set) var tries = 1
  private var silence: Double

  /// `silence`: for how many seconds nothing had moved before.
  init(_ limits: RetryLimits, silence: Double = 0) {
    self.limits = limits
    self.silence = silence
  }

  /// All tries together, in whole seconds.
  var allSilence: Int { Int(limits.allSilence) }

  /// How long nothing may move in the next try.
  var patience: Double { max(0.05, min(limits.silence, limits.allSilence - silence)) }

  /// Notes a try that has failed after `seconds` of silence. Returns the pause before the next one; nil when there is no
  /// use. `atLeast`: what the engine asks for.
  mutating func pause(afterSilence seconds: Double, atLeast: Double = 0, isReached: Bool) -> Double? {
    silence += max(0, seconds)
    guard tries < (isReached ? limits.tries : limits.firstTries) else { return nil }
    let step = min(limits.longestPause, limits.pause * Double(1 << min(tries - 1, 20)))
    // Not all who failed at once come back at once.
    let pause = max(step * Double.random(in: 0.5...1), min(atLeast, 2 * limits.longestPause))
    guard silence + pause < limits.allSilence else { return nil }
    silence += pause
    tries += 1
    return pause
  }
}
