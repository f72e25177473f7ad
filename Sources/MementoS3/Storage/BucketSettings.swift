// From a URL and an environment to a client.

internal import MementoObjects

extension BucketClient {
  convenience init(_ url: String, environment: [String: String], limits: RetryLimits) throws(ObjectError) {
    func variable(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
    var place = try BucketPlace(url)
    let profiles = try Profiles(environment)
    var endpoint: Endpoint?
    if let text = variable("AWS_ENDPOINT_URL_S3") ?? variable("AWS_ENDPOINT_URL") ?? profiles["endpoint_url"] {
      endpoint = Endpoint(text)
      if endpoint == nil, place.endpoint == nil {
        throw ObjectError(.local, "the endpoint of the environment or the profile is not http[s]://HOST[:PORT]")
      }
    }
    let region = variable("AWS_REGION") ?? variable("AWS_DEFAULT_REGION") ?? profiles["region"]
    if let region, !BucketPlace.isRegion(region), place.region == nil {
      throw ObjectError(.local, "the region of the environment or the profile is no region")
    }
    switch profiles["s3.addressing_style"] {
    case "path"?: place.isPathStyle = place.isPathStyle ?? true
    case "virtual"?: place.isPathStyle = place.isPathStyle ?? false
    default: break
    }
    let target = RequestTarget(place, endpoint: endpoint, region: region)
    let settings = try TransportSettings(environment, for: target.host, certificates: profiles["ca_bundle"])
    let transport = try HTTPTransport(settings)
    var direct = settings
    direct.proxy = nil
    let here = settings.proxy == nil ? transport : try HTTPTransport(direct)
    let services = KeyServices(
      environment: environment,
      fetch: { (request, patience) throws(TransportError) in try transport.send(request, patience: patience) },
      fetchHere: { (request, patience) throws(TransportError) in try here.send(request, patience: patience) })
    self.init(place, target, transport, KeyChain(profiles, services, region: target.region), limits)
  }
}
