import Encoding
import Engine
import Signal
import Synchronization

/// The connection that carries the encoded sound to a mount of an Icecast server.
///
/// In Ogg each stage is a stream of its own in the chain, with its title; the title of an MP3 stream is told to the server.
final class IcecastConnection: NetworkConnection {
  private let stream: ShoutStream
  private let server: IcecastServer
  private let rate: SampleRate
  /// Nil before the first frame.
  private var encoder: StreamEncoder?
  private var title: String?
  private let titles: TitleAnnouncer

  init(_ stream: ShoutStream, of server: IcecastServer, at rate: SampleRate) {
    (self.stream, self.server, self.rate) = (stream, server, rate)
    titles = TitleAnnouncer(to: server)
  }

  func write(_ frames: [Frame]) throws(SinkError) {
    if encoder == nil { encoder = try server.makeEncoder(at: rate, title: title) }
    guard let encoder else { return }
    try frames.withUnsafeBufferPointer { (frames) throws(SinkError) in try encoder.write(frames) }
    try send(encoder.takeBytes())
  }

  func setTitle(_ title: String) throws(SinkError) {
    self.title = title
    guard server.mount.format != .mp3 else {
      titles.announce(title)
      return
    }
    guard let ending = encoder.take() else { return }
    try ending.finish()
    try send(ending.takeBytes())
  }

  func finish() {
    if let encoder {
      try? encoder.finish()
      try? send(encoder.takeBytes())
    }
    stream.flush()
  }

  func abandon() {}

  private func send(_ bytes: [UInt8]) throws(SinkError) {
    if bytes.isEmpty { return }
    do throws(ShoutStream.Failure) { try stream.send(bytes) } catch {
      switch error {
      case .refused: throw .unreachable(output: "\(server.mount)", cause: "the server refuses the sound")
      case .unusable(let cause), .unreachable(let cause): throw .unreachable(output: "\(server.mount)", cause: cause)
      }
    }
  }
}

/// Tells a server the titles of an MP3 stream, which can't carry them. The answer may take seconds, and the sound must go
/// on; meanwhile only the latest title is kept.
private final class TitleAnnouncer: Sendable {
  private let server: IcecastServer
  private let latest = Mutex<String?>(nil)
  /// Nil if the format carries titles, and if the system has no thread left: the title then stays as it was.
  private let thread: WorkThreads?

  init(to server: IcecastServer) {
    self.server = server
    thread = server.mount.format == .mp3 ? WorkThreads() : nil
  }

  func announce(_ title: String) {
    latest.withLock { $0 = title }
    thread?.async { [weak self] in
      guard let self, let title = latest.withLock({ $0.take() }) else { return }
      server.announce(title)
    }
  }
}
