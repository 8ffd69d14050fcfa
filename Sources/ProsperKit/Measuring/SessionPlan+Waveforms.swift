import Engine
import Levels
import Player
import Schedule
import Signal
package import Timelines

extension SessionPlan {
  /// Renders the session, and returns the peaks of its layers; nil if it has an open stage or is longer than twelve
  /// hours, or if it can't be rendered or measured.
  ///
  /// - Parameter progress: called with the part that has been rendered, 0 to 1; on any thread.
  package func waveforms(progress: @escaping @Sendable (Double) -> Void = { _ in }) async -> Waveforms? {
    guard let timeline, let programme, let end = timeline.end, timeline.rate.seconds(end) <= Self.longestDrawn
    else { return nil }
    var setup = PlaybackSetup(programme: programme, library: library, output: .null(isRealTime: false))
    (setup.metersSound, setup.measures) = (true, false)
    let seconds = max(1, timeline.rate.seconds(end))
    guard let player = try? SessionPlayer(setup, observe: { progress($0.session / seconds) }) else { return nil }
    _ = await player.perform()
    guard let sound = player.sound else { return nil }
    let layers: [(Bus, Layer)] = [(.music, .music), (.overlays, .overlay), (.effects, .effect)]
    let peaks = layers.map { bus, layer in (layer, sound.traces[bus]?.peaks ?? []) }
    return Waveforms(
      peaks: Dictionary(uniqueKeysWithValues: peaks), step: sound.step * Double(timeline.rate.hertz))
  }

  /// Twelve hours in seconds, which are rendered within a minute.
  private static let longestDrawn = 43_200.0
}
