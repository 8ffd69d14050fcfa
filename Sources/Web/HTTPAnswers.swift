import FlyingFox
import Foundation
import Player

extension HTTPResponse {
  static func json(_ text: String, _ status: HTTPStatusCode = .ok, _ more: [HTTPHeader: String] = [:]) -> HTTPResponse {
    HTTPResponse(
      statusCode: status, headers: .standard(type: "application/json; charset=utf-8", more), body: Data(text.utf8))
  }

  static func json(_ members: JSONLine) -> HTTPResponse { json(members.description) }

  /// A refusal, with its reason as one sentence.
  static func problem(
    _ status: HTTPStatusCode, _ reason: String, _ more: [HTTPHeader: String] = [:]
  ) -> HTTPResponse {
    json((["ok": false, "error": reason] as JSONLine).description, status, more)
  }
}

extension HTTPHeaders {
  /// The headers of every answer: nothing is kept by a browser, shown in another page, or taken for something else.
  static func standard(type: String, _ more: [HTTPHeader: String] = [:]) -> HTTPHeaders {
    var headers = HTTPHeaders()
    headers[.contentType] = type
    headers[.cacheControl] = "no-store"
    headers[HTTPHeader("X-Content-Type-Options")] = "nosniff"
    headers[HTTPHeader("X-Frame-Options")] = "DENY"
    headers[HTTPHeader("Referrer-Policy")] = "no-referrer"
    headers[HTTPHeader("Cross-Origin-Resource-Policy")] = "same-origin"
    for (header, value) in more { headers[header] = value }
    return headers
  }
}

extension HTTPStatusCode {
  static let misdirectedRequest = HTTPStatusCode(421, phrase: "Misdirected Request")
}

extension HTTPRequest {
  /// The body as text; nil if it is not UTF-8, or incomplete.
  func text() async -> String? {
    guard let data = try? await bodyData else { return nil }
    return String(data: data, encoding: .utf8)
  }

  /// The body as a value.
  func decoded<Value: Decodable>() async throws -> Value {
    try JSONDecoder().decode(Value.self, from: try await bodyData)
  }
}
