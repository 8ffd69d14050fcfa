import Engine
import Sounds

/// The picture of the track that plays, for `mpris:artUrl`. Only the bus thread uses it.
///
/// Searches on a separate thread, because a disk may not respond.
final class TrackArt {
  /// The result of a search.
  struct Found: Sendable {
    var origin: SoundSource.Origin
    /// Nil if the sound has no picture.
    var url: String?
  }

  private let find: @Sendable (SoundSource.Origin) -> String?
  /// Takes a result on any thread and passes it to `update`.
  private let deliver: @Sendable (Found) -> Void
  /// The sound whose picture is known or searched.
  private var origin: SoundSource.Origin?
  private var isSearching = false
  /// Nil if there is no picture, or while the search runs.
  private(set) var url: String?

  init(
    find: @escaping @Sendable (SoundSource.Origin) -> String?, deliver: @escaping @Sendable (Found) -> Void
  ) {
    (self.find, self.deliver) = (find, deliver)
  }

  /// Sets the sound that plays now.
  func show(_ new: SoundSource.Origin?) {
    guard new != origin else { return }
    (origin, url) = (new, nil)
    search()
  }

  /// Receives the result of a search. Drops it if another sound plays by now.
  func update(_ found: Found) {
    isSearching = false
    if found.origin == origin { url = found.url } else { search() }
  }

  /// One search at a time, so that a disk that does not respond blocks only one thread.
  private func search() {
    guard !isSearching, let origin else { return }
    if case .generated = origin { return }
    isSearching = OSThread.start { [find, deliver] in deliver(Found(origin: origin, url: find(origin))) }
  }
}
