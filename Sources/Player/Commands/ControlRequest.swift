/// What one line of a remote control asks for.
package struct ControlRequest: Sendable, Hashable {
  package enum Ask: Sendable, Hashable {
    case command(Command)
    case status
    /// The status with the figures of the queue: a look that nobody is told of.
    case figures
    /// The events from now on, until the session or the reader ends.
    case events
    /// What can't be understood, and the mend.
    case refused(String)
  }

  /// The line's `id` as JSON text: the reply repeats it.
  package var id: String?
  package var ask: Ask
  /// Which states the client knows.
  package var schema: StateSchema

  package init(id: String? = nil, _ ask: Ask, schema: StateSchema = .full) {
    (self.id, self.ask, self.schema) = (id, ask, schema)
  }
}
