import Testing

@testable import MementoKit

/// What is a remote and what is none.
@Suite struct RemoteURLTests {
  private func refusal(_ text: String) -> RepositoryError? {
    do throws(RepositoryError) {
      _ = try RemoteURL(text)
      return nil
    } catch {
      return error
    }
  }

  @Test func aFolder() throws {
    let url = try RemoteURL("file:///mnt/a%20b/c%ff")
    #expect(url.engine == .file)
    #expect(url.path == BytePath(Array("/mnt/a b/c".utf8) + [0xFF]))
    #expect(url.host == nil && url.user == nil && url.port == nil && url.parameters.isEmpty)
    #expect(url.description == "file:///mnt/a%20b/c%ff")
    #expect(try RemoteURL("file://localhost/a").path == BytePath("/a"))
    // A question mark is a character of a name here.
    #expect(try RemoteURL("file:///a?b=c").path == BytePath("/a?b=c"))
  }

  @Test func aFolderByItsPath() throws {
    let path = BytePath(Array("/a b/50%?#\n".utf8) + [0xFF])
    #expect(try RemoteURL(folder: path).path == path)
    #expect(try RemoteURL(folder: "/mnt/a").description == "file:///mnt/a")
    #expect(throws: RepositoryError.self) { try RemoteURL(folder: "/") }
  }

  @Test func aMachine() throws {
    let url = try RemoteURL("ssh://ada@box.example:2222/srv/backup")
    #expect(url.engine == .ssh)
    #expect(url.user == "ada" && url.host == "box.example" && url.port == 2222)
    #expect(url.path == BytePath("/srv/backup"))
    let plain = try RemoteURL("ssh://box/a")
    #expect(plain.user == nil && plain.host == "box" && plain.port == nil)
    let address = try RemoteURL("ssh://[fe80::1%eth0]:22/a")
    #expect(address.host == "fe80::1%eth0" && address.port == 22)
    #expect(try RemoteURL("ssh://[::1]/a").host == "::1")
    #expect(try RemoteURL("ssh://box/it%27s;$(x)").path == BytePath("/it's;$(x)"))
  }

  @Test func aBucket() throws {
    let url = try RemoteURL("s3://bucket/one/two/?endpoint=https%3A%2F%2Fs3.example%3A9000&region=eu&path-style=true")
    #expect(url.engine == .s3 && url.host == "bucket" && url.path == BytePath("one/two"))
    #expect(url.parameters.map(\.key) == ["endpoint", "region", "path-style"])
    #expect(url.parameters.map(\.value) == ["https://s3.example:9000", "eu", "true"])
    #expect(try RemoteURL("s3://bucket").path == BytePath(""))
    #expect(try RemoteURL("s3://bucket/").path == BytePath(""))
    #expect(try RemoteURL("s3://bucket?region=x").parameters.count == 1)
  }

  /// What it means is the business of its helper, so no more is looked at than that it holds no password.
  @Test func anotherEngine() throws {
    let url = try RemoteURL("rclone2://place/a%20b?c=d")
    #expect(url.engine.description == "rclone2" && url.host == "place" && url.path == BytePath("/a b?c=d"))
    #expect(url.user == nil && url.port == nil && url.parameters.isEmpty)
    #expect(try RemoteURL("x:///a").host == nil)
    #expect(try RemoteURL("http://ann@box/a").engine.description == "http")
  }

  static let wrong = [
    "", "a", "/mnt/a", "box:/a", "Http://box/a", "2x://a", "-x://a", "a/b://c", "abcdefghijklmnopq://a",
    "x://ann:secret@box/a", "x://ann@home:secret@box/a",
    "file://", "file:///", "file:////", "file://box/a", "file:///a%0",
    "file:///a%zz", "file:///a%00", "file:///a b", "file:///a\n", "ssh://", "ssh://box", "ssh://box/", "ssh:///a",
    "ssh://-oProxyCommand=x/a", "ssh://-l@box/a", "ssh://@box/a", "ssh://a b@box/a", "ssh://box:/a", "ssh://box:0/a",
    "ssh://box:65536/a", "ssh://box:+22/a", "ssh://box:2x/a", "ssh://::1/a", "ssh://[::1/a", "ssh://[]/a",
    "ssh://[-x]/a", "ssh://bo'x/a", "ssh://box;x/a", "s3://", "s3:///a", "s3://-b/a", "s3://b:9/a", "s3://a@b/c",
    "s3://b/a?x=y", "s3://b/a?region", "s3://b?region=%f", "s3://b?region=%ff", "SSH://box/a",
  ]

  @Test(arguments: wrong)
  func whatIsNone(_ text: String) throws {
    let error = try #require(refusal(text))
    #expect(error.code == .invalidArgument && error.reason == .unusableURL)
    #expect(!error.message.contains("\n") || text.contains("\n"))
  }

  @Test(arguments: [
    "ssh://ada:hush@box/a", "ssh://ada:hu@hush@box/a", "s3://key:hush@bucket/a", "file://ada:hush@box/a",
    "http://ada:hush@box", "s3://bucket/a?secret=hush", "s3://bucket/a?hush",
  ])
  func noPasswordIsTakenOrShown(_ text: String) throws {
    let error = try #require(refusal(text))
    #expect(!error.message.contains("hush"), "\(error.message)")
    #expect(error.message.contains("…"))
  }

  @Test func oneThatIsTooLong() throws {
    #expect(refusal("file:///" + String(repeating: "a", count: 4096)) != nil)
    #expect(refusal("file:///" + String(repeating: "a", count: 4000)) == nil)
  }

  @Test func twoOfTheSameTextAreOne() throws {
    #expect(try RemoteURL("file:///a") == RemoteURL("file:///a"))
    #expect(try RemoteURL("file:///a") != RemoteURL("file:///b"))
  }
}
