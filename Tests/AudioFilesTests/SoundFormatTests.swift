import CSndFile
import Foundation
import Signal
import Sounds
import TestSupport
import Testing

@testable import AudioFiles

/// The table of formats in the article *Sound files*.
@Suite struct SoundFormatTests {
  let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }

  private struct Row {
    var file: String
    var sound: String
    /// How the file is written: by libsndfile, or by ffmpeg with these options.
    var format: Int?
    var options: [String] = []
    var name: String
  }

  private static let rows =
    [
      Row(file: "WAV", sound: "PCM", format: wav, name: "a.wav"),
      Row(file: "WAV", sound: "IMA ADPCM", format: SF_FORMAT_WAV | SF_FORMAT_IMA_ADPCM, name: "a.wav"),
      Row(file: "AIFF", sound: "PCM", format: SF_FORMAT_AIFF | SF_FORMAT_PCM_16, name: "a.aiff"),
      Row(file: "CAF", sound: "PCM", format: SF_FORMAT_CAF | SF_FORMAT_PCM_24, name: "a.caf"),
      Row(file: "FLAC", sound: "FLAC, 16 bits", format: flac, name: "a.flac"),
      Row(file: "Ogg", sound: "Vorbis", format: vorbis, name: "a.ogg"),
      Row(file: "Ogg", sound: "Opus", format: opus, name: "a.opus"),
      Row(file: "MP3", sound: "MP3", format: mp3, name: "a.mp3"),
    ] + others

  private static let others = [
    ("FLAC", "FLAC, 24 bits", "-c:a flac -sample_fmt s32", "a.flac"), ("CAF", "ALAC", "-c:a alac", "a.caf"),
    ("WAV", "AC-3", "-c:a ac3", "a.wav"), ("WAV", "WMA 2", "-c:a wmav2", "a.wav"),
    ("WAV", "FLAC", "-c:a flac", "a.wav"), ("Ogg", "FLAC", "-c:a flac", "a.oga"),
    ("Ogg", "Speex", "-c:a libspeex -ar 16000", "a.spx"), ("Ogg", "Vorbis beside Theora", "", "a.ogv"),
    ("MPEG-4 (m4a, mp4)", "AAC", "-c:a aac", "a.m4a"), ("MPEG-4 (m4a, mp4)", "ALAC", "-c:a alac", "a.m4a"),
    ("MPEG-4 (m4a, mp4)", "FLAC", "-c:a flac -strict -2", "a.mp4"),
    ("MPEG-4 (m4a, mp4)", "Opus", "-c:a libopus", "a.mp4"),
    ("MPEG-4 (m4a, mp4)", "MP3", "-c:a libmp3lame", "a.mp4"),
    ("MPEG-4 (m4a, mp4)", "AAC, fragmented", "-c:a aac -movflags frag_keyframe+empty_moov", "a.m4a"),
    ("QuickTime (mov)", "PCM", "-c:a pcm_s24be", "a.mov"), ("AAC (ADTS)", "AAC", "-c:a aac", "a.aac"),
    ("Matroska (mka, mkv)", "AAC", "-c:a aac", "a.mka"), ("Matroska (mka, mkv)", "FLAC", "-c:a flac", "a.mka"),
    ("WebM", "Opus", "-c:a libopus", "a.webm"), ("WebM", "Vorbis", "-c:a libvorbis", "a.webm"),
    ("WMA (ASF)", "WMA 1", "-c:a wmav1", "a.wma"), ("WMA (ASF)", "WMA 2", "-c:a wmav2", "a.wma"),
    ("AC-3", "AC-3", "-c:a ac3", "a.ac3"), ("E-AC-3", "E-AC-3", "-c:a eac3", "a.eac3"),
    ("DTS", "DTS", "-c:a dca -strict -2 -ar 48000", "a.dts"),
    ("RealMedia", "RealAudio 1.0", "-c:a real_144 -ar 8000 -ac 1", "a.rm"),
    ("WavPack", "WavPack", "-c:a wavpack", "a.wv"), ("TTA", "TTA", "-c:a tta", "a.tta"),
    ("MPEG-TS", "AAC", "-c:a aac", "a.ts"), ("MPEG-PS", "MP2", "-c:a mp2", "a.mpg"),
    ("AVI", "MP3", "-c:a libmp3lame", "a.avi"),
    ("FLV", "MP3", "-c:a libmp3lame", "a.flv"),
  ].map { Row(file: $0.0, sound: $0.1, options: $0.2.split(separator: " ").map(String.init), name: $0.3) }

  private func make(_ row: Row) throws -> String {
    let frames = TestSound.noise(20_011)
    if let format = row.format {
      return try write(frames, to: folder.path(row.name), format: format, rate: format == opus ? 48_000 : 44_100)
    }
    let picture = row.name.hasSuffix(".ogv") ? ["-f", "lavfi", "-i", "testsrc=d=1:s=64x48"] : []
    return try encode(frames, picture + row.options, to: row.name, in: folder)
  }

  private func cells(_ row: Row) throws -> [String] {
    let reader = try openReader(RegularFile(path: make(row)), scans: ScanCache())
    let library =
      switch reader {
      case is AvReader: "libavcodec"
      case is MPEGReader: "libmpg123"
      case is OpusReader: "libopus"
      default: "libsndfile"
      }
    let length = reader.format.frames == nil ? "measured" : "stated"
    return [row.file, row.sound, library, reader.isExact ? "any frame" : "one line", length]
  }

  private static let article = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../Sources/ProsperKit/ProsperKit.docc/SoundFiles.md").standardized

  /// With PROSPER_WRITE_TABLES=1 the test writes the table instead.
  @Test func `the table of formats is true`() throws {
    let table = try Self.rows.map { "| " + (try cells($0)).joined(separator: " | ") + " |" }
    var lines = try String(contentsOf: Self.article, encoding: .utf8).components(separatedBy: "\n")
    let first = try #require(lines.firstIndex { $0.hasPrefix("|---") }) + 1
    let end = try #require(lines[first...].firstIndex { !$0.hasPrefix("|") })
    if ProcessInfo.processInfo.environment["PROSPER_WRITE_TABLES"] == "1" {
      lines.replaceSubrange(first..<end, with: table)
      try lines.joined(separator: "\n").write(to: Self.article, atomically: true, encoding: .utf8)
    } else {
      #expect(Array(lines[first..<end]) == table)
    }
  }
}
