import Markup
import Player
import Schedule
import Signal

/// Reads the commands that change a volume.
extension SessionParser {
  /// Reads `to` or `by`, which exclude each other, and the seconds that the change takes (0 if `over` is missing).
  ///
  /// - Parameters:
  ///   - layer: what the volume belongs to; nil for the master volume.
  ///   - moved: makes the command that sets the volume to a value.
  mutating func volumeCommand(
    _ verb: String, _ fields: Fields, of layer: Layer?, _ moved: (Gain, Double) -> Command
  ) -> Command? {
    let over = duration(fields["over"], "over") ?? 0
    switch (fields["to"], fields["by"]) {
    case (let to?, nil):
      let ceiling = Gain.maximumVolume(of: layer) == .unity ? 0 : VolumeSpelling.decibels.upperBound
      return volume(to, "to", upTo: ceiling).map { moved($0, over) }
    case (nil, let by?): return volumeStep(by).map { .volumeStep($0, of: layer, over: over) }
    // A mistyped key has already been reported, with its correction.
    case (nil, nil) where fields.hasMistyped(["to", "by"], besides: ["do", "op", "id", "over"]): break
    case (nil, nil):
      report(fields.location, "'\(verb)' has neither 'to' nor 'by'", fix: "add one, such as \"to\": \"80%\"")
    default:
      report(fields.location(of: "by"), "'\(verb)' has both 'to' and 'by'", fix: "keep one of them")
    }
    return nil
  }

  /// `"-10%"` or `"+3dB"`, or a number from -1 to 1: a share of full volume.
  private mutating func volumeStep(_ node: Node) -> VolumeStep? {
    if let text = node.string {
      if let percent = VolumeSpelling.percent(text), abs(percent) <= 100 { return .share(percent / 100) }
      if let decibels = VolumeSpelling.decibels(text), abs(decibels) <= 60 { return .decibels(decibels) }
      let quotes = Node.isNumber(text) ? "remove the quotes, or " : ""
      report(
        node.location, "'by' is '\(shown(text))'",
        fix: "\(quotes)write a change of at most 100% or 60dB, such as \"-10%\" or \"+3dB\"")
      return nil
    }
    guard let share = number(node, "by") else { return nil }
    if (-1...1).contains(share) { return .share(share) }
    report(node.location, "'by' is \(node.found)", fix: "write a number from -1 to 1, or a change such as \"-10%\"")
    return nil
  }
}

extension Fields {
  /// Whether a key is similar to one of `names`, and not one of `others`.
  fileprivate func hasMistyped(_ names: [String], besides others: [String]) -> Bool {
    entries.keys.contains { !others.contains($0) && Suggestion.nearest(to: $0, among: names) != nil }
  }
}
