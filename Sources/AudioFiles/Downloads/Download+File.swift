import Engine

extension Download {
  /// The sound's file while it downloads; nil if it has to be complete first. Waits until that is known.
  ///
  /// Opening the file here reads it, and so waits for the bytes that its format needs. A format with data at its end is
  /// complete by then.
  ///
  /// - Parameter name: shown in messages instead of the path.
  func file(knownAs name: String) -> RegularFile? {
    guard case .content(let content, let edition) = beginning() else { return nil }
    let arriving = DownloadingFile(self, edition, length: content.length)
    guard let file = try? RegularFile(path: content.path, knownAs: name, arriving: arriving) else { return nil }
    if isReleased(edition) { return file }
    guard beginsWithItsLength(file), let rate = playingRate(of: file) else { return nil }
    return release(edition, playingAt: rate) ? file : nil
  }
}

/// Whether the first bytes of a file state the length of its sound.
private func beginsWithItsLength(_ file: RegularFile) -> Bool {
  file.bytes(at: 0, count: 4) == Array("fLaC".utf8) || promisedData(file) != nil
}

/// Bytes per second of playback; nil if only the end of the file shows its length, and for files that are not sounds.
private func playingRate(of file: RegularFile) -> Double? {
  guard let form = try? openReader(file, scans: ScanCache()).form, let frames = form.frames, 0 < frames else {
    return nil
  }
  return Double(file.size) * Double(form.rate) / Double(frames)
}
