// The profiles of a user.

internal import MementoObjects
internal import MementoSystem

/// All profiles, and the name of the one that is used.
struct Profiles: Equatable, Sendable {
  let name: String
  private var profiles: [String: [String: String]] = [:]

  /// The largest file that is read, in bytes.
  private static let largest = 1 << 20

  /// Reads the files that the environment names, or those in ~/.aws. A file that is not there is empty.
  init(_ environment: [String: String]) throws(ObjectError) {
    func variable(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
    let home = variable("HOME")
    func file(_ variableName: String, _ standard: String) throws(ObjectError) -> ProfileFile {
      guard let path = variable(variableName) ?? home.map({ "\($0)/.aws/\(standard)" }) else { return ProfileFile() }
      guard let bytes = try Profiles.contents(path, home: home) else { return ProfileFile() }
      return ProfileFile(bytes)
    }
    let given = variable("AWS_PROFILE") ?? variable("AWS_DEFAULT_PROFILE")
    name = given ?? "default"
    for (section, values) in try file("AWS_CONFIG_FILE", "config").sections {
      let words = section.split(separator: " ", maxSplits: 1).map(String.init)
      if section == "default" {
        profiles["default", default: [:]].merge(values) { $1 }
      } else if words.count == 2, words[0] == "profile" {
        profiles[words[1].filter { $0 != "\"" }, default: [:]].merge(values) { $1 }
      }
    }
    // Keys that are in both count as they are here.
    for (section, values) in try file("AWS_SHARED_CREDENTIALS_FILE", "credentials").sections {
      profiles[section, default: [:]].merge(values) { $1 }
    }
    if let given, profiles[given] == nil {
      throw ObjectError(.denied, "there is no profile \(given) in the files of AWS")
    }
  }

  /// A profile; nil when there is none.
  func profile(_ name: String) -> [String: String]? { profiles[name] }

  /// A value of the profile that is used.
  subscript(_ key: String) -> String? { profiles[name]?[key].flatMap { $0.isEmpty ? nil : $0 } }

  /// The content of a file; nil when there is none. `~/` is the home folder.
  static func contents(_ path: String, home: String?) throws(ObjectError) -> [UInt8]? {
    var path = path
    if path.hasPrefix("~/"), let home { path = "\(home)/\(path.dropFirst(2))" }
    do throws(Errno) {
      let file = try Descriptor.open(Array(path.utf8), .namedFile)
      guard try file.status().isRegular else { throw .invalid }
      return try file.contents(limit: largest)
    } catch {
      if error == .notFound || error == .notDirectory { return nil }
      throw ObjectError(.local, "a file of AWS cannot be read: \(error.message)")
    }
  }
}
