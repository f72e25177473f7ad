// An open file with several owners. It is closed when the last owner releases it.

package final class SharedDescriptor: Sendable {
  package let descriptor: Descriptor

  package init(_ descriptor: consuming Descriptor) {
    self.descriptor = descriptor
  }
}
