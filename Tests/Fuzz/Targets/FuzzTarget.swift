// What the fuzzer can call: for each form that a store holds, a function that decodes any bytes. A decoder may refuse
// them. It must not trap, must not take memory or time that the bytes do not justify, and what it accepts must come back
// the same when it is encoded again.

/// A decoder with everything around it that mutated bytes could not get past, such as a checksum.
public struct FuzzTarget: Sendable {
  /// The name of its folder of inputs.
  public let name: String
  /// Makes a function that decodes bytes, and traps when the decoder breaks a promise. The function may use files of its
  /// own, which are removed with it.
  public let make: @Sendable () throws -> ([UInt8]) -> Void

  init(making name: String, _ make: @escaping @Sendable () throws -> ([UInt8]) -> Void) {
    self.name = name
    self.make = make
  }

  /// For a decoder that needs no files.
  init(_ name: String, _ run: @escaping @Sendable ([UInt8]) -> Void) {
    self.init(making: name) { run }
  }

  /// All of them, by name.
  public static let all = (storeTargets + modelTargets + folderTargets + remoteTargets + archiveTargets).sorted {
    $0.name < $1.name
  }
}

/// Ends the process with a message when a promise is broken, in release builds as well.
func promise(_ holds: @autoclosure () -> Bool, _ text: @autoclosure () -> String) {
  if !holds() { fatalError(text()) }
}
