/// A request that a client sends to the control socket in one line.
package struct ControlRequest: Sendable, Hashable {
  /// What the client asks for.
  package enum Kind: Sendable, Hashable {
    case command(Command)
    case status
    /// The status with the queue's metrics. It emits no events.
    case statusWithMetrics
    /// The events from now on, until the session ends or the reader disconnects.
    case events
    /// An invalid request. The text says what is wrong, and what to write instead.
    case refused(String)
  }

  /// The line's `id` as JSON text, which the reply repeats.
  package var id: String?
  package var kind: Kind
  /// The set of states that the client knows.
  package var schema: StateSchema

  package init(id: String? = nil, _ kind: Kind, schema: StateSchema = .full) {
    (self.id, self.kind, self.schema) = (id, kind, schema)
  }
}
