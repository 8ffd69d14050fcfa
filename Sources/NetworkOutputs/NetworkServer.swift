import Engine
import Signal

/// A server that takes the sound of a session over the network. Any thread may use it.
protocol NetworkServer: Sendable {
  /// The address of the output, for messages.
  var name: String { get }

  /// Checks what can be known without the server.
  func check(at rate: SampleRate) throws(SinkError)

  /// Connects to the server, within a few seconds.
  ///
  /// - Throws: `refused` if the server is there and takes no sound from here before a person changes something; another
  ///   error if a later attempt may succeed.
  func connect(at rate: SampleRate) throws(SinkError) -> sending any NetworkConnection

  /// The number of those who listen now; nil if the server does not say. Takes a few seconds at most.
  ///
  /// - Throws: `unreachable` if the server does not answer.
  func listeners() throws(SinkError) -> Int?

  /// Called when the session is over or has not begun, after the connection has been finished.
  ///
  /// - Parameter isUrgent: whether somebody waits for the end of the program.
  /// - Returns: what could not be put in order; nil if everything could.
  func finish(isUrgent: Bool) -> String?
}

extension NetworkServer {
  func check(at rate: SampleRate) throws(SinkError) {}
  func finish(isUrgent: Bool) -> String? { nil }
}

/// A connection to a server. Used by one thread at a time.
protocol NetworkConnection: AnyObject, SendableMetatype {
  /// Sends frames in real time: the caller determines the pace. Takes a second at most.
  func write(_ frames: [Frame]) throws(SinkError)

  /// Names the sound that follows.
  func setTitle(_ title: String) throws(SinkError)

  /// Sends what is left, and ends the connection.
  func finish()

  /// Drops what has not been sent.
  func abandon()
}
