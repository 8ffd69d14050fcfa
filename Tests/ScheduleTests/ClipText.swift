import Schedule
import Signal

extension Clip {
  /// `a/0.1.2 8000-16000 in 8000-9000`: the title and the ID of a clip, the frames in which it sounds, and its fades.
  var text: String {
    let names = [("in", fadeIn), ("out", fadeOut), ("leave", leave), ("ramp", ramp)]
    let fades = names.compactMap { name, fade in fade.map { " \(name) \($0.text)" } }
    return "\(title)/\(id.text) \(begin)-\(end == .endless ? "" : "\(end)")" + fades.joined()
  }
}

extension ClipID {
  /// For a track the move, the turn and the entry; for a cue the visit, the cue, the start and the time; then the part
  /// after `+`.
  var text: String {
    let numbers =
      switch origin {
      case .track(let move, let trackPlay, let entry): [move, trackPlay, entry]
      case .cue(let visit, let cue, let start, let time): [visit, cue, start, time]
      }
    return numbers.map(String.init).joined(separator: ".") + (part == 0 ? "" : "+\(part)")
  }
}

extension Fade {
  /// The frames from its beginning to its end, with its gains if they are not those of a whole fade.
  fileprivate var text: String {
    let isWhole = [from, to].sorted() == [0, 1]
    return "\(start)-\(end)" + (isWhole ? "" : "(\(from)>\(to))")
  }
}

extension Schedule {
  /// The clips from a frame on, in order; of an endless schedule the first 20.
  func texts(from frame: FrameTime) -> [String] { clips(from: frame).prefix(20).map(\.text) }
}
