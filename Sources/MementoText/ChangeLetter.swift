// The letter before a path that has changed, as in git.

package import MementoModel

package enum ChangeLetter {
  package static func of(_ kind: ChangeKind) -> String {
    switch kind {
    case .added: "A"
    case .modified: "M"
    case .removed: "D"
    case .type: "T"
    case .metadata: "m"
    case .renamed: "R"
    default: "?"
    }
  }
}
