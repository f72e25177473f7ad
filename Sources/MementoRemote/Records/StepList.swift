// The steps of a writer's timeline, as a blob in a pack: `push --all` stores it, and the writer's position names it.

package import MementoModel
package import MementoTime

/// The steps that a folder went through, oldest first, and the current one of them.
package struct StepList: Equatable, Sendable {
  package enum Operation: UInt8, Sendable, CaseIterable {
    case save = 1
    case restore = 2
    /// The folder was saved before a restore, undo or redo changed it.
    case guarded = 3
  }

  package struct Step: Equatable, Sendable {
    package var operation: Operation
    package var time: Timestamp
    package var snapshot: ObjectID
    /// The only paths that the step changed. Empty for a step of the whole folder.
    package var paths: [[UInt8]]

    package init(operation: Operation, time: Timestamp, snapshot: ObjectID, paths: [[UInt8]] = []) {
      self.operation = operation
      self.time = time
      self.snapshot = snapshot
      self.paths = paths
    }
  }

  static let mostSteps = 10_000
  /// No list is larger, in bytes.
  package static let largest = Envelope.largest

  package var steps: [Step]
  /// The index of the current step. Nil only when there are no steps.
  package var position: Int?

  package init(steps: [Step], position: Int?) {
    self.steps = steps
    self.position = position
  }

  package func encoded() -> [UInt8] {
    var writer = ByteWriter(capacity: steps.count * 48)
    writer.varint(UInt64((position ?? -1) + 1))
    writer.varint(UInt64(steps.count))
    for step in steps {
      writer.u8(step.operation.rawValue)
      TableCodec.put(time: step.time, &writer)
      writer.id(step.snapshot)
      writer.varint(UInt64(step.paths.count))
      for path in step.paths { writer.text(path) }
    }
    return Envelope.seal("steps", 1, writer.bytes)
  }

  /// Whether this can be the name of a file in a folder.
  private static func isName(_ part: ArraySlice<UInt8>) -> Bool {
    !part.isEmpty && !part.elementsEqual(".".utf8) && !part.elementsEqual("..".utf8)
  }

  package init(_ bytes: [UInt8]) throws(RemoteError) {
    var reader = try Envelope.open(bytes, "steps", 1, nil)
    self = try Envelope.checking(nil) { () throws(FormatError) in
      let current = try reader.count(atMost: StepList.mostSteps)
      var steps: [Step] = []
      for _ in 0..<(try reader.count(atMost: StepList.mostSteps)) {
        guard let operation = Operation(rawValue: try reader.u8()) else {
          throw FormatError("a step has an unknown operation")
        }
        var step = Step(operation: operation, time: try TableCodec.time(&reader), snapshot: try reader.id())
        for _ in 0..<(try reader.count(atMost: reader.remaining)) {
          let path = try reader.bytes(atMost: reader.remaining)
          let parts = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
          guard !path.contains(0), parts.allSatisfy(StepList.isName) else { throw FormatError("a path is not valid") }
          step.paths.append(path)
        }
        steps.append(step)
      }
      try reader.finish()
      guard current <= steps.count, (current == 0) == steps.isEmpty else {
        throw FormatError("its position is not that of a step")
      }
      return StepList(steps: steps, position: current == 0 ? nil : current - 1)
    }
  }
}
