// Rearranges the parser's help screen: the options of the command come before the global options.

enum HelpText {
  static func arranged(_ screen: String) -> String {
    var sections: [[Substring]] = [[]]
    for line in screen.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.isEmpty { sections.append([]) } else { sections[sections.count - 1].append(line) }
    }
    sections.removeAll { $0.isEmpty }
    if let global = sections.firstIndex(where: { $0.first == "GLOBAL OPTIONS:" }),
      let own = sections.firstIndex(where: { $0.first == "OPTIONS:" }), global < own
    {
      sections.insert(sections.remove(at: global), at: own)
    }
    let text = sections.map { $0.joined(separator: "\n") }.joined(separator: "\n\n")
    let title = "OVERVIEW: "
    return text.hasPrefix(title) ? String(text.dropFirst(title.count)) : text
  }
}
