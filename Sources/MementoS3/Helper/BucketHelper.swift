// The program memento-remote-s3: a bucket, served by the protocol of helpers.

internal import MementoObjects
internal import MementoSystem

package enum BucketHelper {
  /// Serves the bucket that `arguments` name on two descriptors until the input ends. Returns the exit status, and what is
  /// to be said on standard error.
  package static func run(
    _ arguments: [String], environment: [String: String], input: Int32, output: Int32
  ) -> (status: Int32, complaint: String?) {
    guard arguments.count == 1, arguments[0].hasPrefix("s3://") else {
      return (2, "usage: memento-remote-s3 s3://BUCKET[/PREFIX]; memento starts it")
    }
    do throws(ObjectError) {
      let objects: BucketObjects
      do throws(ObjectError) {
        objects = try BucketObjects(arguments[0], environment: environment)
      } catch {
        try ObjectServer.refuse(error, output: output)
        // The other side reads why, before it finds that nobody listens.
        try drain(input)
        return (0, nil)
      }
      try ObjectServer(objects, input: input, output: output, takesHashes: true).run(onEnd: objects.cancel)
      return (0, nil)
    } catch {
      return (1, "memento-remote-s3: \(error.reason)")
    }
  }

  /// Waits for the end of the input.
  private static func drain(_ input: Int32) throws(ObjectError) {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 1)
    defer { buffer.deallocate() }
    do throws(Errno) {
      while try StreamInput(input).read(into: buffer) > 0 {}
    } catch {
      throw ObjectError(.local, "reading requests: \(error.message)")
    }
  }
}
