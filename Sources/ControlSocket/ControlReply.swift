import Player

/// The replies of a control server, one JSON object per line. `id` is JSON text, which is repeated from the request.
enum ControlReply {
  /// The reply to a request that needs no details.
  static func done(id: String?) -> String { line(id, true).description }

  /// The reply to a request that was not understood or not accepted.
  static func refusal(_ problem: String, id: String? = nil) -> String {
    var reply = line(id, false)
    reply.add("error", problem)
    return reply.description
  }

  /// The reply to `status`; with metrics if the request asked for them.
  static func status(_ status: PlayerStatus, metrics: QueueMetrics? = nil, to request: ControlRequest) -> String {
    var reply = line(request.id, true)
    reply.add("status", status.json(request.schema))
    add(metrics, to: &reply)
    return reply.description
  }

  /// The reply to a command: what became of it and, if it failed, why.
  static func outcome(_ outcome: CommandOutcome, metrics: QueueMetrics?, id: String?) -> String {
    var reply = line(id, outcome.isCarriedOut)
    reply.add("outcome", outcome.word)
    switch outcome {
    case .done, .coalesced: break
    case .cancelled(let name): reply.add("error", "'\(name)' cancelled it before it was executed")
    case .rejected(let error):
      reply.add("error", error.description)
      reply.add("code", error.code)
    }
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
  /// Whether the command took effect, if only as part of another one.
  fileprivate var isCarriedOut: Bool {
    switch self {
    case .done, .coalesced: true
    case .cancelled, .rejected: false
    }
  }
}
