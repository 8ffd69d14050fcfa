import Player

/// What a control server answers, one JSON object a line.
enum ControlReply {
  static func done(id: String?) -> String { line(id, true).description }

  static func refusal(_ problem: String, id: String? = nil) -> String {
    var reply = line(id, false)
    reply.add("error", problem)
    return reply.description
  }

  static func status(_ status: PlayerStatus, metrics: QueueMetrics? = nil, to request: ControlRequest) -> String {
    var reply = line(request.id, true)
    reply.add("status", status.json(request.schema))
    add(metrics, to: &reply)
    return reply.description
  }

  static func outcome(_ outcome: CommandOutcome, metrics: QueueMetrics?, id: String?) -> String {
    var reply = line(id, outcome.isCarriedOut)
    reply.add("outcome", outcome.word)
    switch outcome {
    case .done, .coalesced: break
    case .cancelled(let name): reply.add("error", "'\(name)' came before it was carried out")
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
  /// Whether what was asked for has come about, be it as part of another command.
  fileprivate var isCarriedOut: Bool {
    switch self {
    case .done, .coalesced: true
    case .cancelled, .rejected: false
    }
  }
}
