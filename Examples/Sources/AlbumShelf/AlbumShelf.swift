// Albums on a shelf, and the place where the reader was: both are there again at the next start.

import MementoKit

struct Album: Codable {
  var title: String
  var artist: String
  var year: Int
}

struct Place: Memento {
  var row: Int

  var data: [String: Any] { ["row": row] }

  init(row: Int) {
    self.row = row
  }

  init?(data: [String: Any]) {
    guard let row = data["row"] as? Int else { return nil }
    self.row = row
  }
}

@main
struct AlbumShelf {
  /// For the first start.
  static let bundled = [Album(title: "Kind of Blue", artist: "Miles Davis", year: 1959)]

  static func main() throws {
    let words = Array(CommandLine.arguments.dropFirst())
    guard words.count == 1 || words.count == 4 else {
      print("usage: AlbumShelf FOLDER [TITLE ARTIST YEAR]")
      return
    }
    let caretaker = try RepositoryCaretaker(at: words[0])
    var albums = try caretaker.restore([Album].self, state: "albums") ?? bundled
    var place = try caretaker.place as Place? ?? Place(row: 0)

    if words.count == 4 {
      albums.append(Album(title: words[1], artist: words[2], year: Int(words[3]) ?? 0))
      place.row = albums.count - 1
      // Both or none.
      try caretaker.batch { batch in
        try batch.save(albums, for: "albums")
        try batch.save(memento: place, for: "place")
      }
    }
    for (row, album) in albums.enumerated() {
      print(row == place.row ? "*" : " ", "\(album.title), \(album.artist) (\(album.year))")
    }
  }
}
