import CSndFile
import Glibc
import Sounds
import Synchronization

/// A file, or segments of a file, opened by libsndfile. Used by one thread at a time.
final class SndFileHandle {
  /// What the header states.
  let info: SF_INFO
  let pointer: OpaquePointer
  /// The bytes that the library reads; alive as long as `pointer`.
  let view: ByteView

  /// Returns nil if libsndfile can't open the file; `openError` says why.
  init?(_ view: ByteView) {
    self.view = view
    var info = SF_INFO()
    let opened = withViewCallbacks { sf_open_virtual(&$0, Int32(SFM_READ), &info, AudioFiles.pointer(to: view)) }
    guard let opened else { return nil }
    pointer = opened
    self.info = info
  }

  deinit { sf_close(pointer) }

  /// Whether libsndfile, or the library that it uses, has found an error in the data.
  var hasFailed: Bool { sf_error(pointer) != 0 }

  /// Reads up to `frames` interleaved frames; fewer at the end of the data or after an error.
  func read(into samples: UnsafeMutablePointer<Float>, frames: Int) -> Int {
    max(0, Int(sf_readf_float(pointer, samples, Int64(frames))))
  }

  /// Moves to a frame; false if that fails.
  func seek(to frame: Int64) -> Bool { sf_seek(pointer, frame, SEEK_SET) == frame }

  /// Decodes and drops `count` frames; false if not all of them can be decoded.
  func discard(_ count: Int64) -> Bool {
    var left = count
    return withUnsafeTemporaryAllocation(of: Float.self, capacity: 4_096 * Int(info.channels)) { scratch in
      while left > 0, let base = scratch.baseAddress {
        let done = read(into: base, frames: Int(min(left, 4_096)))
        if done == 0 || hasFailed { return false }
        left -= Int64(done)
      }
      return true
    }
  }
}

extension SF_INFO {
  var majorFormat: Int { Int(format) & SF_FORMAT_TYPEMASK }
  var minorFormat: Int { Int(format) & SF_FORMAT_SUBMASK }

  /// Whether the samples after a seek equal, bit for bit, those of a read from the beginning: the decoder has no state
  /// that depends on everything before.
  var hasExactSeeks: Bool {
    [
      SF_FORMAT_PCM_S8, SF_FORMAT_PCM_U8, SF_FORMAT_PCM_16, SF_FORMAT_PCM_24, SF_FORMAT_PCM_32, SF_FORMAT_FLOAT,
      SF_FORMAT_DOUBLE, SF_FORMAT_ULAW, SF_FORMAT_ALAW, SF_FORMAT_VORBIS,
    ].contains(minorFormat)
  }

  /// Whether libsndfile plays something else than the file's sound: the heads of the blocks of a VOC file, channels of an
  /// 8SVX file at wrong places, or bytes that a file named "._" in the current folder describes.
  func isMisread(_ file: RegularFile) -> Bool {
    switch majorFormat {
    case SF_FORMAT_VOC: VOCBlocks(file).areSeveral
    case SF_FORMAT_SVX: 1 < channels
    case SF_FORMAT_SD2: true
    default: false
    }
  }

  /// Whether the samples are not compressed.
  var isPlain: Bool { hasExactSeeks && minorFormat != SF_FORMAT_VORBIS && majorFormat != SF_FORMAT_FLAC }
}

/// The error for a header that states an impossible length.
func impossibleLength(_ file: RegularFile) -> SourceError {
  .damaged(path: file.path, atSecond: 0, cause: "its header states an impossible length")
}

/// Refused files are opened again one after the other, because they would overwrite the variable with their own errors.
private let refusals = Mutex(())
/// How often a refused file is opened again at most.
private let mostTries = 100

/// The error for a file that libsndfile has just refused to open.
///
/// libsndfile keeps the error in one variable for all threads, which each open resets. Files are opened side by side, so
/// a file that was refused is opened once more, and again if another open has reset the variable before it was read.
func openError(_ file: RegularFile, _ view: () -> ByteView) -> SourceError {
  let code = refusals.withLock { _ in
    for _ in 0..<mostTries {
      if SndFileHandle(view()) == nil, case let code = sf_error(nil), code != 0 { return code }
    }
    return 0
  }
  let cause = String(cString: sf_error_number(code))
  // For a file of an unknown format, libsndfile looks for a resource fork, and finds any file named "._" in the current
  // folder. These are its errors about such forks.
  let isFork = [" SD2 ", "resource fork", "bad data offset", "bad data length"].contains { cause.contains($0) }
  switch code {
  case _ where isFork, Int32(SF_ERR_UNRECOGNISED_FORMAT): return .unknownFormat(path: file.path)
  case Int32(SF_ERR_UNSUPPORTED_ENCODING): return unsupportedEncoding(file)
  case _ where cause.contains("unimplemented"): return unsupportedEncoding(file)
  default: return .damaged(path: file.path, atSecond: 0, cause: trimmed(cause))
  }
}

/// The error for an encoding that libsndfile does not decode.
func unsupportedEncoding(_ file: RegularFile) -> SourceError {
  .unsupported(path: file.path, what: "its encoding is not supported; convert it to FLAC or WAV")
}

/// A message of libsndfile without its prefix and its full stop, for use within a sentence.
private func trimmed(_ cause: String) -> String {
  var sentence = Substring(cause)
  if sentence.hasPrefix("Error : ") { sentence = sentence.dropFirst(8) }
  while let last = sentence.last, last == "." || last == "\n" { sentence = sentence.dropLast() }
  return String(sentence)
}
