package import Player
import Schedule

/// The replies of a control server, one JSON object per line. `id` is the JSON text of the request's `id`.
package enum ControlReply {
  /// The reply to a request that needs no details.
  static func done(id: String?) -> String { line(id, true).description }

  /// The reply to a request that was not understood or not accepted.
  ///
  /// - Parameter isRecoverable: whether the same request may succeed later.
  package static func refusal(
    _ problem: String, code: String = "invalidRequest", isRecoverable: Bool = false, id: String? = nil
  ) -> String {
    (line(id, false) + ["error": problem, "code": code, "recoverable": isRecoverable]).description
  }

  /// The reply to `status`, with metrics if they were requested.
  package static func status(_ status: PlayerStatus, metrics: QueueMetrics? = nil, to request: ControlRequest) -> String
  {
    var reply = line(request.id, true)
    reply.add("status", status.json(request.schema))
    add(metrics, to: &reply)
    return reply.description
  }

  /// The reply to a command: its outcome and, if it failed, the reason.
  ///
  /// - Parameter track: the track to which it leads; nil if it is not to be told.
  package static func outcome(
    _ outcome: CommandOutcome, metrics: QueueMetrics?, track: UpcomingTrack? = nil, id: String?
  ) -> String {
    var reply = line(id, outcome.hasEffect)
    reply.add("outcome", outcome.name)
    switch outcome {
    case .done, .coalesced: break
    case .cancelled(let name):
      reply.add(["error": "'\(name)' cancelled it before it was executed", "code": "cancelled", "recoverable": true])
    case .rejected(let error): reply.add(["error": error.description] + error.members)
    }
    if let track { reply.add("track", track.json) }
    add(metrics, to: &reply)
    return reply.description
  }

  private static func add(_ metrics: QueueMetrics?, to reply: inout JSONLine) {
    reply.add("metrics", IfAny(metrics?.json))
  }

  private static func line(_ id: String?, _ isOK: Bool) -> JSONLine {
    var line = JSONLine()
    if let id { line.add("id", written: id) }
    line.add("ok", isOK)
    return line
  }
}

extension CommandOutcome {
  /// Whether the command was executed, alone or merged into another one.
  fileprivate var hasEffect: Bool {
    switch self {
    case .done, .coalesced: true
    case .cancelled, .rejected: false
    }
  }
}
