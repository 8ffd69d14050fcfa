import Files

/// The folder of what prosper can find out or download again: `$XDG_CACHE_HOME/prosper` or `~/.cache/prosper`.
package enum CacheFolder {
  /// The folder that the environment specifies. A relative `XDG_CACHE_HOME` is ignored.
  ///
  /// - Returns: nil if the environment has no home folder either.
  package static func path(environment: [String: String] = ProcessInput.environment) -> String? {
    if let cache = environment["XDG_CACHE_HOME"], cache.hasPrefix("/") { return cache + "/prosper" }
    if let home = environment["HOME"], home.hasPrefix("/") { return home + "/.cache/prosper" }
    return nil
  }
}
