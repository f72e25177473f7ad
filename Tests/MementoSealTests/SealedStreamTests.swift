import Crypto
import MementoObjects
import Testing

@testable import MementoSeal

struct SealedStreamTests {
  private let master: MasterKey
  private let name: ObjectName
  private let storage = MemoryObjects()

  init() throws {
    master = try Sample.master()
    name = try Sample.name("refs/a/1")
  }

  private func sealer(_ content: [UInt8], _ name: ObjectName? = nil) throws -> Sealer {
    try Sealer(ObjectBytes(content), as: name ?? self.name, master, salt: Sample.salt)
  }

  private func read(
    _ name: ObjectName? = nil, _ key: MasterKey? = nil, at offset: Int = 0, count: Int, header: SealedHeader? = nil
  ) throws(ObjectError) -> [UInt8] {
    let reader = SealedReader(name ?? self.name, key ?? master, in: storage)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
    defer { buffer.deallocate() }
    return Array(buffer.prefix(try reader.read(at: UInt64(offset), into: buffer, header: header).count))
  }

  /// The format cannot change unseen.
  @Test func isWhatItAlwaysWas() throws {
    #expect(Sample.hex(try sealer(Array("memento".utf8)).contents()) == Golden.object)
    let long = try sealer((0..<200_000).map { UInt8($0 % 251) }).contents()
    #expect(Sample.hex(SHA256.hash(data: long)) == Golden.longObject)
    storage[name] = try Sample.bytes(Golden.object)
    #expect(try read(count: 100) == Array("memento".utf8))
  }

  static let sizes = [0, 1, 2, 9, 100, 65535, 65536, 65537, 131_072, 131_073, 200_000, 400_000, 1_048_576, 2_500_000]

  @Test(arguments: sizes) func isReadAgain(_ size: Int) throws {
    let content = Sample.content(size)
    let sealer = try sealer(content)
    storage[name] = try sealer.contents()
    #expect(storage[name]?.count == Int(sealer.size))
    #expect(SealedStream.storedSize(of: UInt64(size)) == sealer.size)
    #expect(try sealer.contentHash() == storage[name].map { Array(SHA256.hash(data: $0)) })
    let before = storage.reads
    #expect(try read(count: size + 10) == content)
    // One request when it is short, and one more for the rest after an end that could not be known.
    #expect(storage.reads == before + 1)
    #expect(try read(count: size) == content)
    let header = try SealedReader(name, master, in: storage).header()
    #expect(header == sealer.header)
    #expect(header.size == UInt64(size))
    #expect(try read(count: size + 10, header: header) == content)
  }

  @Test func isSealedFromAnywhere() throws {
    let sealer = try sealer(Sample.content(200_000))
    let whole = try sealer.contents()
    for start in [0, 1, 15, 71, 72, 73, 65623, 65624, 65625, 131_176, 200_000, whole.count - 1, whole.count] {
      for count in [0, 1, 50, 65552, 70_000, whole.count] where start + count <= whole.count {
        #expect(try sealer.contents(start..<start + count) == Array(whole[start..<start + count]))
      }
    }
    #expect(throws: ObjectError.self) { try sealer.contents(whole.count..<whole.count + 1) }
    #expect(throws: ObjectError.self) { try sealer.contents(0..<whole.count + 1) }
  }

  @Test(arguments: [false, true]) func isReadFromAnywhere(_ isHeaderKnown: Bool) throws {
    let content = Sample.content(400_000)
    let sealer = try sealer(content)
    storage[name] = try sealer.contents()
    let header = isHeaderKnown ? sealer.header : nil
    for start in [0, 1, 65535, 65536, 65537, 262_143, 262_144, 300_000, 393_216, 399_999, 400_000, 1 << 40] {
      for count in [0, 1, 70_000, 200_000] {
        let part = Array(content.dropFirst(start).prefix(count))
        #expect(try read(at: start, count: count, header: header) == part)
      }
    }
  }

  /// A reader fetches the segments that it needs, and no more.
  @Test func readsWhatItNeeds() throws {
    let sealer = try sealer(Sample.content(1_000_000))
    storage[name] = try sealer.contents()
    _ = try read(at: 70_000, count: 10, header: sealer.header)
    #expect(storage.reads == 1)
    #expect(try #require(storage.lastRead) == (name, 72 + 65552, 65552))
    _ = try read(at: 65_530, count: 10, header: sealer.header)
    #expect(try #require(storage.lastRead) == (name, 72, 2 * 65552))
    _ = try read(at: 900_000, count: 10)
    #expect(storage.reads == 4)
  }

  @Test func longOnesAreReadInRuns() throws {
    let content = [UInt8](repeating: 7, count: 17 << 20)
    let sealer = try sealer(content)
    storage[name] = try sealer.contents()
    #expect(try read(count: content.count, header: sealer.header) == content)
    #expect(storage.reads == 2)
    #expect(try read(count: content.count) == content)
    #expect(storage.reads == 4)
  }

  @Test func newOnesDiffer() throws {
    let sealers = try (0..<2).map { _ in try Sealer(ObjectBytes([1, 2, 3]), as: name, master) }
    #expect(sealers[0].header.salt != sealers[1].header.salt)
    #expect(try sealers[0].contents() != sealers[1].contents())
  }

  /// Each flipped bit is an error.
  @Test(arguments: [0, 7, 300]) func findsEachFlip(_ size: Int) throws {
    let content = Sample.content(size)
    let sealed = try sealer(content).contents()
    for index in sealed.indices {
      for bit in [0, 4, 7] {
        var bytes = sealed
        bytes[index] ^= 1 << bit
        storage[name] = bytes
        do throws(ObjectError) {
          _ = try read(count: size + 1)
          Issue.record("byte \(index), bit \(bit)")
        } catch {
          #expect(error.kind == .damaged)
        }
      }
    }
    // The digit of a later version.
    var bytes = sealed
    bytes[15] = UInt8(ascii: "2")
    storage[name] = bytes
    do throws(ObjectError) { _ = try read(count: 1) } catch { #expect(error.kind == .newer) }
  }

  /// With the header known, a flip in the header does not matter, and all others are found.
  @Test func findsEachFlipBehindAKnownHeader() throws {
    let content = Sample.content(300)
    let sealer = try sealer(content)
    let sealed = try sealer.contents()
    for index in sealed.indices {
      var bytes = sealed
      bytes[index] ^= 1
      storage[name] = bytes
      do throws(ObjectError) {
        #expect(try read(count: 300, header: sealer.header) == content)
        #expect(index < SealedStream.headerSize)
      } catch {
        #expect(error.kind == .damaged)
      }
    }
  }

  @Test(arguments: [7, 65536, 140_000]) func findsWhatIsCutOrAppended(_ size: Int) throws {
    let content = Sample.content(size)
    let sealed = try sealer(content).contents()
    for count in [0, 1, 15, 16, 71, 72, 80, 87, 88, 65623, 65624, 65625, sealed.count - 16, sealed.count - 1]
    where count < sealed.count {
      storage[name] = Array(sealed[..<count])
      let error = #expect(throws: ObjectError.self) { try read(count: size) }
      #expect(error?.kind == .damaged)
    }
    for more in [[0], sealed, Array(sealed[72...])] {
      storage[name] = sealed + more
      for header in [nil, try sealer(content).header] {
        let error = #expect(throws: ObjectError.self) { try read(count: size, header: header) }
        #expect(error?.kind == .damaged)
      }
    }
  }

  @Test func findsSwappedSegments() throws {
    let sealed = try sealer(Sample.content(262_144)).contents()
    func segment(_ number: Int) -> ArraySlice<UInt8> { sealed[72 + number * 65552..<72 + (number + 1) * 65552] }
    for order in [[1, 0, 2, 3], [0, 2, 1, 3], [0, 1, 3, 2], [0, 0, 2, 3], [3, 1, 2, 3], [0, 1, 2, 2]] {
      storage[name] = Array(sealed[..<72]) + order.flatMap { segment($0) }
      let error = #expect(throws: ObjectError.self) { try read(count: 262_144) }
      #expect(error?.kind == .damaged)
    }
  }

  @Test func findsAnotherObjectInItsPlace() throws {
    let other = try Sample.name("refs/a/2")
    let content = Sample.content(300)
    storage[name] = try sealer(content).contents()
    storage[other] = storage[name]
    #expect(try read(count: 300) == content)
    #expect(throws: ObjectError.self) { try read(other, count: 300) }
    #expect(throws: ObjectError.self) { try read(nil, Sample.otherMaster(), count: 300) }
    // The header of one and the segments of another, of the same name and size.
    let new = try Sealer(ObjectBytes(content), as: name, master).contents()
    storage[name] = Array(try sealer(content).contents()[..<72] + new[72...])
    let error = #expect(throws: ObjectError.self) { try read(count: 300) }
    #expect(error?.kind == .damaged)
  }

  @Test func passesOnWhatTheStorageSays() throws {
    let error = #expect(throws: ObjectError.self) { try read(count: 300) }
    #expect(error?.kind == .notFound)
    #expect(throws: ObjectError.self) { try Sealer(EndlessSource(), as: name, master) }
  }

  private struct EndlessSource: ObjectSource {
    var size: UInt64 { .max }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(ObjectError) {}
  }
}
