/// One playback of a track, as it appears in states and events.
package struct TrackInfo: Sendable, Hashable {
  /// Identifies the playback. A repeat of the same track has a different identity, so that a track can crossfade into
  /// itself.
  package var id: Int
  package var title: String
  /// Playable length in seconds; nil if nothing ends it.
  package var duration: Double?

  package init(id: Int, title: String, duration: Double? = nil) {
    self.id = id
    self.title = title
    self.duration = duration
  }
}
