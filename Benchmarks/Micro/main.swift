// Microbenchmarks of the hot paths on one core. Each prints one line. `Benchmarks/run micro` runs them.

import MementoStore
import MementoSystem

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Runs `body` for about a second. Returns the number of runs in one second.
func rate(_ body: () -> Void) -> Double {
  body()
  var runs = 0.0
  let start = Clock.monotonicSeconds()
  while Clock.monotonicSeconds() - start < 1 {
    body()
    runs += 1
  }
  return runs / (Clock.monotonicSeconds() - start)
}

func report(_ what: String, _ value: Double, _ unit: String) {
  let shown = value >= 100 ? "\(Int(value))" : "\(Double(Int(value * 100)) / 100)"
  print(what + String(repeating: " ", count: max(1, 44 - what.count)) + shown + " " + unit)
}

/// Returns `count` bytes that look like source text: words of a small set, always the same.
func text(_ count: Int) -> [UInt8] {
  let words = ["return", "value", "index", "let", "for", "(", ")", " {\n", "}\n", "=", "+", "func", "x", "0x1f", "//"]
  var state: UInt64 = 1
  var bytes: [UInt8] = []
  bytes.reserveCapacity(count + 16)
  while bytes.count < count {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    bytes.append(contentsOf: words[Int(state >> 33) % words.count].utf8)
    bytes.append(UInt8(ascii: " "))
  }
  return Array(bytes.prefix(count))
}

if CommandLine.arguments.count == 5, CommandLine.arguments[1] == "values" {
  let words = CommandLine.arguments
  try measureValues(folder: words[2], states: Int(words[3]) ?? 10, saves: Int(words[4]) ?? 1000)
  exit(0)
}

if CommandLine.arguments.count == 6, CommandLine.arguments[1] == "year" {
  let words = CommandLine.arguments
  try Year(folder: words[2], saves: Int(words[3]) ?? 105_120, budget: Int(words[4]) ?? 16 << 20)
    .run(minutes: Int(words[5]) ?? 60)
  exit(0)
}

if CommandLine.arguments.count == 4, CommandLine.arguments[1] == "index" {
  let words = CommandLine.arguments
  try IndexScale(folder: words[2], blobs: Int(words[3]) ?? 100_000_000).run()
  exit(0)
}

if CommandLine.arguments.count == 3, CommandLine.arguments[1] == "refs" {
  try measureRefs(folder: CommandLine.arguments[2])
  exit(0)
}

let megabyte = 1_000_000.0
let sample = text(8 << 20)

sample.withUnsafeBytes { bytes in
  let chunker = Chunker()
  var chunks = 0
  let perSecond = rate {
    var start = 0
    while start < bytes.count {
      start += chunker.firstCut(in: UnsafeRawBufferPointer(rebasing: bytes[start...]))
      chunks += 1
    }
  }
  report("chunker (FastCDC)", perSecond * Double(bytes.count) / megabyte, "MB/s")
  report("hash (SHA-256)", rate { _ = ObjectID(hashing: bytes) } * Double(bytes.count) / megabyte, "MB/s")
  let halves = [bytes.count / 2, bytes.count - bytes.count / 2]
  report(
    "hash, two side by side",
    rate { _ = ObjectID.hashing(partsOf: bytes, halves) } * Double(bytes.count) / megabyte, "MB/s")
  let block = UnsafeRawBufferPointer(rebasing: bytes[..<Config().dataBlock])
  for compression in [Compression.zstd(level: 1), .zstd(level: 3), .zlib(level: 1), .zlib(level: 6)] {
    let compressor = Compressor(compression, capacity: block.count)
    var stored: [UInt8] = []
    var codec = Codec.stored
    let packed = rate {
      compressor.compress(block) { used, output in
        codec = used
        stored = Array(output)
      }
    }
    report("compress \(compression)", packed * Double(block.count) / megabyte, "MB/s")
    let decompressor = Decompressor()
    let output = UnsafeMutableRawBufferPointer.allocate(byteCount: block.count, alignment: 64)
    let unpacked = rate {
      stored.withUnsafeBytes { _ = decompressor.unpack(codec, $0, into: output) }
    }
    output.deallocate()
    report("unpack \(compression)", unpacked * Double(block.count) / megabyte, "MB/s")
  }
}

var set = BlobSet()
let ids = (0..<1_000_000).map { ObjectID(hashing: Array("\($0)".utf8)) }
for id in ids { _ = set.insert(id) }
var next = 0
report(
  "index in memory, look-ups of 1,000,000 ids",
  rate { for _ in 0..<100_000 { _ = set.contains(ids[next % ids.count]); next += 7919 } } * 100_000 / megabyte,
  "million/s")

if CommandLine.arguments.count > 1 {
  let root = Array(CommandLine.arguments[1].utf8)
  var entries = 0
  let walks = rate {
    entries = 0
    var pending = [root]
    while let path = pending.popLast() {
      guard let directory = try? Descriptor.open(path, .namedDirectory),
        let listing = try? DirectoryListing(reading: directory)
      else { continue }
      entries += listing.count
      for index in 0..<listing.count {
        let name = listing.name(at: index)
        if (try? directory.status(of: name))?.isDirectory == true {
          pending.append(path + [UInt8(ascii: "/")] + name)
        }
      }
    }
  }
  report("walk with lstat, \(entries) entries", walks * Double(entries) / megabyte, "million/s")
}
