// What a remote holds, and what a helper says: markers, key slots, records, sealed objects, frames.

@testable import MementoModel
@testable import MementoObjects
@testable import MementoRemote
@testable import MementoSeal

extension FuzzTarget {
  static let remoteTargets = [
    FuzzTarget("remote-marker", runMarker), FuzzTarget("key-slot", runSlot), FuzzTarget("sealed", runSealed),
    FuzzTarget("remote-refs", runRemoteRefs), FuzzTarget("remote-index", runRemoteIndex),
    FuzzTarget("remote-mark", runRemoteMark), FuzzTarget("remote-steps", runSteps), FuzzTarget("frames", runFrames),
  ]

  // MARK: Keys

  private static let runMarker: @Sendable ([UInt8]) -> Void = { input in
    guard let name = ObjectName("format/000102030405060708090a0b0c0d0e0f"),
      let marker = try? RepositoryMarker(input, name: name)
    else { return }
    promise(marker.name == name, "the marker of another repository")
    promise((try? RepositoryMarker(marker.text, name: name)) == marker, "a marker that comes back otherwise")
  }

  private static let runSlot: @Sendable ([UInt8]) -> Void = { input in
    _ = try? RecoveryKey(text: input)
    guard let name = ObjectName("keys/0001020304050607"), let slot = try? KeySlot(input, name: name) else { return }
    promise(slot.text == input && slot.name == name, "a slot that comes back otherwise")
    promise((slot.scrypt != nil) == (slot.kind == .passphrase), "a slot that does not say how to open it")
  }

  // MARK: Sealed objects

  /// Three bytes are the size of the content, one says which bytes, three say where a read begins, two how long it is. Each
  /// four bytes after them change the sealed object. What is read then is right, or refused.
  private static let runSealed: @Sendable ([UInt8]) -> Void = { input in
    guard input.count >= 9, let name = ObjectName("packs/0a/0a0b") else { return }
    func number(_ place: Int) -> Int { Int(input[place]) | Int(input[place + 1]) << 8 | Int(input[place + 2]) << 16 }
    let size = number(0) % 140_000
    let content = Array(pattern[Int(input[3])...].prefix(size))
    let sealed = sealedBytes(of: content, as: name)
    var bytes = sealed
    for start in stride(from: 9, to: min(input.count - 3, 64), by: 4) where !bytes.isEmpty {
      let place = number(start + 1) % bytes.count
      switch input[start] % 4 {
      case 0: bytes[place] ^= max(1, input[start] >> 2)
      case 1: bytes.removeSubrange(place...)
      case 2: bytes.insert(input[start], at: place)
      default: bytes[place] = input[start]
      }
    }
    let offset = number(4) % 150_000
    let end = min(size, offset + number(6) % 65_536)
    let wanted = offset < end ? Array(content[offset..<end]) : []
    do throws(ObjectError) {
      let found = try read(bytes, as: name, at: offset, count: wanted.count)
      promise(found == wanted, "a changed object that was read")
    } catch {
      promise(bytes != sealed, "an object that is whole and was refused: \(error)")
    }
    // What nobody has sealed.
    promise((try? read(input, as: name, at: 0, count: 10)) == nil, "an object that nobody has sealed")
  }

  private static let master = MasterKey()

  /// The content is cut from this: making it anew for each input took most of the time, and in a debug build so much that
  /// a few hundred inputs reached the time limit.
  private static let pattern: [UInt8] = (0..<140_256).map { UInt8(truncatingIfNeeded: $0 &* 31) }

  private static func sealedBytes(of content: [UInt8], as name: ObjectName) -> [UInt8] {
    do {
      let sealer = try Sealer(ObjectBytes(content), as: name, master)
      var bytes = [UInt8](repeating: 0, count: Int(sealer.size))
      try bytes.withUnsafeMutableBytes { try sealer.read(into: $0, at: 0) }
      return bytes
    } catch {
      fatalError("cannot seal: \(error)")
    }
  }

  private static func read(
    _ bytes: [UInt8], as name: ObjectName, at offset: Int, count: Int
  ) throws(ObjectError) -> [UInt8] {
    let reader = SealedReader(name, master) { (start, buffer) throws(ObjectError) in
      guard start < UInt64(bytes.count) else { return 0 }
      let part = bytes[Int(start)...].prefix(buffer.count)
      buffer.copyBytes(from: part)
      return part.count
    }
    var result = [UInt8](repeating: 0, count: count)
    var outcome = Result<Int, ObjectError>.success(0)
    result.withUnsafeMutableBytes { buffer in
      outcome = Result { () throws(ObjectError) in try reader.read(at: UInt64(offset), into: buffer).count }
    }
    return Array(result.prefix(try outcome.get()))
  }

  // MARK: Records

  /// The body of a record. Its first line, its checksum and its name are made right.
  private static let runRemoteRefs: @Sendable ([UInt8]) -> Void = { input in
    guard var reader = try? ByteReader(input, in: 0..<input.count), let writer = try? TableCodec.writerID(&reader),
      let number = try? reader.varint(), number > 0
    else { return }
    let name = RefsRecord.name(Dot(writer: writer, number: number))
    guard let record = try? RefsRecord(Envelope.seal("refs-record", 1, input), of: name) else { return }
    promise((try? RefsRecord(record.encoded(), of: name)) == record, "a refs record that comes back otherwise")
    for shown in ShownNames(record.table) { promise(!shown.text.isEmpty, "a name without a text") }
    var table = record.table
    table.merge(record.table)
    promise(table == record.table, "names that change when they meet themselves")
  }

  private static let runRemoteIndex: @Sendable ([UInt8]) -> Void = { input in
    guard let name = ObjectName("index/0a"),
      let record = try? IndexRecord(Envelope.seal("index-record", 1, input), of: name)
    else { return }
    promise((try? IndexRecord(record.encoded(), of: name)) == record, "an index that comes back otherwise")
  }

  private static let runRemoteMark: @Sendable ([UInt8]) -> Void = { input in
    guard let name = ObjectName("marks/0a"), let mark = try? MarkRecord(Envelope.seal("mark", 1, input), of: name)
    else { return }
    promise((try? MarkRecord(mark.encoded(), of: name)) == mark, "a mark that comes back otherwise")
  }

  private static let runSteps: @Sendable ([UInt8]) -> Void = { input in
    guard let steps = try? StepList(Envelope.seal("steps", 1, input)) else { return }
    promise((try? StepList(steps.encoded())) == steps, "steps that come back otherwise")
  }

  // MARK: The protocol of helpers

  /// Frames, one after the other, taken by both sides. Requests 1 to 5 are under way, one of each kind.
  private static let runFrames: @Sendable ([UInt8]) -> Void = { input in
    _ = Greeting(input.prefix(FrameLimit.greeting))
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 300, alignment: 1)
    defer { buffer.deallocate() }
    var state = HelperState(progress: 0)
    guard let name = ObjectName("packs/0a/0b") else { return }
    let requests: [ObjectRequest] = [
      .list(prefix: "packs/", page: nil), .size(name), .read(name, offset: 7, count: 300),
      .put(name, size: 3 << 20, isOnlyIfAbsent: true), .remove(name),
    ]
    for (number, request) in requests.enumerated() {
      state.pending[UInt32(number + 1)] = PendingRequest(
        request: request, buffer: number == 2 ? buffer : UnsafeMutableRawBufferPointer(start: nil, count: 0))
    }
    input.withUnsafeBytes { bytes in
      var rest = bytes
      while rest.count >= FrameLimit.header, let header = FrameHeader(rest) {
        rest = UnsafeRawBufferPointer(rebasing: rest[FrameLimit.header...])
        let payload = UnsafeRawBufferPointer(rebasing: rest[..<min(rest.count, header.length)])
        rest = UnsafeRawBufferPointer(rebasing: rest[payload.count...])
        take(header, payload, &state)
      }
    }
    promise(state.pending.count == requests.count, "a request that nobody answered is gone")
    for (_, entry) in state.pending {
      promise(entry.filled <= entry.buffer.count, "more bytes than there is room for")
      promise(entry.wantedBytes <= FrameLimit.wanted, "more is wanted than may be")
      promise(zip(entry.objects, entry.objects.dropFirst()).allSatisfy { $0.name < $1.name }, "no order")
    }
  }

  private static func take(_ header: FrameHeader, _ payload: UnsafeRawBufferPointer, _ state: inout HelperState) {
    _ = state.take(header, payload)
    if let error = ObjectError(payload, nil) {
      promise(error.reason.utf8.count <= 3 * FrameLimit.reason, "a reason that is too long")
    }
    guard let kind = FrameKind(rawValue: header.kind), let request = ObjectRequest(kind, payload) else { return }
    // What is not UTF-8 comes back as something else, and only lists have such texts.
    if case .list = request { return }
    let frame = request.frame(header.request)
    promise(frame.dropFirst(FrameLimit.header).elementsEqual(payload), "a request that comes back otherwise")
  }
}
