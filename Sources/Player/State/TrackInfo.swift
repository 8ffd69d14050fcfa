/// One playing of a track, as it appears in states and events.
public struct TrackInfo: Sendable, Hashable {
  /// Identifies the playing. A repeat of the same track has a different identity, so that a track can crossfade into
  /// itself.
  public var id: Int
  public var title: String
  /// Playable length in seconds; nil if nothing ends it.
  public var duration: Double?

  public init(id: Int, title: String, duration: Double? = nil) {
    self.id = id
    self.title = title
    self.duration = duration
  }
}
