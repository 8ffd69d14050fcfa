import Engine

extension Arrival {
  /// The sound's file while it is coming; nil for one that has to be waited for. Waits until that is clear.
  ///
  /// What is looked at here waits for what it needs. A format that keeps something at its end is whole by then.
  ///
  /// - Parameter name: what a listener knows it by.
  func file(knownAs name: String) -> RegularFile? {
    guard case .content(let content, let edition) = beginning() else { return nil }
    let arriving = ArrivingFile(self, edition, length: content.length)
    guard let file = try? RegularFile(path: content.path, knownAs: name, arriving: arriving) else { return nil }
    if isReleased(edition) { return file }
    guard beginsWithItsLength(file), let rate = playingRate(of: file) else { return nil }
    return release(edition, playingAt: rate) ? file : nil
  }
}

/// Whether what a file begins with says how long its sound is.
private func beginsWithItsLength(_ file: RegularFile) -> Bool {
  file.bytes(at: 0, count: 4) == Array("fLaC".utf8) || promisedData(file) != nil
}

/// Bytes that a second of playing takes; nil where only the end tells how long it is, and for what is no sound.
private func playingRate(of file: RegularFile) -> Double? {
  guard let form = try? openReader(file, scans: ScanCache()).form, let frames = form.frames, 0 < frames else {
    return nil
  }
  return Double(file.size) * Double(form.rate) / Double(frames)
}
