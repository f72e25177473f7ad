/// When to use colour.
enum ColorChoice: String, CaseIterable, Sendable {
  case auto
  case always
  case never
}
