// Names that several machines have moved, and names that came from another machine.

import MementoSystem
import TestSupport
import Testing

@testable import MementoKit

struct SharedNamesTests {
  private typealias Machine = RemoteTests.Machine

  private let place: RemotePlace
  private var url: RemoteURL { place.url }

  init() throws {
    place = try RemotePlace()
  }

  /// `log --all` knows what has a name, also what was never a step of this folder.
  @Test func allHistoryHasStatesOfOthers() throws {
    let one = try Machine("one")
    try one.write("file", "1")
    try one.save("a")
    try one.write("file", "2")
    try one.save("b")
    try one.fixture.repository.saveValues([NamedValue(name: "v", bytes: "3".bytes)])
    try one.add(url)
    try one.push()
    let two = try Machine("two")
    try two.write("other", "x")
    try two.save("own")
    try two.add(url)
    try two.pull()
    var options = LogOptions()
    options.showsAll = true
    let all = try two.fixture.reopened().log(options)
    #expect(all.map(\.names) == [["own"], ["v"], ["b"], ["a"]], "\(all)")
    #expect(all.map { $0.marks.map(\.description) } == [[], [], ["named"], ["named"]])
    #expect(try two.fixture.reopened().log().map(\.names) == [["own"]])
  }

  /// Whoever wants to keep what is here pulls, and pushes the name: also where the other value has the name itself.
  @Test func aConflictIsSettledByAPush() throws {
    let one = try Machine("one")
    try one.write("file", "1")
    try one.save("work")
    try one.add(url)
    try one.push()
    let two = try Machine("two")
    try two.add(url)
    try two.pull()
    try one.write("file", "of one")
    try one.save("work")
    try one.push()
    try two.write("file", "of two")
    let mine = try two.save("work")
    let pushed = try two.push()
    #expect(pushed.moves.map(\.kind) == [.conflict] && pushed.moves[0].otherName == "work")
    // That alone settles nothing.
    #expect(try two.push("work").moves.map(\.kind) == [.conflict])
    _ = try two.pull()
    #expect(try two.names["work"] == mine)
    _ = try two.push("work")
    #expect(try two.repository.states(ofRemote: "origin").map(\.snapshot) == [mine])
    #expect(try one.pull().moves.map(\.kind) == [.moved])
    #expect(try one.names["work"] == mine)
  }
}
