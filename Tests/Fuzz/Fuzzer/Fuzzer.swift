// What libFuzzer calls. It brings `main` with it: `FUZZ_TARGET=TARGET memento-fuzz [CORPUS-FOLDER...] [-OPTION=VALUE...]`.
// `make fuzz` alone builds this, with instrumented decoders. See https://llvm.org/docs/LibFuzzer.html.

import FuzzTargets

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The decoder that `FUZZ_TARGET` names. Without one, the names of all are printed, and the program ends.
nonisolated(unsafe) private let decode: ([UInt8]) -> Void = {
  let name = getenv("FUZZ_TARGET").map { String(cString: $0) }
  guard let target = FuzzTarget.all.first(where: { $0.name == name }) else {
    print(FuzzTarget.all.map(\.name).joined(separator: "\n"))
    // libFuzzer takes `exit` for a crash of the decoder.
    fflush(nil)
    _exit(name == nil ? 0 : 64)
  }
  do {
    return try target.make()
  } catch {
    fatalError("cannot make \(target.name): \(error)")
  }
}()

@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ length: Int) -> CInt {
  decode(Array(UnsafeBufferPointer(start: bytes, count: length)))
  return 0
}
