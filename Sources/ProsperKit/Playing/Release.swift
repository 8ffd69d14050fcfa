/// The release of prosper that this is.
package enum Release {
  /// `MAJOR.MINOR.PATCH`.
  package static let version = "0.1.0"
}
