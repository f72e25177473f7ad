// What a person is asked, or told, when a save finds far more than the one before did.

import MementoKit

struct GrowthText {
  let form: TextForm

  /// The lines above the question: how much it is, and where most of it lies.
  func question(_ growth: FolderGrowth) -> String {
    var table = Table([.left, .right, .right])
    for part in growth.largest {
      table.add([
        Table.Cell(text: "  " + form.path(part.path)), Table.Cell(text: Quantity.count(part.files, "file")),
        Table.Cell(text: Quantity.bytes(part.bytes)),
      ])
    }
    let head = "memento: \(amount(growth))\(growth.largest.isEmpty ? "" : ", most of it in")"
    return ([head] + table.lines()).map { $0 + "\n" }.joined()
  }

  /// For where nobody can be asked.
  func refusal(_ growth: FolderGrowth) -> ErrorReport {
    var report = ErrorReport(.tooLarge, "nothing was saved: \(amount(growth))", advice: Advice.largeFolder)
    report.problems = growth.largest.map {
      Problem(path: $0.path, message: "\(Quantity.count($0.files, "file")), \(Quantity.bytes($0.bytes))", isNote: false)
    }
    return report
  }

  private func amount(_ growth: FolderGrowth) -> String {
    let amount = "\(Quantity.count(growth.newFiles, "file")), \(Quantity.bytes(growth.newBytes))"
    let isFirst = growth.newFiles == growth.files && growth.newBytes == growth.bytes
    let text = isFirst ? "this folder has \(amount)" : "this folder has grown by \(amount)"
    guard let free = growth.free, free < growth.newBytes else { return text }
    return text + ", and the disk of the store has \(Quantity.bytes(free)) left"
  }
}
