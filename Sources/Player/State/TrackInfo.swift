/// One playing of a track, as states and events name it.
public struct TrackInfo: Sendable, Hashable {
  /// Of this playing: the same track has another one when it repeats or is sought in, so that a track that is crossfaded
  /// into itself can be told from itself.
  public var id: Int
  public var title: String
  /// Seconds of it that can be played; nil when nothing ends it.
  public var duration: Double?

  public init(id: Int, title: String, duration: Double? = nil) {
    self.id = id
    self.title = title
    self.duration = duration
  }
}
