// The rules for which target may import which, checked by reading the sources.

import MementoSystem
import TestSupport
import Testing

struct LayeringTests {
  private struct Source {
    let target: String
    let name: String
    let lines: [Substring]
  }

  /// The targets that build on each other, from the lowest to the highest.
  static let order = ["CMementoSystem", "MementoSystem", "MementoStore", "MementoKit", "MementoCLI", "memento"]

  /// Targets that are below the line of `order` or beside it.
  static let others: Set<String> = [
    "MementoTime", "MementoInode", "MementoModel", "MementoPattern", "MementoObjects", "MementoSeal", "MementoRemote",
    "MementoTar", "MementoDefaults", "MementoS3", "memento-remote-s3", "MementoText", "MementoBrowse",
  ]

  static let allowed: [String: Set<String>] = [
    "MementoTime": [],
    "MementoInode": ["MementoTime"],
    // No system call: what the compiler cannot find cannot be used.
    "MementoModel": ["CSHA256", "MementoInode", "MementoTime", "Crypto", "Synchronization"],
    "MementoPattern": ["MementoTime", "Synchronization", "Observation", "FoundationEssentials", "Foundation"],
    "MementoSystem": ["MementoInode", "MementoTime", "CMementoSystem", "Glibc", "Darwin", "Synchronization"],
    // Knows nothing of what the objects mean.
    "MementoObjects": ["MementoSystem", "MementoTime", "Glibc", "Darwin", "Synchronization"],
    // AES-GCM takes and gives the Data of Foundation.
    "MementoSeal": [
      "CScrypt", "MementoObjects", "MementoTime", "Crypto", "Synchronization", "FoundationEssentials",
      "Foundation",
    ],
    // No system call, no store, no clock.
    "MementoRemote": ["MementoObjects", "MementoModel", "MementoTime"],
    // No system call, no store.
    "MementoTar": ["MementoInode", "MementoTime"],
    "MementoStore": ["MementoModel", "MementoSystem", "CZlib", "CZstd", "Synchronization"],
    "MementoKit": [
      "MementoPattern", "MementoModel", "MementoStore", "MementoSystem", "MementoObjects", "MementoSeal",
      "MementoRemote", "MementoTar", "Synchronization", "FoundationEssentials", "Foundation",
    ],
    "MementoDefaults": ["MementoPattern", "Foundation"],
    // Pure but for the calendar of the C library.
    "MementoText": ["MementoModel", "Glibc", "Darwin"],
    // Knows the store only through the library, as the command line does, and the terminal.
    "MementoBrowse": ["MementoKit", "MementoText", "MementoSystem", "Synchronization", "Glibc", "Darwin"],
    // Nothing else knows a network.
    "MementoS3": [
      "MementoObjects", "MementoSystem", "MementoTime", "Crypto", "AsyncHTTPClient", "NIOCore", "NIOHTTP1", "NIOPosix",
      "NIOSSL", "Synchronization", "FoundationEssentials", "Glibc", "Darwin",
    ],
    "memento-remote-s3": ["MementoS3", "CHeap", "Glibc", "Darwin"],
    "memento": ["MementoCLI", "CStart"],
  ]

  /// What the command line must reach through MementoKit only.
  static let belowKit: Set<String> = [
    "MementoModel", "MementoInode", "MementoStore", "CMementoSystem", "CScrypt", "CSHA256", "CZlib", "CZstd",
  ]

  private let root: String
  private let sources: [Source]

  init() throws {
    root = #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined()
    var sources: [Source] = []
    var folders = ["Sources"]
    while let folder = folders.popLast() {
      let directory = try Descriptor.open("\(root)/\(folder)".bytes, .namedDirectory)
      let listing = try DirectoryListing(reading: directory)
      for index in 0..<listing.count {
        let name = String(decoding: listing.name(at: index), as: UTF8.self)
        if try directory.status(of: name.bytes).isDirectory {
          folders.append("\(folder)/\(name)")
        } else if name.hasSuffix(".swift") {
          let text = String(decoding: try directory.contents(of: name.bytes) ?? [], as: UTF8.self)
          let target = String(folder.split(separator: "/").dropFirst().first ?? "")
          sources.append(
            Source(
              target: target, name: "\(folder)/\(name)",
              lines: text.split(separator: "\n", omittingEmptySubsequences: false)))
        }
      }
    }
    self.sources = sources
  }

  /// The modules that a file imports, with or without an access level before `import`.
  private func imports(of source: Source) -> [String] {
    source.lines.compactMap { line in
      let words = line.split(separator: " ")
      guard let place = words.firstIndex(of: "import"), place + 1 < words.count,
        words[..<place].allSatisfy({ $0.hasPrefix("@") || accessLevels.contains($0) })
      else { return nil }
      // `import struct Module.Name` also names the module.
      let last = kinds.contains(words[place + 1]) ? words[place + 2] : words[place + 1]
      return String(last.prefix { $0 != "." })
    }
  }

  private let accessLevels: Set<Substring> = ["public", "package", "internal", "private", "fileprivate"]
  private let kinds: Set<Substring> = [
    "struct", "class", "enum", "protocol", "func", "typealias", "let", "var", "actor",
  ]

  @Test func thereAreSources() {
    #expect(Set(sources.map(\.target)) == Set(LayeringTests.order.dropFirst()).union(LayeringTests.others))
    #expect(sources.count > 30)
    let found = Set(sources.flatMap { imports(of: $0) })
    #expect(found.isSuperset(of: ["CMementoSystem", "Glibc", "CZlib", "Crypto", "Synchronization"]))
  }

  @Test(arguments: LayeringTests.allowed.keys.sorted())
  func importsOnlyWhatItMay(_ target: String) {
    let allowed = LayeringTests.allowed[target] ?? []
    for source in sources where source.target == target {
      let others = Set(imports(of: source)).subtracting(allowed)
      #expect(others.isEmpty, "\(source.name)")
    }
  }

  @Test func theCommandLineUsesOnlyTheKit() {
    for source in sources where source.target == "MementoCLI" {
      let below = Set(imports(of: source)).intersection(LayeringTests.belowKit)
      #expect(below.isEmpty, "\(source.name)")
    }
  }

  /// Every other command starts as if there were no browser.
  @Test func onlyItsCommandUsesTheBrowser() {
    let users = sources.filter { imports(of: $0).contains("MementoBrowse") }.map(\.name)
    #expect(users == ["Sources/MementoCLI/Commands/BrowseCommand.swift"])
  }

  @Test func onlyTheHelperOfBucketsUsesANetwork() {
    for source in sources where source.target != "MementoS3" {
      let network = imports(of: source).filter { $0.hasPrefix("NIO") || $0 == "AsyncHTTPClient" }
      #expect(network.isEmpty, "\(source.name)")
    }
  }

  /// MementoKit brings the model along for its public types. The others are in sight of the command line as well, and none
  /// of its business.
  @Test func theCommandLineUsesOnlyThePublicTypesOfTheModel() {
    var hidden: Set<Substring> = []
    for line in sources.filter({ $0.target == "MementoModel" }).flatMap(\.lines) {
      let words = line.split(whereSeparator: { !$0.isLetter && !$0.isNumber })
      guard line.hasPrefix("package "), let kind = words.firstIndex(where: { kinds.contains($0) }),
        kind + 1 < words.count,
        ["struct", "enum", "class", "protocol"].contains(words[kind])
      else { continue }
      hidden.insert(words[kind + 1])
    }
    #expect(hidden.isSuperset(of: ["ObjectID", "TreeReader", "NotedDifferences"]))
    for source in sources where ["MementoCLI", "MementoBrowse"].contains(source.target) {
      let words = source.lines.flatMap { line in
        line[..<(line.firstRange(of: "//")?.lowerBound ?? line.endIndex)]
          .split(whereSeparator: { !$0.isLetter && !$0.isNumber })
      }
      #expect(hidden.isDisjoint(with: words), "\(source.name)")
    }
  }

  /// The library brings no more of Foundation along than its essentials. Read from what the compiler has made.
  @Test(
    .enabled(if: Machine.has("nm"), "needs nm, of binutils"),
    arguments: [
      "MementoTime", "MementoInode", "MementoModel", "MementoPattern", "MementoSystem", "MementoObjects", "MementoSeal",
      "MementoStore", "MementoKit", "MementoText", "MementoBrowse",
    ])
  func linksNoMoreOfFoundationThanItMay(_ target: String) throws {
    let run = try Launch(["sh", "-c", "nm -u .build/debug/\(target).build/*.o"], in: root)
    #expect(run.status == 0, "\(run.errors)")
    let symbols = run.output.split(whereSeparator: \.isWhitespace)
    #expect(symbols.contains { $0.hasPrefix("$ss") })  // a symbol of the standard library
    // Symbols of the module Foundation begin with this. Those of FoundationEssentials begin with "$s20Foundation…".
    #expect(symbols.filter { $0.hasPrefix("$s10Foundation") }.isEmpty)
    if !["MementoPattern", "MementoSeal", "MementoKit"].contains(target) {
      #expect(symbols.filter { $0.contains("FoundationEssentials") }.isEmpty)
    }
  }

  @Test func noFileIsLong() {
    for source in sources {
      #expect(source.lines.count <= 501, "\(source.name)")  // 500 lines, and the empty rest after the last newline
    }
  }

  @Test func theTargetsFormALine() throws {
    let manifest = try Descriptor.open("\(root)/Package.swift".bytes, .namedFile).contents()
    let text = String(decoding: manifest, as: UTF8.self)
    var seen: [String] = []
    for piece in text.split(separator: "arget(").dropFirst() {
      // The first word is the name. The dependencies follow, up to the bracket that closes their list.
      guard let name = quoted(piece).first, LayeringTests.order.contains(name) else { continue }
      let dependencies = dependencies(in: piece)
      let ours = dependencies.filter { LayeringTests.order.contains($0) }
      #expect(seen.contains(name) == false)
      #expect(Set(ours).isSubset(of: seen), "\(name) uses what stands below it")
      if let last = seen.last { #expect(ours.contains(last), "\(name) does not use its neighbour") }
      seen.append(name)
    }
    #expect(seen == LayeringTests.order)
  }

  private func dependencies(in text: Substring) -> [String] {
    guard let start = text.firstRange(of: "dependencies: [") else { return [] }
    var depth = 1
    let list = text[start.upperBound...].prefix { character in
      if character == "[" { depth += 1 }
      if character == "]" { depth -= 1 }
      return depth > 0
    }
    return quoted(list)
  }

  private func quoted(_ text: Substring) -> [String] {
    let parts = text.split(separator: "\"", omittingEmptySubsequences: false)
    return parts.enumerated().filter { $0.offset % 2 == 1 }.map { String($0.element) }
  }
}
