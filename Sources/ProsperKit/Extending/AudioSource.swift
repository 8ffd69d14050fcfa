/// Opens sound files in formats that ProsperKit can't decode, or in a different way.
///
/// Pass decoders to a ``SessionReader``. Each sound file of the session is offered to them in order, before the
/// built-in decoders. Sounds from the network and generated sounds are not offered. Several threads may call a decoder
/// at the same time, and a call may block while it reads from a disk.
public protocol AudioDecoder: Sendable {
  /// Opens a sound file.
  ///
  /// A session opens a file more than once: to determine its length, and each time the sound is played.
  ///
  /// - Parameters:
  ///   - path: the absolute path that the session file names. A file need not exist there.
  ///   - sampleRate: frames per second that the source must deliver, in hertz, 8,000 to 192,000. A source of another
  ///     rate has to convert its frames.
  /// - Returns: the opened sound; nil if the next decoder has to open the path.
  /// - Throws: any error, whose description becomes a ``Diagnostic``. The session is played without the sound.
  func open(path: String, sampleRate: Int) throws -> (any AudioSource)?
}

/// An opened sound: delivers consecutive stereo frames at the sample rate that ``AudioDecoder/open(path:sampleRate:)``
/// was called with.
///
/// One thread at a time calls a source, but not always the same one. A call may block while it reads from a disk.
public protocol AudioSource: AnyObject, Sendable {
  /// The number of frames from the first to the last one; nil for a sound that never ends. It must be exact, because
  /// the timeline of a session depends on it.
  var frameCount: Int64? { get }

  /// The rate at which the sound was recorded, in hertz; nil if it has none. A session without a `sampleRate` uses the
  /// rate of most of its material. The default is nil.
  var nativeSampleRate: Int? { get }

  /// Continues at another frame. It is called at most once, before the first ``read(into:)``.
  ///
  /// - Parameter frame: counted from 0, less than ``frameCount``.
  /// - Throws: any error, whose description becomes the reason for which the sound is skipped.
  func seek(toFrame frame: Int64) throws

  /// Fills frames from the beginning of `frames`. Samples that are not finite are replaced by silence.
  ///
  /// - Returns: the number of filled frames. It may be less than `frames.count`; 0 means that the sound has ended.
  /// - Throws: any error. The sound then ends and is reported as damaged. A sound that ends before ``frameCount`` is
  ///   reported as damaged, too.
  func read(into frames: inout MutableSpan<StereoFrame>) throws -> Int
}

extension AudioSource {
  /// Nil: the sound has no rate of its own.
  public var nativeSampleRate: Int? { nil }
}
