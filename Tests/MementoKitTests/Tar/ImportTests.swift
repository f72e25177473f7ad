// Archives of other programs, old forms, and what a snapshot cannot hold.

import MementoSystem
import TestSupport
import Testing

@testable import MementoKit

struct ImportTests {
  @Test(arguments: TarProgram.all.filter(\.isThere), FidelitySample.archived)
  func anImportGivesWhatUnpackingGives(_ program: TarProgram, _ sample: FidelitySample) throws {
    if sample.needsRoot, !isSuperuser { return }
    let fixture = try RepositoryFixture()
    let place = try FolderTools(making: "\(fixture.directory.path)/packed".bytes)
    try sample.make(place)
    let archive = "\(fixture.directory.path)/theirs.tar"
    let run = try Launch(program.pack + [archive, "-C", "\(fixture.directory.path)/packed", "."])
    #expect(run.status == 0, "\(run.errors)")
    #expect(try fixture.importArchive(archive).problems == [])
    // The folder that was packed is the judge: unpacking touches folders again to which the order of entries comes back.
    // Where the program does not pack all of it, unpacking is.
    let judge =
      program.packsAll(sample) ? try Manifest(place) : try Manifest(fixture.unpack(archive, with: .gnu))
    let restored = try Manifest(fixture.extractAsRecorded("imported"))
    #expect(restored.differences(from: judge) == [])
  }

  @Test(arguments: ["v7", "oldgnu", "gnu", "ustar", "posix"])
  func everyFormOfGNUTarIsRead(_ form: String) throws {
    let fixture = try RepositoryFixture()
    let place = try FolderTools(making: "\(fixture.directory.path)/packed".bytes)
    let long = String(repeating: "n", count: form == "v7" ? 50 : 90)
    try place.makeFolder("folder".bytes)
    try place.makeFolder("folder/\(long)".bytes)
    try place.write("folder/\(long)/file".bytes, Content.random(70_000, seed: 1))
    try place.makeLink("link".bytes, to: "folder".bytes)
    try place.makeHardLink("other".bytes, to: "folder/\(long)/file".bytes)
    if form.hasSuffix("gnu") || form == "posix" {
      try place.makeFolder("folder/\(long)/\(long)".bytes)
      try place.write("folder/\(long)/\(long)/deep".bytes, "deep".bytes)
    }
    let archive = "\(fixture.directory.path)/theirs.tar"
    let run = try Launch(
      ["tar", "--format=\(form)", "--numeric-owner", "-cf", archive, "-C", "\(fixture.directory.path)/packed", "."])
    #expect(run.status == 0, "\(run.errors)")
    #expect(try fixture.importArchive(archive).problems == [])
    let unpacked = try Manifest(fixture.unpack(archive, with: .gnu))
    #expect(try Manifest(fixture.extractAsRecorded("imported")).differences(from: unpacked) == [])
  }

  @Test(arguments: ["--format=oldgnu", "--sparse-version=0.0", "--sparse-version=0.1", "--sparse-version=1.0"])
  func everyFormOfHolesIsRead(_ form: String) throws {
    let fixture = try RepositoryFixture()
    let place = try FolderTools(making: "\(fixture.directory.path)/packed".bytes)
    try place.write("holes".bytes, [])
    try place.truncate("holes".bytes, to: 40 << 20)
    for number in 0..<30 { try place.patch("holes".bytes, Content.random(4096, seed: 5), at: number << 20) }
    let archive = "\(fixture.directory.path)/theirs.tar"
    let run = try Launch(
      [
        "tar", form.hasPrefix("--sp") ? "--format=posix" : "--sparse", form, "--sparse", "-cf", archive, "-C",
        "\(fixture.directory.path)/packed", ".",
      ])
    #expect(run.status == 0, "\(run.errors)")
    #expect(try fixture.importArchive(archive).problems == [])
    let restored = try fixture.extractAsRecorded("imported")
    #expect(try restored.read("holes".bytes) == place.read("holes".bytes))
    #expect(try Manifest(restored).entries["holes".bytes]?.extents.count ?? 0 > 20)
  }

  @Test func theLastEntryOfANameCounts() throws {
    var archive = HandMade()
    archive.add("a", content: "first".bytes)
    archive.add("link", type: "1", target: "a")
    archive.add("a", content: "second".bytes)
    archive.add("x/y/z", content: "deep".bytes)
    archive.add("x/", type: "5", mode: "0000700")
    archive.add("a/", type: "5")
    archive.add("b", type: "5")
    archive.add("b", content: "file".bytes)
    let fixture = try RepositoryFixture()
    #expect(try fixture.importArchive(archive.whole).problems == [])
    let place = try fixture.extractAsRecorded("imported")
    let manifest = try Manifest(place)
    #expect(try place.read("link".bytes) == "first".bytes)
    #expect(try place.read("x/y/z".bytes) == "deep".bytes)
    #expect(manifest.entries["x".bytes]?.mode == 0o700)
    #expect(manifest.entries["x/y".bytes]?.mode == 0o755)
    #expect(manifest.entries["a".bytes]?.isFolder == true)
    #expect(try place.read("b".bytes) == "file".bytes)
    #expect(manifest.entries["b".bytes]?.seconds == 100)
  }

  @Test func whatHasNoPlaceIsNamedAndTheRestIsThere() throws {
    var archive = HandMade()
    archive.add("../outside", content: "x".bytes)
    archive.add("/etc/passwd", content: "absolute".bytes)
    archive.add("a/../../b", content: "x".bytes)
    archive.add("s", type: "2", target: "/")
    archive.add("s/through", content: "x".bytes)
    archive.add(".memento/refs", content: "x".bytes)
    archive.add("deep/.MEMENTO", content: "x".bytes)
    archive.add("h", type: "1", target: "nowhere")
    archive.add("self", type: "1", target: "self")
    archive.add("up", type: "1", target: "../../etc/passwd")
    archive.add("volume", type: "M", content: "x".bytes)
    archive.add("owner", content: "x".bytes, user: [0x80, 0, 0, 1, 0, 0, 0, 0])
    archive.add("empty link", type: "2")
    archive.add("full/x", content: "x".bytes)
    archive.add("full", content: "x".bytes)
    archive.add("good", content: "good".bytes)
    let fixture = try RepositoryFixture()
    let before = try fixture.state
    let outside = try Manifest(fixture.outside)
    let summary = try fixture.importArchive(archive.whole)
    #expect(
      summary.problems.filter { !$0.isNote }.map(\.path.lossyText).sorted() == [
        "../outside", ".memento/refs", "a/../../b", "deep/.MEMENTO", "empty link", "full", "h", "owner", "s/through",
        "self", "up", "volume",
      ])
    #expect(summary.problems.filter(\.isNote).map(\.path.lossyText) == ["/etc/passwd"])
    #expect(!summary.snapshot.isComplete)
    #expect(try fixture.state.differences(from: before) == [])
    #expect(try Manifest(fixture.outside).differences(from: outside) == [])
    let place = try fixture.extractAsRecorded("imported")
    #expect(
      try place.names().sorted { $0.lexicographicallyPrecedes($1) }
        == ["etc", "full", "good", "owner", "s"].map(\.bytes))
    #expect(try place.read("etc/passwd".bytes) == "absolute".bytes)
  }

  @Test func damagedArchivesLeaveNothing() throws {
    var archive = HandMade()
    archive.add("a", content: Content.random(3000, seed: 1))
    archive.add("b", content: Content.random(3000, seed: 2))
    let fixture = try RepositoryFixture()
    let whole = archive.whole
    for count in [0, 1, 511, 512, 600, 3584, 4000, 7168, 7169] {
      #expect(code { try fixture.importArchive(Array(whole.prefix(count))) } == .damagedArchive, "\(count) bytes")
    }
    for place in [0, 100, 130, 156, 3600, 3700] {
      #expect(
        code { try fixture.importArchive(Content.flipping(whole, bit: place * 8)) } == .damagedArchive, "\(place)")
    }
    for bytes in [
      "hello".bytes, Content.random(5000, seed: 3), "BZh9".bytes, [0x1f, 0x8b, 8, 0], [0x28, 0xb5, 0x2f, 0xfd],
    ] {
      #expect(code { try fixture.importArchive(bytes) } == .damagedArchive)
    }
    #expect(try fixture.repository.states().isEmpty)
  }

  @Test func hugeDeclarationsAreRefused() throws {
    let fixture = try RepositoryFixture()
    func refuses(_ make: (inout HandMade) -> Void) {
      var archive = HandMade()
      make(&archive)
      #expect(code { try fixture.importArchive(archive.whole) } == .damagedArchive)
    }
    refuses { $0.add("x", type: "x", size: "77777777777".bytes) }
    refuses { $0.add("x", type: "L", size: [0x80, 0, 0, 0, 0x7f] + [UInt8](repeating: 0xff, count: 7)) }
    refuses { $0.add("f", size: [0x80, 0, 0, 0, 0x7f] + [UInt8](repeating: 0xff, count: 7)) }
    refuses { $0.add("f", size: [UInt8](repeating: 0xff, count: 12)) }
    refuses {
      $0.add(records: [("size", "99999999999999999999")])
      $0.add("f")
    }
    for map in ["9223372036854775807,1", "0,5,3,1", "10,1", "0,18446744073709551615", "1"] {
      refuses {
        $0.add(records: [("GNU.sparse.size", "5"), ("GNU.sparse.map", map)])
        $0.add("f", content: "x".bytes)
      }
    }
    refuses {
      $0.add(records: [("GNU.sparse.major", "1"), ("GNU.sparse.minor", "0"), ("GNU.sparse.realsize", "9")])
      $0.add("f", content: "99999999999\n".bytes + [UInt8](repeating: 0, count: 500))
    }
  }

  @Test func namesOfAnyBytesAndLargeNumbersComeOver() throws {
    var archive = HandMade()
    archive.add("long/name", type: "L", content: Array(repeating: "d/".bytes, count: 200).flatMap { $0 } + [0xff, 0])
    archive.add("short", content: "x".bytes)
    archive.add(records: [("mtime", "-1.5"), ("uid", "4000000000"), ("SCHILY.xattr.user.a%3Db", "v")], type: "x")
    archive.add("pax", content: "y".bytes, prefix: "in/a/prefix")
    let fixture = try RepositoryFixture()
    #expect(try fixture.importArchive(archive.whole).problems == [])
    let entry = try fixture.repository.entry("imported", path: "in/a/prefix/pax")
    #expect(entry.user == 4_000_000_000)
    let deep = BytePath(Array(repeating: "d/".bytes, count: 200).flatMap { $0 } + [0xff])
    #expect(try fixture.repository.entry("imported", path: deep).size == 1)
  }

  @Test func aDryRunAndNoClobberChangeNothing() throws {
    var archive = HandMade()
    archive.add("a", content: "a".bytes)
    let fixture = try RepositoryFixture()
    var options = ImportOptions()
    options.isDryRun = true
    try fixture.directory.write("bytes.tar", archive.whole)
    let path = "\(fixture.directory.path)/bytes.tar"
    #expect(try !fixture.importArchive(path, as: "n", options).isCommitted)
    #expect(try fixture.repository.states().isEmpty)
    try fixture.save("n")
    options.isDryRun = false
    options.noClobber = true
    #expect(code { try fixture.importArchive(path, as: "n", options) } == .nameInUse)
    options.noClobber = false
    options.message = "why"
    let summary = try fixture.importArchive(path, as: "n", options)
    #expect(summary.replaced != nil && summary.snapshot.message == "why")
    #expect(try ReceivedMark(fixture.repository).isSet())
  }
}
