import CAv

/// The samples of a decoded frame, interleaved, as 32-bit floats. Integers are scaled as libsndfile scales them.
///
/// - Parameters:
///   - samples: room for all of them.
///   - first: the place of the first one.
/// - Returns: false if the format of the samples is not supported.
func convert(_ frame: UnsafePointer<AVFrame>, into samples: inout [Float], at first: Int) -> Bool {
  let channels = Int(frame.pointee.ch_layout.nb_channels)
  let count = Int(frame.pointee.nb_samples)
  guard let planes = frame.pointee.extended_data else { return false }
  let source = Planes(planes: planes, channels: channels, frames: count, first: first)
  switch AVSampleFormat(rawValue: frame.pointee.format) {
  case AV_SAMPLE_FMT_U8: source.copy(false, UInt8.self, to: &samples) { (Float($0) - 128) / 128 }
  case AV_SAMPLE_FMT_U8P: source.copy(true, UInt8.self, to: &samples) { (Float($0) - 128) / 128 }
  case AV_SAMPLE_FMT_S16: source.copy(false, Int16.self, to: &samples) { Float($0) * 0x1p-15 }
  case AV_SAMPLE_FMT_S16P: source.copy(true, Int16.self, to: &samples) { Float($0) * 0x1p-15 }
  case AV_SAMPLE_FMT_S32: source.copy(false, Int32.self, to: &samples) { Float($0) * 0x1p-31 }
  case AV_SAMPLE_FMT_S32P: source.copy(true, Int32.self, to: &samples) { Float($0) * 0x1p-31 }
  case AV_SAMPLE_FMT_S64: source.copy(false, Int64.self, to: &samples) { Float($0) * 0x1p-63 }
  case AV_SAMPLE_FMT_S64P: source.copy(true, Int64.self, to: &samples) { Float($0) * 0x1p-63 }
  case AV_SAMPLE_FMT_FLT: source.copy(false, Float.self, to: &samples) { $0 }
  case AV_SAMPLE_FMT_FLTP: source.copy(true, Float.self, to: &samples) { $0 }
  case AV_SAMPLE_FMT_DBL: source.copy(false, Double.self, to: &samples) { Float($0) }
  case AV_SAMPLE_FMT_DBLP: source.copy(true, Double.self, to: &samples) { Float($0) }
  default: return false
  }
  return true
}

/// Whether the samples of a frame may be infinite or NaN.
func hasFloats(_ frame: UnsafePointer<AVFrame>) -> Bool {
  [AV_SAMPLE_FMT_FLT, AV_SAMPLE_FMT_FLTP, AV_SAMPLE_FMT_DBL, AV_SAMPLE_FMT_DBLP].contains(
    AVSampleFormat(rawValue: frame.pointee.format))
}

/// The bytes of a frame's samples: one plane with interleaved samples, or one for each channel.
private struct Planes {
  let planes: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>
  let channels: Int
  let frames: Int
  let first: Int

  @inline(__always)
  func copy<Sample>(
    _ isPlanar: Bool, _: Sample.Type, to samples: inout [Float], _ convert: (Sample) -> Float
  ) {
    samples.withUnsafeMutableBufferPointer { samples in
      if isPlanar {
        for channel in 0..<channels {
          guard let plane = plane(channel, Sample.self) else { continue }
          for frame in 0..<frames { samples[first + frame * channels + channel] = convert(plane[frame]) }
        }
      } else if let plane = plane(0, Sample.self) {
        for index in 0..<frames * channels { samples[first + index] = convert(plane[index]) }
      }
    }
  }

  private func plane<Sample>(_ channel: Int, _: Sample.Type) -> UnsafePointer<Sample>? {
    planes[channel].map { UnsafeRawPointer($0).assumingMemoryBound(to: Sample.self) }
  }
}

/// The loudspeakers of a frame's channels.
func roles(of frame: UnsafePointer<AVFrame>) -> [ChannelRole] {
  let count = Int(frame.pointee.ch_layout.nb_channels)
  let roles = (0..<count).map { index in
    withUnsafePointer(to: frame.pointee.ch_layout) {
      ChannelRole(av_channel_layout_channel_from_index($0, UInt32(index)))
    }
  }
  return count <= 2 || roles.contains(.unknown) ? ChannelRole.standard(channels: count) : roles
}

extension ChannelRole {
  fileprivate init(_ channel: AVChannel) {
    switch channel {
    case AV_CHAN_FRONT_LEFT, AV_CHAN_FRONT_LEFT_OF_CENTER, AV_CHAN_STEREO_LEFT, AV_CHAN_WIDE_LEFT: self = .left
    case AV_CHAN_FRONT_RIGHT, AV_CHAN_FRONT_RIGHT_OF_CENTER, AV_CHAN_STEREO_RIGHT, AV_CHAN_WIDE_RIGHT: self = .right
    case AV_CHAN_FRONT_CENTER: self = .center
    case AV_CHAN_LOW_FREQUENCY, AV_CHAN_LOW_FREQUENCY_2: self = .lowFrequency
    case AV_CHAN_BACK_LEFT, AV_CHAN_SIDE_LEFT: self = .surroundLeft
    case AV_CHAN_BACK_RIGHT, AV_CHAN_SIDE_RIGHT: self = .surroundRight
    case AV_CHAN_BACK_CENTER: self = .surroundCenter
    default: self = .unknown
    }
  }
}
