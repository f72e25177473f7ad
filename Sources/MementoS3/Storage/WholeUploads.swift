// Puts large objects with one request each, which is one in place of ten: whoever stores them and whoever reads them later has
// less to do than with parts. An object is read while it is sent, so its hash has to be known before.

internal import MementoObjects
internal import NIOCore
internal import Synchronization

/// Several threads may use it at the same time.
final class WholeUploads: Sendable {
  enum Outcome {
    case isThere
    /// It is to be put in parts: nothing says that it is there. For how many seconds nothing had moved at last.
    case notKnown(silence: Double)
  }

  /// In bytes. Engines take 5 GiB; what is lost on the way is sent again.
  static let largest: UInt64 = 128 << 20

  /// Whether objects go in parts from now on: then less is lost at once, and what stands between here and the engine may take no
  /// more.
  private let areGivenUp = Atomic<Bool>(false)

  func put(_ source: any ObjectSource, as name: ObjectName, _ client: BucketClient) throws(ObjectError) -> Outcome {
    guard source.size <= WholeUploads.largest, !areGivenUp.load(ordering: .relaxed),
      let hash = try source.contentHash()
    else { return .notKnown(silence: 0) }
    let call = BucketCall(method: "PUT", name: name, body: .source(source, hash: RequestSigner.hex(hash)))
    var setback: Setback?
    var refusals = 0
    do throws(ObjectError) {
      let mark = try client.perform(
        call,
        isEnough: { event in
          setback = Setback(event, refusals: &refusals)
          return setback != nil
        },
        accept: { (answer, _) throws(ObjectError) -> String? in
          guard answer.status == 200 || answer.status == 201 else { return nil }
          guard let mark = answer.mark else { throw client.garbled("it does not say that this was put", name) }
          return mark
        })
      // The answer may be that to another request. Comparing the mark with the content would take as long as sending it, so the
      // engine is asked what it has.
      if try isThere(name, source.size, mark, client) { return .isThere }
    } catch {
      guard setback != nil || error.kind == .garbled else { throw error }
    }
    if setback?.mayPass != true { areGivenUp.store(true, ordering: .relaxed) }
    return .notKnown(silence: setback?.silence ?? 0)
  }

  /// Why an object is not sent as a whole again.
  private struct Setback {
    var silence = 0.0
    /// The next object may go as a whole.
    var mayPass = false

    /// Nil when it is. `refusals`: how often the engine could not take it.
    init?(_ event: BucketSetback, refusals: inout Int) {
      switch event {
      case .lost(let error):
        // The engine may have closed a connection on which nothing was under way.
        guard error.sent > 0 else { return nil }
        silence = error.kind == .broken ? 0 : error.silence
      case .refused(let refusal):
        if refusal.isTooLarge { return }
        guard refusal.isPassing else { return nil }
        refusals += 1
        guard refusals > 1 else { return nil }
        mayPass = true
      }
    }
  }

  /// Whether the engine has an object of this size and with this mark.
  private func isThere(
    _ name: ObjectName, _ size: UInt64, _ mark: String, _ client: BucketClient
  ) throws(ObjectError) -> Bool {
    do throws(ObjectError) {
      let found = try client.look(at: name)
      return found.size == size && found.mark.map(PutMarks.text) == PutMarks.text(mark)
    } catch {
      guard error.kind == .notFound else { throw error }
      return false
    }
  }
}
