import MementoSystem
import TestSupport
import Testing

/// The documentation must compile: the code blocks of each page, one after the other, are one program.
@Suite struct DocumentationTests {
  static let pages =
    ["README.md"]
    + ["KeepingValues", "UndoAndRedo", "SavingFolders", "ClassicExamples"].map {
      "Sources/MementoKit/MementoKit.docc/\($0).md"
    }

  private func text(_ page: String) throws -> String {
    let file = try Descriptor.open("\(Machine.packageFolder)/\(page)".bytes, .namedFile)
    return String(decoding: try file.contents(), as: UTF8.self)
  }

  private func program(_ page: String) throws -> String {
    var code = ""
    for (number, part) in try text(page).split(separator: "```", omittingEmptySubsequences: false).enumerated()
    where number % 2 == 1 && part.hasPrefix("swift\n") {
      code += part.dropFirst(6)
    }
    return code
  }

  @Test(.enabled(if: Machine.hasCompiler, "needs swiftc in the path"), arguments: pages)
  func codeCompiles(_ page: String) throws {
    let code = try program(page)
    #expect(code.contains("import MementoKit"))
    let directory = try TemporaryDirectory()
    try directory.write("main.swift", code.bytes)
    let package = Machine.packageFolder
    let maps =
      ["CMementoSystem", "CScrypt", "CSHA256"].map { "\(package)/.build/debug/\($0).build" }
      + ["CZlib", "CZstd"].map { "\(package)/Sources/\($0)" }
    let compiler = try Launch(
      ["swiftc", "-typecheck", "-swift-version", "6", "-warnings-as-errors", "-I", "\(package)/.build/debug/Modules"]
        + maps.flatMap { ["-Xcc", "-fmodule-map-file=\($0)/module.modulemap"] } + ["\(directory.path)/main.swift"],
      in: directory.path, environment: ["PATH": Machine.path, "HOME": directory.path])
    #expect(compiler.status == 0, "\(compiler.errors)")
  }

  /// Users of the library get documentation for every public symbol.
  @Test func everyPublicSymbolIsDocumented() throws {
    var folders = ["Sources/MementoKit", "Sources/MementoModel", "Sources/MementoPattern", "Sources/MementoDefaults"]
    var undocumented: [String] = []
    while let folder = folders.popLast() {
      let directory = try Descriptor.open("\(Machine.packageFolder)/\(folder)".bytes, .namedDirectory)
      let listing = try DirectoryListing(reading: directory)
      for index in 0..<listing.count {
        let name = String(decoding: listing.name(at: index), as: UTF8.self)
        if try directory.status(of: name.bytes).isDirectory {
          folders.append("\(folder)/\(name)")
        } else if name.hasSuffix(".swift") {
          undocumented += undocumentedLines(in: try text("\(folder)/\(name)")).map { "\(folder)/\(name): \($0)" }
        }
      }
    }
    #expect(undocumented == [])
  }

  private func undocumentedLines(in text: String) -> [String] {
    var result: [String] = []
    var isDocumented = false
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      let words = line.drop { $0 == " " }
      if words.hasPrefix("public "), !words.hasPrefix("public import"), !isDocumented { result.append(String(words)) }
      if !words.hasPrefix("@") || words.contains(" ") { isDocumented = words.hasPrefix("///") }
    }
    return result
  }
}
