import MementoPattern

/// A memento of whatever it is given.
struct Parts: Memento {
  var data: [String: Any]

  init(_ data: [String: Any]) {
    self.data = data
  }

  init?(data: [String: Any]) {
    self.data = data
  }
}
