import Sounds

extension Download {
  /// Opens the sound's file while it downloads; nil if it can be played only when it is complete. Waits until that is
  /// known.
  ///
  /// To compute the bytes per second of playback, this reads the file's header, and waits for the bytes that the format
  /// needs. If the format needs data at the end of the file, the file is complete by then.
  ///
  /// - Parameter name: shown in messages instead of the path.
  func file(knownAs name: String) -> RegularFile? {
    guard case .content(let content, let edition) = beginning() else { return nil }
    let download = DownloadingFile(self, edition, length: content.length)
    guard let file = try? RegularFile(path: content.path, knownAs: name, download: download) else { return nil }
    if isReleased(edition) { return file }
    guard beginsWithItsLength(file), let rate = playingRate(of: file) else { return nil }
    return release(edition, playingAt: rate) ? file : nil
  }
}

/// Whether the beginning of a file states the length of its sound.
private func beginsWithItsLength(_ file: RegularFile) -> Bool {
  if file.bytes(at: 0, count: 4) == Array("fLaC".utf8) { return true }
  return SoundContainer(file).map { $0.size.isHeld && !$0.isMPEG } ?? false
}

/// Bytes per second of playback; nil if the file doesn't state its length, and for files that are not sounds.
private func playingRate(of file: RegularFile) -> Double? {
  guard let format = try? openReader(file, scans: ScanCache()).format, let frames = format.frames, 0 < frames else {
    return nil
  }
  return Double(file.size) * Double(format.rate) / Double(frames)
}
