/// The request in one line on the control socket.
package struct ControlRequest: Sendable, Hashable {
  package enum Ask: Sendable, Hashable {
    case command(Command)
    case status
    /// The status with the queue's metrics. It emits no events.
    case figures
    /// The events from now on, until the session ends or the reader disconnects.
    case events
    /// An invalid request: what is wrong, and what to write instead.
    case refused(String)
  }

  /// The line's `id` as JSON text, which the reply repeats.
  package var id: String?
  package var ask: Ask
  /// The set of states that the client knows.
  package var schema: StateSchema

  package init(id: String? = nil, _ ask: Ask, schema: StateSchema = .full) {
    (self.id, self.ask, self.schema) = (id, ask, schema)
  }
}
