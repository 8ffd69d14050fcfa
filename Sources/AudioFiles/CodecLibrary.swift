import CAv
import CMpg123
import COpus
import CSndFile
import CSoxr
package import Engine
import Sounds

/// A system library that decodes, encodes or converts sound. It is loaded on first use, and can be missing.
package enum CodecLibrary: String {
  case libavformat, libmpg123, libopus, libsndfile, libsoxr

  /// Loads the library if necessary.
  ///
  /// - Returns: why it can't be used, and the fix; nil if it can.
  package var failure: LibraryFailure? {
    LibraryFailure(text, of: rawValue, with: self == .libavformat ? ["libavcodec", "libavutil"] : [], in: package)
  }

  /// Loads the library if necessary, for a sound.
  ///
  /// - Parameter advice: what else would help if it is missing.
  func load(for path: String, or advice: String = "") throws(SourceError) {
    guard let failure else { return }
    if failure.isShortage { throw .shortage(path: path, cause: failure.description) }
    throw .unreadable(path: path, cause: failure.description + advice)
  }

  /// What the dynamic linker reports; nil if the library is loaded.
  private var text: UnsafePointer<CChar>? {
    switch self {
    case .libavformat: prosper_av_failure()
    case .libmpg123: prosper_mpg123_failure()
    case .libopus: prosper_opus_failure()
    case .libsndfile: prosper_sndfile_failure()
    case .libsoxr: prosper_soxr_failure()
    }
  }

  /// The Debian package that has to be installed.
  private var package: String {
    switch self {
    case .libavformat: "the packages \(String(cString: prosper_av_packages()))"
    case .libmpg123: "the package libmpg123-0"
    case .libopus: "the package libopus0"
    case .libsndfile: "the package libsndfile1"
    case .libsoxr: "the package libsoxr0"
    }
  }
}
