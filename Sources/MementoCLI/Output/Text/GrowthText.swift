// What a person is asked, or told, when a save finds far more than the one before did.

import MementoKit

struct GrowthText {
  let form: TextForm

  /// The lines above the question: how much it is, and where most of it lies.
  func question(_ growth: FolderGrowth) -> String {
    var table = Table([.left, .right, .right])
    for part in growth.largest {
      table.add([
        Table.Cell(text: "  " + name(part)), Table.Cell(text: Quantity.count(part.files, "file")),
        Table.Cell(text: Quantity.bytes(part.bytes)),
      ])
    }
    let head = "memento: \(amount(growth))\(growth.largest.isEmpty ? "" : ", most of it in")"
    return ([head] + table.lines()).map { $0 + "\n" }.joined()
  }

  /// For where nobody can be asked.
  func refusal(_ growth: FolderGrowth) -> ErrorReport {
    var report = ErrorReport(.tooLarge, "nothing was saved: \(amount(growth))", advice: Advice.largeFolder)
    report.problems = growth.largest.map { part in
      Problem(
        path: part.isAlone ? part.path.appending(Array("*".utf8)) : part.path,
        message: "would add \(Quantity.count(part.files, "file")), \(Quantity.bytes(part.bytes))", isNote: false)
    }
    return report
  }

  /// The files right in a folder are written as a shell would: `src/*`.
  private func name(_ part: FolderGrowth.Part) -> String {
    guard part.isAlone else { return form.path(part.path) }
    return part.path.bytes.isEmpty ? "*" : form.path(part.path) + "/*"
  }

  private func amount(_ growth: FolderGrowth) -> String {
    let amount = "\(Quantity.count(growth.newFiles, "file")), \(Quantity.bytes(growth.newBytes))"
    let isFirst = growth.newFiles == growth.files && growth.newBytes == growth.bytes
    let text = isFirst ? "this folder has \(amount)" : "this folder has grown by \(amount)"
    guard let free = growth.free, free < growth.newBytes else { return text }
    return text + ", and the disk of the store has \(Quantity.bytes(free)) left"
  }
}
