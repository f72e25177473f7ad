// The names of what the store keeps for one folder alone.

extension ForkID {
  /// The name of a file that each folder of a store has for itself: that of the main folder has no suffix.
  package static func name(_ name: [UInt8], of fork: ForkID?) -> [UInt8] {
    fork.map { name + Array("-\($0)".utf8) } ?? name
  }
}
