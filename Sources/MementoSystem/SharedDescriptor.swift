// An open file with several users; closed when the last of them lets go.

package final class SharedDescriptor: Sendable {
  package let descriptor: Descriptor

  package init(_ descriptor: consuming Descriptor) {
    self.descriptor = descriptor
  }
}
