public import Signal

/// A sentence of a spoken text, and when it is spoken.
public struct Caption: Hashable, Sendable, Codable {
  /// What is spoken, on one line.
  public var text: String
  /// The frame of the session's rate at which the sentence begins, counted from the beginning of the sound.
  public var begin: FrameTime
  /// The frame after its last one.
  public var end: FrameTime

  /// Whether a saved caption has numbers with which calculations can't overflow.
  package var isPlausible: Bool { 0 <= begin && begin <= end && end < 1 << 48 }

  /// A sentence with its frames, counted from the beginning of the sound.
  public init(text: String, begin: FrameTime, end: FrameTime) { (self.text, self.begin, self.end) = (text, begin, end) }
}
