package import Engine
package import Signal

/// Opens sound files: local ones, and remote ones, which are downloaded first or read while they download.
///
/// Any thread may call it. Calls wait for the disk and, for remote sounds, for the network.
package struct AudioFileLibrary: SoundLibrary {
  /// Avoids a second scan of an MPEG file that was probed before.
  private let scans = ScanCache()
  private let remote: RemoteSounds
  private let takesArriving: Bool

  /// - Parameters:
  ///   - remote: downloads remote sounds.
  ///   - takesArriving: whether sounds are opened while they still download; reads then wait for the missing rest.
  package init(remote: RemoteSounds = .shared, takesArriving: Bool = false) {
    (self.remote, self.takesArriving) = (remote, takesArriving)
  }

  /// Length, rate, channels and tags of a sound.
  ///
  /// A file whose header doesn't state the length is decoded to its end.
  package func probe(_ source: SoundSource, at rate: SampleRate) throws(SourceError) -> SoundFacts {
    let file = try file(of: source)
    do throws(SourceError) { return try probe(source, in: file, at: rate) } catch { throw file.explained(error) }
  }

  private func probe(
    _ source: SoundSource, in file: RegularFile, at rate: SampleRate
  ) throws(SourceError) -> SoundFacts {
    let path = file.path
    let reader = try openReader(file, scans: scans)
    let part = try FilePart(of: source, reader.form, path: path)
    let form = reader.form
    if part.end != nil { try requireSound(reader, part, path) }
    let end = if let end = part.end { end } else { try measuredEnd(reader, path) }
    if end <= part.start { throw .emptyPart(path: path, start: source.start, length: Double(end) / Double(form.rate)) }
    return SoundFacts(
      length: resampledLength(end - part.start, from: form.rate, to: rate.hertz), rate: form.rate,
      channels: form.channels, title: form.title, artist: form.artist)
  }

  /// Opens a decoder at `offset` frames, at `rate`, from the beginning of the source's part.
  package func open(
    _ source: SoundSource, at rate: SampleRate, from offset: FrameCount
  ) throws(SourceError) -> any Decoder {
    let file = try file(of: source)
    do throws(SourceError) {
      let decoder = try decoder(of: source, in: file, at: rate, from: offset)
      return file.arriving.map { DownloadingDecoder(decoder, $0) } ?? decoder
    } catch { throw file.explained(error) }
  }

  private func decoder(
    of source: SoundSource, in file: RegularFile, at rate: SampleRate, from offset: FrameCount
  ) throws(SourceError) -> any Decoder {
    let path = file.path
    let reader = try openReader(file, scans: scans)
    let part = PartReader(reader, try FilePart(of: source, reader.form, path: path), path: path)
    let rates = Conversion.Rates(source: reader.form.rate, session: rate.hertz)
    guard let decoder = FileDecoder(part, rates, from: max(0, offset)) else {
      throw .unsupported(path: path, what: "its rate of \(rates.source) Hz can't be converted to \(rates.session) Hz")
    }
    return decoder
  }

  /// Opens the file of a source; downloads it first if it is remote.
  private func file(of source: SoundSource) throws(SourceError) -> RegularFile {
    switch source.origin {
    case .file(let path): return try RegularFile(path: path)
    case .remote(let address): return try remote.file(of: address, takesArriving: takesArriving)
    case .generated(let recipe): throw .noSuchGenerator(name: recipe.generator)
    }
  }

  /// Throws the damage if already the part's first frame is lost: such a part is not played at all.
  private func requireSound(_ reader: any SampleReader, _ part: FilePart, _ path: String) throws(SourceError) {
    let sound = PartReader(reader, part, path: path)
    sound.seek(to: 0)
    var frame: [Float] = [0, 0]
    _ = sound.read(into: &frame, frames: 1)
    if let damage = sound.damage, damage.frame == 0 { throw damage.error }
  }

  /// The number of frames of a file that doesn't state it, counted by decoding all of them.
  ///
  /// For a truncated file it is more than the file has: a read up to there reports the damage, and has room for a
  /// fade-out.
  private func measuredEnd(_ reader: any SampleReader, _ path: String) throws(SourceError) -> Int64 {
    var total: Int64 = 0
    withUnsafeTemporaryAllocation(of: Float.self, capacity: 4_096 * reader.form.channels) { scratch in
      while let base = scratch.baseAddress {
        let count = reader.read(into: base, frames: 4_096)
        if count == 0 {
          guard let next = reader.resume(after: total) else { break }
          total = next
        }
        total += Int64(count)
      }
    }
    guard reader.form.isCut else { return total }
    if total == 0 { throw .damaged(path: path, atSecond: 0, cause: "there is no sound before the damage") }
    return total + Int64(Concealment.ramp(atRate: reader.form.rate))
  }
}

extension RegularFile {
  /// Names a failed download as the cause of an error, if it is the cause.
  fileprivate func explained(_ error: SourceError) -> SourceError { arriving?.explained(error) ?? error }
}
