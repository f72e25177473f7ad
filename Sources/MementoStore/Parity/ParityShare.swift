// How much parity a store keeps: the key `parity` of `config`.

package struct ParityShare: Equatable, Sendable, CustomStringConvertible {
  /// The size of the parity of data, in percent of the data. 0: none is kept.
  package let percent: Int

  /// No parity.
  package static let none = ParityShare(percent: 0)
  package static let standard = ParityShare(percent: 2)

  private init(percent: Int) {
    self.percent = percent
  }

  /// Reads `none`, or a share of 1% to 50%. Nil for anything else.
  package init?(_ text: String) {
    if text == "none" {
      self = .none
      return
    }
    guard text.hasSuffix("%"), let percent = Int(text.dropLast()), (1...50).contains(percent) else { return nil }
    self.percent = percent
  }

  package var description: String { percent == 0 ? "none" : "\(percent)%" }

  /// One sector of parity protects so many sectors of a pack. Nil when there is no parity.
  var sectorsInGroup: Int? { percent == 0 ? nil : 100 / percent }
}
