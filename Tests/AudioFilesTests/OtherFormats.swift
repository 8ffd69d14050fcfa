import Foundation
import Signal
import Sounds
import TestSupport

@testable import AudioFiles

/// Makes a file of frames with ffmpeg, whose libraries also read it.
///
/// - Parameter options: how to encode, as for the command ffmpeg.
func encode(
  _ frames: [Frame], rate: Int = 44_100, _ options: [String], to name: String, in folder: TemporaryFolder
) throws -> String {
  try encode(folder.write(TestWave.stereo(frames, rate: rate), to: "source.wav"), options, to: name, in: folder)
}

func encode(_ source: String, _ options: [String], to name: String, in folder: TemporaryFolder) throws -> String {
  let path = folder.path(name)
  let words = ["-v", "error", "-y", "-i", source] + options + [path]
  _ = try output(of: "/usr/bin/ffmpeg", words, environment: [:], mustSucceed: true)
  return path
}

/// A picture of a second, before the sound.
let film = ["-f", "lavfi", "-i", "testsrc=d=1:s=64x48", "-c:v", "mpeg4"]

/// The packets of an AAC file, with their headers of seven bytes.
func adts(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
  var (rest, packets) = (bytes[...], [ArraySlice<UInt8>]())
  while 7 < rest.count {
    let size = Int(rest.dropFirst(3).prefix(3).number(.big) >> 5 & 0x1FFF)
    packets.append(rest.prefix(size))
    rest = rest.dropFirst(size)
  }
  return packets
}

/// The samples of a file, with all its channels, and the gaps in it.
struct PlainReading: Equatable {
  var samples: [Float] = []
  var gaps: [Range<Int64>] = []

  init(_ reader: any SampleReader, from start: Int64 = 0, to end: Int64 = .max) {
    let channels = reader.format.channels
    var block = [Float](repeating: 0, count: 1_000 * channels)
    var position = start
    while position < end {
      let wanted = Int(min(1_000, end - position))
      let count = block.withUnsafeMutableBufferPointer { block in
        block.baseAddress.map { reader.read(into: $0, frames: wanted) } ?? 0
      }
      samples += block[..<(count * channels)]
      position += Int64(count)
      guard count < wanted else { continue }
      guard let next = reader.resume(after: position) else { break }
      gaps.append(position..<next)
      samples += [Float](repeating: 0, count: Int(next - position) * channels)
      position = next
    }
  }
}
