// The errors of the network in words for people.

internal import AsyncHTTPClient
internal import MementoSystem
internal import NIOCore
internal import NIOPosix
internal import NIOSSL

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

extension TransportError {
  init(_ error: any Error) {
    switch error {
    case let error as HTTPClientError: self.init(client: error)
    case let error as NIOConnectionError: self.init(connection: error)
    case let error as NIOSSLError: self.init(security: "\(error)")
    case is NIOSSLExtraError: self.init(kind: .untrusted, reason: "the certificate is that of another host")
    case is HTTPExchange.TooLong: self.init(kind: .broken, reason: "the answer is longer than it should be")
    case let error as IOError: self.init(system: Errno(error.errnoCode))
    default:
      let text = "\(error)"
      if text.contains("CERTIFICATE") || text.contains("SSL") || text.contains("TLS") {
        self.init(security: text)
      } else {
        self.init(kind: .broken, reason: "the connection was lost")
      }
    }
  }

  private init(system error: Errno) {
    switch error {
    case .connectionRefused, .hostUnreachable, .networkUnreachable, .timedOut, .addressNotAvailable:
      self.init(kind: .unreachable, reason: "no connection: \(error.message)")
    default: self.init(kind: .broken, reason: "the connection was lost: \(error.message)")
    }
  }

  private init(client error: HTTPClientError) {
    switch error {
    case .connectTimeout, .getConnectionFromPoolTimeout:
      self.init(kind: .unreachable, reason: "the connection could not be made in time")
    case .tlsHandshakeTimeout, .httpProxyHandshakeTimeout, .readTimeout, .writeTimeout, .deadlineExceeded:
      self.init(kind: .silent, reason: "the connection does not go on")
    case .proxyAuthenticationRequired: self.init(kind: .denied, reason: "the proxy wants a user and a password")
    case .invalidProxyResponse: self.init(kind: .unreachable, reason: "the proxy refuses to connect")
    case .cancelled: self.init(kind: .cancelled, reason: "stopped")
    default: self.init(kind: .broken, reason: "the connection was lost")
    }
  }

  private init(connection error: NIOConnectionError) {
    if error.connectionErrors.isEmpty {
      self.init(kind: .unreachable, reason: "the name of the host \(error.host) cannot be resolved")
    } else {
      self.init(kind: .unreachable, reason: "no connection to \(error.host), port \(error.port)")
    }
  }

  private init(security text: String) {
    if text.contains("CERTIFICATE_VERIFY_FAILED") || text.contains("noCertificateToValidate") {
      self.init(kind: .untrusted, reason: "no known authority has signed the certificate, or it has expired")
    } else if text.contains("WRONG_VERSION_NUMBER") || text.contains("HTTP_REQUEST") {
      self.init(kind: .unreachable, reason: "it does not speak TLS; is the endpoint http:// and not https://?")
    } else if text.contains("uncleanShutdown") {
      self.init(kind: .broken, reason: "the connection was lost")
    } else {
      self.init(kind: .broken, reason: "no secure connection can be made")
    }
  }
}

extension Errno {
  fileprivate static let connectionRefused = Errno(ECONNREFUSED)
  fileprivate static let hostUnreachable = Errno(EHOSTUNREACH)
  fileprivate static let networkUnreachable = Errno(ENETUNREACH)
  fileprivate static let addressNotAvailable = Errno(EADDRNOTAVAIL)
}
