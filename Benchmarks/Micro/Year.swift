// A year of saves, as a timer makes them, with a clock that is moved on by hand: `memento-bench year FOLDER SAVES BUDGET
// MINUTES`. One save every five minutes are 105120. It prints what the store takes and how long questions take, each
// month, and checks at the end that all names have their content. It ends after so many minutes at the latest.

import MementoKit
import MementoSystem
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A clock that moves only when it is told to.
private final class MovedClock: Sendable {
  private let reading = Mutex(
    ClockReading(wall: Timestamp(seconds: 1_780_000_000, nanoseconds: 0), boot: "year", sinceBoot: 1_000_000_000))

  @Sendable func read() -> ClockReading { reading.withLock { $0 } }

  func pass(seconds: UInt64) {
    reading.withLock {
      $0.sinceBoot += seconds * 1_000_000_000
      $0.wall.seconds += Int64(seconds)
    }
  }
}

struct Year {
  private static let seconds = 365 * 86400

  let folder: String
  let saves: Int
  /// Bytes of the whole store.
  let budget: Int
  private let clock = MovedClock()

  init(folder: String, saves: Int, budget: Int) {
    self.folder = folder
    self.saves = saves
    self.budget = budget
  }

  /// Opens the store anew, as a process of its own would.
  private func open() throws -> Repository {
    var options = OpenOptions()
    options.clock = clock.read
    return try Repository.find(from: BytePath(folder), options: options)
  }

  private func write(_ name: String, _ text: String) {
    guard let file = fopen(folder + "/" + name, "w") else { fatalError("cannot write \(name)") }
    fputs(text, file)
    fclose(file)
  }

  private func content(_ number: Int) -> String {
    var state = UInt64(number) &* 0x9e37_79b9_7f4a_7c15 | 1
    var text = "save \(number)\n"
    for _ in 0..<40 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      text += String(state >> 40, radix: 36) + " "
    }
    return text
  }

  /// Bytes of all files of a folder.
  private func size(_ folder: String) -> Int {
    var sum = 0
    guard let stream = opendir(folder) else { return 0 }
    defer { closedir(stream) }
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name == "." || name == ".." { continue }
      var status = stat()
      guard lstat(folder + "/" + name, &status) == 0 else { continue }
      sum += status.st_mode & S_IFMT == S_IFDIR ? size(folder + "/" + name) : Int(status.st_size)
    }
    return sum
  }

  /// Microseconds that the processors have worked for this process.
  private static func worked() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Int(time.tv_sec) * 1_000_000 + Int(time.tv_nsec) / 1000
  }

  /// The median of some runs, in microseconds of work.
  private func median(_ body: (Repository) throws -> Void) throws -> Int {
    var times: [Int] = []
    for _ in 0..<15 {
      let start = Year.worked()
      try body(try open())
      times.append(Year.worked() - start)
    }
    return times.sorted()[7]
  }

  func run(minutes: Int) throws {
    _ = try Repository.openOrCreate(folder: BytePath(folder), options: OpenOptions())
    guard let config = fopen(folder + "/.memento/config", "a") else { fatalError("no config") }
    fputs("keep = 30d, 200\nmax-size = \(budget)\n", config)
    fclose(config)
    for number in 0..<10 { write("f\(number)", "file \(number)") }
    let end = Clock.monotonicSeconds() + Double(minutes) * 60
    var largest = 0
    var slowest = 0
    var work = 0
    var done = 0
    while done < saves, Clock.monotonicSeconds() < end {
      clock.pass(seconds: UInt64(Year.seconds / saves))
      write("f0", content(done))
      let month = saves / 12
      let name = done % month == 0 ? "month \(done / month)" : nil
      let start = Year.worked()
      try open().save(SaveOptions(name: name))
      let time = Year.worked() - start
      (slowest, work) = (max(slowest, time), work + time)
      done += 1
      if done % 50 == 0 { largest = max(largest, size(folder + "/.memento")) }
      if done % (saves / 48) == 0 || done == 20 {
        print(
          "\(done) saves, day \(365 * done / saves): status \(try median { _ = try $0.status() }) us,",
          "list \(try median { _ = try $0.states() }) us, \(size(folder + "/.memento")) bytes, at most \(largest),",
          "\(try open().log().count) in the log, a save \(work / done) us, the slowest \(slowest) us")
        fflush(nil)
        slowest = 0
      }
    }
    try check(done)
    print("\(done) of \(saves) saves; the store had \(largest) bytes at most, of \(budget)")
  }

  private func check(_ done: Int) throws {
    let repository = try open()
    print("damage: \(try repository.verify(readData: true).damage.count)")
    for month in 0..<12 where month * (saves / 12) < done {
      let path = folder + ".content"
      guard let stream = fopen(path, "w+") else { fatalError("cannot write \(path)") }
      let file = fileno(stream)
      try repository.write(Revision("month \(month)"), path: "f0", to: file)
      var bytes = [UInt8](repeating: 0, count: 4096)
      let count = pread(file, &bytes, bytes.count, 0)
      fclose(stream)
      unlink(path)
      if Array(bytes.prefix(max(count, 0))) != Array(content(month * (saves / 12)).utf8) {
        print("month \(month) is not what was saved")
      }
    }
  }
}
