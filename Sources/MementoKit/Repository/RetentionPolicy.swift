// How long things are kept that have no name, and how much space they may take: the keys `keep`, `trash`, `max-size` and
// `auto-gc` of the config. The defaults stand here and nowhere else.

/// What gc keeps beside named states, which never expire.
public struct RetentionPolicy: Equatable, Sendable {
  /// How long unnamed snapshots and the steps of the timeline are kept: those that are younger, and at least so many.
  public struct Keep: Equatable, Sendable {
    /// What is younger stays, in seconds that the store has seen pass.
    public var seconds: UInt64
    /// So many of the newest stay, however old they are.
    public var count: Int

    /// `seconds`: 0 or more. `count`: 0 or more.
    public init(seconds: UInt64, count: Int) {
      self.seconds = seconds
      self.count = count
    }

    /// Reads `30d, 200`, an age and a number in any order. One that is left out has its default. Nil for any other text.
    public init?(_ text: String) {
      self = RetentionPolicy.standard.keep
      var hasAge = false
      var hasCount = false
      let parts = text.split(separator: ",", omittingEmptySubsequences: false)
      for part in parts.map(RetentionPolicy.trimmed) {
        if let count = RetentionPolicy.count(part), !hasCount {
          self.count = count
          hasCount = true
        } else if let seconds = AgeText.seconds(part), !hasAge {
          self.seconds = seconds
          hasAge = true
        } else {
          return nil
        }
      }
    }

    /// The text as it stands in the config, such as `30d, 200`.
    public var text: String { "\(AgeText.text(seconds)), \(count)" }
  }

  /// The most space that a store may take.
  public struct Budget: Equatable, Sendable {
    private enum Kind: Equatable {
      case bytes(UInt64)
      case percent(UInt64)
    }

    private let kind: Kind

    /// Reads a size such as `500M` or `5G`, or a share of the disk such as `10%`, from 1 to 100. Nil for any other text.
    public init?(_ text: String) {
      let text = RetentionPolicy.trimmed(text[...])
      if text.last == "%" {
        guard let percent = RetentionPolicy.count(RetentionPolicy.trimmed(text.dropLast())), (1...100).contains(percent)
        else { return nil }
        kind = .percent(UInt64(percent))
      } else {
        guard let bytes = SizeText.bytes(text) else { return nil }
        kind = .bytes(bytes)
      }
    }

    /// A budget in bytes.
    public init(bytes: UInt64) {
      kind = .bytes(bytes)
    }

    /// Whether it is a share of the disk.
    var isShare: Bool { if case .percent = kind { true } else { false } }

    /// The bytes of the budget on a disk of so many bytes.
    public func bytes(ofDisk size: UInt64) -> UInt64 {
      switch kind {
      case .bytes(let bytes): bytes
      case .percent(let percent): size / 100 * percent
      }
    }

    /// The text as it stands in the config: bytes, as `5G` where that is exact, or a share.
    public var text: String {
      switch kind {
      case .percent(let percent): return "\(percent)%"
      case .bytes(let bytes):
        for (shift, unit) in [(40, "T"), (30, "G"), (20, "M"), (10, "k")] as [(UInt64, String)]
        where bytes > 0 && bytes % (1 << shift) == 0 {
          return "\(bytes >> shift)\(unit)"
        }
        return "\(bytes)"
      }
    }
  }

  /// For unnamed snapshots and the steps of the timeline.
  public var keep: Keep
  /// How long deleted states, replaced values and what undo left behind are kept, in seconds that the store has seen pass.
  public var trash: UInt64
  /// The most space that the store may take; nil for no limit. It goes before `keep` and `trash`.
  public var budget: Budget?
  /// Whether saves tidy up the store after their commit, a little at a time.
  public var isAutomatic: Bool

  /// A policy with these values.
  public init(keep: Keep, trash: UInt64, budget: Budget?, isAutomatic: Bool) {
    self.keep = keep
    self.trash = trash
    self.budget = budget
    self.isAutomatic = isAutomatic
  }

  /// The policy of a store whose config says nothing.
  public static let standard = RetentionPolicy(
    keep: Keep(seconds: 30 * 86400, count: 200), trash: 14 * 86400, budget: nil, isAutomatic: true)

  /// Reads the text of an age such as `14d`, in seconds. Nil for any other text.
  public static func seconds(ofAge text: String) -> UInt64? { AgeText.seconds(text) }

  /// The keys in the config with their values as texts. A limit that is not set is `none`.
  public var texts: [(key: String, value: String)] {
    [
      ("keep", keep.text), ("trash", AgeText.text(trash)), ("max-size", budget?.text ?? "none"),
      ("auto-gc", isAutomatic ? "true" : "false"),
    ]
  }

  private static func trimmed(_ text: Substring) -> Substring {
    var text = text
    while text.first?.isWhitespace == true { text.removeFirst() }
    while text.last?.isWhitespace == true { text.removeLast() }
    return text
  }

  /// Digits only, and no more than any number of snapshots.
  static func count(_ text: Substring) -> Int? {
    guard !text.isEmpty, text.utf8.count <= 12, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int(text)
  }
}
