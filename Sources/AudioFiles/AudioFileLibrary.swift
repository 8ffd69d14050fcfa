package import Engine
package import Signal

/// Opens sound files: those of this machine, and those of others, which are fetched first, or as far as they can be read
/// from their beginning on.
package struct AudioFileLibrary: SoundLibrary {
  private let scans = ScanCache()
  private let remote: RemoteSounds
  private let takesArriving: Bool

  /// - Parameters:
  ///   - remote: fetches what is not of this machine.
  ///   - takesArriving: whether sounds are opened while they are still fetched, and reading waits for the rest.
  package init(remote: RemoteSounds = .shared, takesArriving: Bool = false) {
    (self.remote, self.takesArriving) = (remote, takesArriving)
  }

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

  package func open(
    _ source: SoundSource, at rate: SampleRate, from offset: FrameCount
  ) throws(SourceError) -> any Decoder {
    let file = try file(of: source)
    do throws(SourceError) {
      let decoder = try decoder(of: source, in: file, at: rate, from: offset)
      return file.arriving.map { ArrivingDecoder(decoder, $0) } ?? decoder
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
      throw .unsupported(path: path, what: "its rate of \(rates.source) Hz can't be changed to \(rates.session) Hz")
    }
    return decoder
  }

  private func file(of source: SoundSource) throws(SourceError) -> RegularFile {
    switch source.origin {
    case .file(let path): return try RegularFile(path: path)
    case .remote(let address): return try remote.file(of: address, takesArriving: takesArriving)
    case .generated(let recipe): throw .noSuchGenerator(name: recipe.generator)
    }
  }

  /// A part whose first frame is lost can't be played at all.
  private func requireSound(_ reader: any SampleReader, _ part: FilePart, _ path: String) throws(SourceError) {
    let sound = PartReader(reader, part, path: path)
    sound.seek(to: 0)
    var frame: [Float] = [0, 0]
    _ = sound.read(into: &frame, frames: 1)
    if let damage = sound.damage, damage.frame == 0 { throw damage.error }
  }

  /// The number of frames of a file that does not say it, by reading all of them. Of a cut file more than are there: whoever
  /// asks for them all learns of the cut, and hears the sound fade out.
  private func measuredEnd(_ reader: any SampleReader, _ path: String) throws(SourceError) -> Int64 {
    var total: Int64 = 0
    withUnsafeTemporaryAllocation(of: Float.self, capacity: 4_096 * reader.form.channels) { scratch in
      while let base = scratch.baseAddress {
        let count = reader.read(into: base, frames: 4_096)
        if count == 0 {
          guard let next = reader.resume(behind: total) else { break }
          total = next
        }
        total += Int64(count)
      }
    }
    guard reader.form.isCut else { return total }
    if total == 0 { throw .damaged(path: path, atSecond: 0, cause: "no sound comes before the damage") }
    return total + Int64(Mending.ramp(atRate: reader.form.rate))
  }
}

extension RegularFile {
  fileprivate func explained(_ error: SourceError) -> SourceError { arriving?.explained(error) ?? error }
}
