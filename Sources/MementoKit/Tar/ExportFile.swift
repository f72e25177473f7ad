// The file of an export. It gets its name when it is whole and on the disk: nobody ever sees half an archive.

internal import MementoSystem

struct ExportFile {
  let path: BytePath

  /// Gives `body` a descriptor to write to. Refuses a name that something else than a file has, such as a device or a link:
  /// the archive would take its place.
  func write<Result>(
    _ body: (Int32) throws(RepositoryError) -> Result
  ) throws(RepositoryError) -> Result {
    guard let name = path.components.last, path.bytes.last != UInt8(ascii: "/"), !name.elementsEqual("..".utf8) else {
      throw RepositoryError(.invalidArgument, "\(path) is not the name of a file", path: path)
    }
    let above = path.bytes.dropLast(name.count)
    let folder = try attempting { () throws(Errno) in
      try Descriptor.open(above.isEmpty ? [UInt8(ascii: ".")] : Array(above), .namedDirectory)
    }
    if let status = try attempting({ () throws(Errno) in try folder.statusIfPresent(of: name) }), !status.isRegular {
      throw RepositoryError(.system, "\(path) is there and is not a regular file", path: path)
    }
    return try replace(name, in: folder, body)
  }

  private func replace<Result>(
    _ name: [UInt8], in folder: borrowing Descriptor, _ body: (Int32) throws(RepositoryError) -> Result
  ) throws(RepositoryError) -> Result {
    let temporary = Array(".\(String(UInt64.random(in: .min ... .max), radix: 36)).memento-tmp".utf8)
    let file = try attempting { () throws(Errno) in try folder.open(temporary, .create, permissions: 0o600) }
    do throws(RepositoryError) {
      let result = try body(file.raw)
      try attempting { () throws(Errno) in
        try file.setPermissions(0o666 & ~(Host.fileModeMask() ?? 0o022))
        try file.flush()
        try folder.rename(temporary, to: name, in: folder, .replace)
        try folder.flushDirectory()
      }
      return result
    } catch {
      folder.removeUnneeded(temporary)
      throw error
    }
  }

  private func attempting<Result: ~Copyable>(
    _ body: () throws(Errno) -> Result
  ) throws(RepositoryError) -> Result {
    do throws(Errno) {
      return try body()
    } catch {
      throw RepositoryError(.system, "cannot write \(path): \(error)", path: path, systemError: error.code)
    }
  }
}
