import ControlSocket
import FlyingFox
import Foundation
import Player

/// Answers the requests of the page.
///
/// Every request but that for the page itself and the pairing needs a token, and none is answered that another web site
/// could have made. A `GET` changes nothing.
package final class PageRequests: Sendable {
  package let playing: NowPlaying
  private let access: Access
  private let hosts = HostCheck()
  private let page = Page()
  /// What can be played; nil if only one session is.
  private let library: (any PageLibrary)?
  private let log: @Sendable () async throws(PageProblem) -> String

  /// - Parameter log: the sits of this month as JSON text.
  package init(
    _ playing: NowPlaying, _ access: Access, library: (any PageLibrary)? = nil,
    log: @escaping @Sendable () async throws(PageProblem) -> String
  ) {
    (self.playing, self.access, self.library, self.log) = (playing, access, library, log)
  }

  /// A path of the server, with the method and the least grant that it needs.
  private enum Route: String {
    case page = "/"
    case pair = "/api/pair"
    case status = "/api/status"
    case timeline = "/api/timeline"
    case events = "/api/events"
    case sessions = "/api/sessions"
    case log = "/api/log"
    case command = "/api/command"
    case play = "/api/play"

    var method: HTTPMethod {
      switch self {
      case .page, .status, .timeline, .events, .sessions, .log: .GET
      case .pair, .command, .play: .POST
      }
    }

    /// Whether a view token is enough.
    var isView: Bool {
      switch self {
      case .page, .pair, .status, .timeline, .events: true
      case .sessions, .log, .command, .play: false
      }
    }
  }

  func answer(_ request: HTTPRequest) async -> HTTPResponse {
    let host = request.headers[.host]
    guard hosts.accepts(host: host) else {
      return .problem(.misdirectedRequest, "this player is not called \(host ?? "nothing"); use its address")
    }
    guard hosts.accepts(origin: request.headers[HTTPHeader("Origin")], host: host) else {
      return .problem(.forbidden, "another web site can't use this player; open its page")
    }
    guard let route = Route(rawValue: request.path) else { return .problem(.notFound, "there is no such address") }
    guard request.method == route.method else {
      return .problem(
        .methodNotAllowed, "this address takes \(route.method.rawValue)", [HTTPHeader("Allow"): route.method.rawValue])
    }
    switch route {
    case .page: return page.response
    case .pair: return await pair(request)
    case .status, .timeline, .events, .sessions, .log, .command, .play: break
    }
    guard let grant = access.grant(of: token(of: request, for: route)) else {
      return .problem(.unauthorized, "this link is not valid, or no longer; pair this device again")
    }
    var response =
      grant == .view && !route.isView
      ? .problem(.forbidden, "this link only shows the session") : await answer(request, at: route)
    response.headers[HTTPHeader("Prosper-Access")] = grant.rawValue
    return response
  }

  /// The token of a request. Only the events take it from the address, because a browser's `EventSource` sends no
  /// header; the page itself does.
  private func token(of request: HTTPRequest, for route: Route) -> String? {
    if let words = request.headers[.authorization]?.split(separator: " "), words.count == 2,
      words[0].lowercased() == "bearer"
    {
      return String(words[1])
    }
    return route == .events ? request.query.first { $0.name == "token" }?.value : nil
  }

  private func answer(_ request: HTTPRequest, at route: Route) async -> HTTPResponse {
    switch route {
    case .status: return await status()
    case .timeline:
      guard let timeline = await playing.session?.timeline() else {
        return .problem(.notFound, "no session is playing")
      }
      return .json(timeline)
    case .events: return events(after: request.headers[HTTPHeader("Last-Event-ID")].flatMap { Int($0) })
    case .sessions: return .json("{\"sessions\":\(await library?.sessions() ?? "[]")}")
    case .log: return await sits()
    case .command: return await command(request)
    case .play: return await play(request)
    case .page, .pair: return .problem(.notFound, "there is no such address")
    }
  }

  private func pair(_ request: HTTPRequest) async -> HTTPResponse {
    struct Body: Decodable { let code: String }
    guard let body: Body = try? await request.decoded() else {
      return .problem(.badRequest, "a code is sent as {\"code\":\"123456\"}")
    }
    switch access.pair(with: body.code) {
    case .paired(let token): return .json(["token": token])
    case .wrongCode: return .problem(.forbidden, "this is not the code that the player shows")
    case .locked(let seconds):
      return .problem(
        .tooManyRequests, "too many wrong codes; try again in \(seconds) s", [HTTPHeader("Retry-After"): "\(seconds)"])
    }
  }

  private func status() async -> HTTPResponse {
    guard let session = playing.session else {
      // Without a library, no other session follows.
      let state = library == nil && playing.isOver ? "finished" : "idle"
      return .json("{\"ok\":true,\"status\":{\"v\":1,\"state\":\"\(state)\",\"actions\":[]}}")
    }
    return .json(
      ControlReply.status(await session.player.currentStatus(), to: ControlRequest(.status)), .ok,
      [HTTPHeader("Prosper-Session"): "\(session.id)"])
  }

  private func events(after last: Int?) -> HTTPResponse {
    HTTPResponse(
      statusCode: .ok,
      headers: HTTPHeaders.standard(type: "text/event-stream", [HTTPHeader("X-Accel-Buffering"): "no"]),
      body: HTTPBodySequence(from: playing.feed.open(after: last)))
  }

  private func sits() async -> HTTPResponse {
    do throws(PageProblem) { return .json(try await log()) } catch {
      return .problem(.internalServerError, error.text)
    }
  }

  private func command(_ request: HTTPRequest) async -> HTTPResponse {
    guard let session = playing.session else { return .problem(.conflict, "no session is playing") }
    guard let line = await request.text() else { return .problem(.badRequest, "a command is a JSON object in UTF-8") }
    let request = session.understand(line)
    switch request.kind {
    case .refused(let problem): return HTTPResponse.json(ControlReply.refusal(problem, id: request.id), .badRequest)
    case .status, .statusWithMetrics, .events:
      return HTTPResponse.json(
        ControlReply.refusal("this is no command; GET /api/status and /api/events have it", id: request.id), .badRequest
      )
    case .command(let command):
      let track = await session.player.destination(of: command)
      let outcome = await session.player.perform(command)
      let metrics = command.isAboutMetrics ? await session.player.reportedMetrics() : nil
      return .json(ControlReply.outcome(outcome, metrics: metrics, track: track, id: request.id))
    }
  }

  private func play(_ request: HTTPRequest) async -> HTTPResponse {
    guard let library else { return .problem(.conflict, "this player plays one session, and no other one") }
    let wanted: WantedSession
    do { wanted = try await request.decoded() } catch {
      let form = "a session is chosen as {\"session\":\"three-stages\",\"duration\":\"12m\",\"resume\":false}"
      return .problem(.badRequest, (error as? PageProblem)?.text ?? form)
    }
    if let problem = await library.play(wanted) {
      return .problem(problem.isUnknown ? .notFound : .conflict, problem.text)
    }
    return .json("{\"ok\":true}")
  }
}
