import Schedule
import Signal

extension Clip {
  /// `a/0.1.2 8000-16000 in 8000-9000`: its title and name, the frames in which it sounds, and its fades.
  var text: String {
    let names = [("in", fadeIn), ("out", fadeOut), ("leave", leave), ("ramp", ramp)]
    let fades = names.compactMap { name, fade in fade.map { " \(name) \($0.text)" } }
    return "\(title)/\(id.text) \(begin)-\(end == .endless ? "" : "\(end)")" + fades.joined()
  }
}

extension ClipID {
  /// Of a track the move, the turn and the entry, of a cue the visit, the cue, the start and the time; a part after `+`.
  var text: String {
    let numbers =
      switch origin {
      case .track(let move, let turn, let entry): [move, turn, entry]
      case .cue(let visit, let cue, let start, let time): [visit, cue, start, time]
      }
    return numbers.map(String.init).joined(separator: ".") + (part == 0 ? "" : "+\(part)")
  }
}

extension Fade {
  /// The frames from its beginning to its end, with its gains where these are not those of a whole fade.
  fileprivate var text: String {
    let isWhole = [from, to].sorted() == [0, 1]
    return "\(start)-\(end)" + (isWhole ? "" : "(\(from)>\(to))")
  }
}

extension Schedule {
  /// What it has sound from a frame on, in order; of an endless one the first 20 clips.
  func texts(from frame: FrameTime) -> [String] { clips(from: frame).prefix(20).map(\.text) }
}
