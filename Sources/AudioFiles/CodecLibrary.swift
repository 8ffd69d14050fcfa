import CAv
import CMpg123
import COpus
import CSndFile
import CSoxr

/// A system library that decodes, encodes or converts sound. It is loaded on first use, and can be missing.
enum CodecLibrary: String {
  case libavformat, libmpg123, libopus, libsndfile, libsoxr

  /// Loads the library if necessary.
  ///
  /// - Returns: why it can't be used, and the fix; nil if it can.
  var failure: String? { isLoaded ? nil : "\(rawValue) can't be loaded; install \(package)" }

  private var isLoaded: Bool {
    switch self {
    case .libavformat: prosper_av_is_loaded()
    case .libmpg123: prosper_mpg123_is_loaded()
    case .libopus: prosper_opus_is_loaded()
    case .libsndfile: prosper_sndfile_is_loaded()
    case .libsoxr: prosper_soxr_is_loaded()
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
