// The entries of a folder in a snapshot, in the form of `ls`.

import MementoKit

struct EntryTable {
  /// The number of lines that are aligned together. A folder may have millions of entries, too many to align at once.
  static let batch = 2000

  let form: TextForm

  /// The name only.
  func line(_ path: BytePath, _ entry: FileEntry) -> String {
    painted(TerminalText.escaped(path), entry)
  }

  /// The columns of `ls -ln`: mode, owner, group, size, time, name, and the target of a link.
  func lines(_ entries: [(path: BytePath, entry: FileEntry)]) -> [String] {
    var table = Table([.left, .right, .right, .right, .left, .left])
    for (path, entry) in entries {
      let size = entry.device.map { "\($0.major), \($0.minor)" } ?? String(entry.size)
      let target = entry.target.map { " -> " + TerminalText.escaped($0) } ?? ""
      let name = TerminalText.escaped(path)
      table.add([
        Table.Cell(text: EntryTable.mode(entry)), Table.Cell(text: String(entry.user)),
        Table.Cell(text: String(entry.group)), Table.Cell(text: size), Table.Cell(text: form.time(entry.modified)),
        Table.Cell(text: name + target, paint: { _ in painted(name, entry) + target }),
      ])
    }
    return table.lines()
  }

  /// The path's bytes and NUL. With `isLong`, these fields come first, each followed by a tab: mode in octal, owner,
  /// group, size, time.
  static func record(_ path: BytePath, _ entry: FileEntry, isLong: Bool) -> [UInt8] {
    guard isLong else { return path.bytes + [0] }
    let fields = [
      PatchText.octal(entry.mode), String(entry.user), String(entry.group), String(entry.size),
      entry.modified.rfc3339,
    ]
    return Array((fields.joined(separator: "\t") + "\t").utf8) + path.bytes + [0]
  }

  private func painted(_ name: String, _ entry: FileEntry) -> String {
    switch entry.type {
    case .directory: form.style.folder(name)
    case .link: form.style.name(name)
    default: name
    }
  }

  /// Type and permissions, for example `drwxr-xr-x`.
  static func mode(_ entry: FileEntry) -> String {
    var text = "-"
    switch entry.type {
    case .directory: text = "d"
    case .link: text = "l"
    case .fifo: text = "p"
    case .characterDevice: text = "c"
    case .blockDevice: text = "b"
    default: break
    }
    let bits = entry.permissions
    let special: [(UInt32, String, String)] = [(0o4000, "s", "S"), (0o2000, "s", "S"), (0o1000, "t", "T")]
    for (place, (flag, set, unset)) in special.enumerated() {
      let part = bits >> UInt32(6 - place * 3)
      text += part & 4 != 0 ? "r" : "-"
      text += part & 2 != 0 ? "w" : "-"
      if bits & flag != 0 {
        text += part & 1 != 0 ? set : unset
      } else {
        text += part & 1 != 0 ? "x" : "-"
      }
    }
    return text
  }
}
