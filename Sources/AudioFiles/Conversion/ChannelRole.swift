/// The loudspeaker for which a channel is intended.
enum ChannelRole: Hashable, Sendable {
  case left, right, center, lowFrequency, surroundLeft, surroundRight, surroundCenter, unknown
}

extension ChannelRole {
  /// The channel order of WAV, FLAC, AIFF and MP3 files without a channel map.
  static func standard(channels: Int) -> [ChannelRole] {
    switch channels {
    case 1: [.center]
    case 2: [.left, .right]
    case 3: [.left, .right, .center]
    case 4: [.left, .right, .surroundLeft, .surroundRight]
    case 5: [.left, .right, .center, .surroundLeft, .surroundRight]
    case 6: [.left, .right, .center, .lowFrequency, .surroundLeft, .surroundRight]
    case 7: [.left, .right, .center, .lowFrequency, .surroundCenter, .surroundLeft, .surroundRight]
    case 8:
      [.left, .right, .center, .lowFrequency, .surroundLeft, .surroundRight, .surroundLeft, .surroundRight]
    default: Array(repeating: .unknown, count: channels)
    }
  }

  /// The channel order of Vorbis and Opus.
  static func vorbis(channels: Int) -> [ChannelRole] {
    switch channels {
    case 3: [.left, .center, .right]
    case 5: [.left, .center, .right, .surroundLeft, .surroundRight]
    case 6: [.left, .center, .right, .surroundLeft, .surroundRight, .lowFrequency]
    case 7: [.left, .center, .right, .surroundLeft, .surroundRight, .surroundCenter, .lowFrequency]
    case 8:
      [.left, .center, .right, .surroundLeft, .surroundRight, .surroundLeft, .surroundRight, .lowFrequency]
    default: standard(channels: channels)
    }
  }
}
