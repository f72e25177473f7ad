import MementoTime
import Testing

@testable import MementoS3

/// The examples of https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
struct RequestSignerTests {
  private let signer = RequestSigner(
    key: AccessKey(id: "AKIAIOSFODNN7EXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"), region: "us-east-1")
  private let time = Timestamp(seconds: 1_369_353_600, nanoseconds: 0)

  private func signature(
    _ method: String, _ path: String, _ query: String = "", _ headers: [(name: String, value: String)] = [],
    body: String = ""
  ) -> String {
    let signed = signer.signed(
      method: method, path: path, query: query, headers: [("Host", "examplebucket.s3.amazonaws.com")] + headers,
      payloadHash: RequestSigner.hash(Array(body.utf8)), at: time)
    let text = signed.first { $0.name == "Authorization" }?.value ?? ""
    return String(text.suffix(64))
  }

  @Test func theExamplesOfAWS() {
    #expect(
      signature("GET", "/test.txt", "", [("Range", "bytes=0-9")])
        == "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41")
    #expect(
      signature(
        "PUT", "/test%24file.text", "",
        [("Date", "Fri, 24 May 2013 00:00:00 GMT"), ("x-amz-storage-class", "REDUCED_REDUNDANCY")],
        body: "Welcome to Amazon S3.") == "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd")
    #expect(
      signature("GET", "/", "lifecycle=") == "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543")
    #expect(
      signature("GET", "/", RequestTarget.query([("prefix", "J"), ("max-keys", "2")]))
        == "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7")
  }

  @Test func headersOfASignature() throws {
    var key = signer.key
    key.sessionToken = "a-token"
    let signed = RequestSigner(key: key, region: "eu-1").signed(
      method: "GET", path: "/", query: "", headers: [("Host", "h")], payloadHash: RequestSigner.emptyHash, at: time)
    #expect(signed.contains { $0 == ("x-amz-security-token", "a-token") })
    #expect(signed.contains { $0 == ("x-amz-date", "20130524T000000Z") })
    let text = try #require(signed.first { $0.name == "Authorization" }?.value)
    #expect(text.contains("SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-security-token,"))
    #expect(text.contains("Credential=AKIAIOSFODNN7EXAMPLE/20130524/eu-1/s3/aws4_request"))
    #expect(RequestSigner.emptyHash == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
  }

  @Test func nothingThatPrintsAKeyShowsIt() {
    let key = AccessKey(id: "the-id", secret: "the-secret", sessionToken: "the-token")
    var dumped = ""
    dump(key, to: &dumped)
    for text in ["\(key)", String(reflecting: key), dumped, "\([key])", "\(Optional(key) as Any)"] {
      #expect(!text.contains("the-"), "\(text)")
    }
    #expect(key.isUsable && !AccessKey(id: "a b", secret: "c").isUsable && !AccessKey(id: "a", secret: "").isUsable)
    #expect(!AccessKey(id: "a", secret: "b", sessionToken: "c\r\nd").isUsable)
  }
}
