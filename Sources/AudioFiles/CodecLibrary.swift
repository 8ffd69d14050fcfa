import CMpg123
import COpus
import CSndFile
import CSoxr

/// A system library that decodes, encodes or converts sound. It is loaded on first use, and can be missing.
enum CodecLibrary: String {
  case libmpg123, libopus, libsndfile, libsoxr

  /// Loads the library if necessary.
  ///
  /// - Returns: why it can't be used, and the fix; nil if it can.
  var failure: String? { isLoaded ? nil : "\(rawValue) can't be loaded; install the package \(package)" }

  private var isLoaded: Bool {
    switch self {
    case .libmpg123: prosper_mpg123_is_loaded()
    case .libopus: prosper_opus_is_loaded()
    case .libsndfile: prosper_sndfile_is_loaded()
    case .libsoxr: prosper_soxr_is_loaded()
    }
  }

  /// The name of the Debian package.
  private var package: String {
    switch self {
    case .libmpg123: "libmpg123-0"
    case .libopus: "libopus0"
    case .libsndfile: "libsndfile1"
    case .libsoxr: "libsoxr0"
    }
  }
}
