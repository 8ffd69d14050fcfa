import Glibc
import ProsperKit
import Synchronization

/// The picture of the track that plays, as a file that the desktop shows: MPRIS passes on addresses, not pictures.
///
/// The file is in the folder of the control sockets, which no other user can read, and is removed at the end. The next
/// player removes files that a crash has left. Any thread may use it.
final class CoverFiles: Sendable {
  private struct State {
    var last: (picture: CoverPicture, path: String)?
    var count = 0
    var isClosed = false
  }

  private let folder: ControlFolder
  private let state = Mutex(State())
  private static let prefix = "cover-"

  init(in folder: ControlFolder = ControlFolder()) { self.folder = folder }

  /// Writes the picture of a sound. Blocks while it reads the sound's file.
  ///
  /// - Returns: the address of the picture's file; nil if the sound has no picture, and if it can't be written.
  func address(of origin: SoundSource.Origin) -> String? {
    guard let picture = AudioFileLibrary(playsWhileDownloading: true).picture(of: SoundSource(origin)) else {
      return nil
    }
    return state.withLock { state in
      if state.isClosed { return nil }
      // The next track of an album has the same picture, which the desktop then need not load again.
      if let last = state.last, last.picture == picture { return Self.address(ofFile: last.path) }
      remove(&state)
      return write(picture, &state).map(Self.address)
    }
  }

  /// Removes the file, and writes no others.
  func close() {
    state.withLock { state in
      state.isClosed = true
      remove(&state)
    }
  }

  private func remove(_ state: inout State) {
    if let last = state.last { unlink(last.path.forSystem) }
    state.last = nil
  }

  private func write(_ picture: CoverPicture, _ state: inout State) -> String? {
    guard (try? folder.prepare()) != nil else { return nil }
    if state.count == 0 { removeAbandoned() }
    state.count += 1
    let path = "\(folder.path)/\(Self.prefix)\(getpid())-\(state.count).\(picture.format.rawValue)"
    guard (try? UnfinishedFile.write(picture.bytes, to: path, isPrivate: true)) != nil else { return nil }
    state.last = (picture, path)
    return path
  }

  /// Removes the files of players that no longer run.
  private func removeAbandoned() {
    for name in FilePath.names(in: folder.path) {
      guard name.hasPrefix(Self.prefix), let pid = pid_t(name.dropFirst(Self.prefix.count).prefix { $0 != "-" }) else {
        continue
      }
      if pid == getpid() || kill(pid, 0) != 0 && errno == ESRCH { unlink("\(folder.path)/\(name)".forSystem) }
    }
  }

  /// The address of a file: the bytes of its path, those with a meaning or without one escaped.
  private static func address(ofFile path: String) -> String {
    path.systemBytes.reduce(into: "file://") { address, byte in
      let character = Character(Unicode.Scalar(byte))
      let isPlain = character.isASCII && (character.isLetter || character.isNumber || "/-._~".contains(character))
      address += isPlain ? String(character) : "%" + hexadecimal(byte).uppercased()
    }
  }
}
