package import Markup
import Schedule
package import SessionFiles
import Signal

extension Timeline {
  /// A warning for each overlay that another overlay cuts off, at its first loss.
  ///
  /// - Parameter session: the session of this timeline.
  package func replacedOverlays(of session: Session) -> [Diagnostic] {
    let locations = session.cueLocations
    let titles = session.cueTitles
    var told: Set<Int> = []
    return replacements.compactMap { loss in
      guard locations.indices.contains(loss.replaced), locations.indices.contains(loss.replacing),
        told.insert(loss.replaced).inserted
      else { return nil }
      let other = "the overlay '\(shown(titles[loss.replacing]))' in line \(locations[loss.replacing].line)"
      let at = Clock.text(loss.frame, rate)
      let what =
        loss.begin == loss.frame
        ? "is never heard, because \(other) begins at the same time, \(at)"
        : "begins at \(Clock.text(loss.begin, rate)) and is cut off at \(at), when \(other) begins"
      return Diagnostic(
        .warning, locations[loss.replaced], "the overlay '\(shown(titles[loss.replaced]))' \(what)",
        fix: "begin the second one later, or give one of them \"layer\": true, so that both are heard")
    }
  }
}

extension Session {
  /// The title of each cue, in the order of `cueLocations`.
  fileprivate var cueTitles: [String] {
    overlays.map(\.sound.title) + gongs.map(\.sound.title)
      + stages.flatMap { $0.overlays.map(\.sound.title) + $0.gongs.map(\.sound.title) }
  }
}
