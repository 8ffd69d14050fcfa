import CSndFile
import Signal
import Sounds
import TestSupport

@testable import AudioFiles

/// Writes a file in any format that libsndfile can write.
func write(_ samples: [Float], to path: String, format: Int, rate: Int, channels: Int = 2) throws -> String {
  var info = SF_INFO()
  info.format = Int32(format)
  info.samplerate = Int32(rate)
  info.channels = Int32(channels)
  guard let handle = sf_open(path, Int32(SFM_WRITE), &info) else {
    throw FixtureError(cause: String(cString: sf_strerror(nil)))
  }
  sf_command(handle, Int32(SFC_SET_CLIPPING), nil, 1)
  sf_writef_float(handle, samples, Int64(samples.count / channels))
  sf_close(handle)
  return path
}

func write(_ frames: [Frame], to path: String, format: Int, rate: Int) throws -> String {
  try write(interleaved(frames), to: path, format: format, rate: rate)
}

func interleaved(_ frames: [Frame]) -> [Float] { frames.flatMap { [$0.left, $0.right] } }

struct FixtureError: Error { var cause: String }

extension SoundSource {
  init(path: String, start: Double = 0, end: Double? = nil) {
    self.init(.file(path: path), start: start, end: end)
  }
}

/// All frames that a decoder delivers, and the damage that it reports.
struct Reading {
  var frames: [Frame] = []
  var damage: SoundDamage?
  var error: SourceError? { damage?.error }

  init(_ decoder: any Decoder, piece: Int = 4_096) {
    var block = [Frame](repeating: .silence, count: piece)
    var count = piece
    while count == piece {
      count = block.withUnsafeMutableBufferPointer { decoder.read(into: $0) }
      frames += block[..<count]
    }
    damage = decoder.damage
  }
}

func read(
  _ path: String, at rate: SampleRate = .cd, from offset: FrameCount = 0, start: Double = 0, end: Double? = nil,
  piece: Int = 4_096
) throws -> Reading {
  let source = SoundSource(path: path, start: start, end: end)
  return Reading(try AudioFileLibrary().open(source, at: rate, from: offset), piece: piece)
}

/// The largest difference between two ranges of frames, in decibels of full scale.
func difference(_ a: some Collection<Frame>, _ b: some Collection<Frame>) -> Double {
  let peak = zip(a, b).map { Frame(left: $0.left - $1.left, right: $0.right - $1.right).peak }.max() ?? 0
  return Level(peak: peak).decibels
}

let wav = SF_FORMAT_WAV | SF_FORMAT_PCM_16
let flac = SF_FORMAT_FLAC | SF_FORMAT_PCM_16
let vorbis = SF_FORMAT_OGG | SF_FORMAT_VORBIS
let opus = SF_FORMAT_OGG | SF_FORMAT_OPUS
let mp3 = SF_FORMAT_MPEG | SF_FORMAT_MPEG_LAYER_III

/// The formats by file extension.
let formats = [
  "wav": wav, "flac": flac, "aiff": SF_FORMAT_AIFF | SF_FORMAT_PCM_16, "caf": SF_FORMAT_CAF | SF_FORMAT_PCM_16,
  "ogg": vorbis, "opus": opus, "mp3": mp3,
]
