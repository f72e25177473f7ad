// memento serve as ssh starts it: a process that is spoken to by its standard streams.

import MementoObjects
import MementoSystem
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

@Suite(.enabled(if: Machine.hasProgram, "the program is not built")) struct ServeTests {
  private struct Memory: ObjectSource {
    let bytes: [UInt8]
    var size: UInt64 { UInt64(bytes.count) }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(ObjectError) {
      buffer.copyBytes(from: bytes[Int(offset)..<Int(offset) + buffer.count])
    }
  }

  @Test func objectsGoThroughTheProgram() throws {
    signal(SIGPIPE, SIG_IGN)
    let folder = try TemporaryDirectory()
    for name in ["in", "out"] {
      try folder.descriptor.makeNode(name.bytes, kind: .fifo, permissions: 0o600, major: 0, minor: 0)
    }
    // A path with all that a shell would take apart.
    let program = try RunningProgram(
      ["/bin/sh", "-c", "exec \"$1\" serve --stdio \"$2\" <in >out", "sh", Machine.program, "a b;'$(x)\"*"],
      in: folder.path)
    // Each waits until the other side is there.
    let output = open("\(folder.path)/in", O_WRONLY | O_CLOEXEC)
    let input = open("\(folder.path)/out", O_RDONLY | O_CLOEXEC)
    try talk(HelperObjects(input: Descriptor(adopting: input), output: Descriptor(adopting: output)))
    // With the end of its input.
    let run = try program.wait(timeout: 60)
    #expect(run.status == 0)
    #expect(run.errors.isEmpty)
    #expect(try folder.names("a b;'$(x)\"*") == ["packs"])
  }

  private func talk(_ client: HelperObjects) throws {
    let content = Content.random(9 << 20, seed: 1)
    let name = try #require(ObjectName("packs/0a/one"))
    try client.put(Memory(bytes: content), as: name)
    #expect(try client.size(of: name) == UInt64(content.count))
    var found = [UInt8](repeating: 0, count: content.count)
    let count = try found.withUnsafeMutableBytes { try client.read(name, at: 0, into: $0) }
    #expect(count == content.count && found == content)
    #expect(try client.list("packs/", page: nil).objects.map(\.name) == [name])
  }

  @Test func rubbishIsRefusedInOneLine() throws {
    let folder = try TemporaryDirectory()
    let run = try Launch(
      [Machine.program, "serve", "--stdio", "remote"], in: folder.path, input: "GET / HTTP/1.1\r\n".bytes)
    #expect(run.status == 1)
    #expect(run.errors.hasPrefix("memento: ") && run.errors.split(separator: "\n").count == 1, "\(run.errors)")
    #expect(try Launch([Machine.program, "serve", "remote"], in: folder.path).status == 2)
    #expect(try Launch([Machine.program, "serve", "--stdio", "remote"], in: folder.path).status == 0)
    #expect(try folder.names().isEmpty)
  }
}
