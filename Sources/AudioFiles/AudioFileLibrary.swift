package import Signal
package import Sounds

/// Opens sound files: local files, and remote ones, which are downloaded first or read while they download.
///
/// Any thread may call it. Calls wait for the disk and, for remote sounds, for the network.
package struct AudioFileLibrary: SoundLibrary {
  /// Avoids scanning an MPEG file again after it was probed.
  private let scans = ScanCache()
  /// Avoids opening a file only to find out its length again; nil if every probe opens it.
  private let lengths: SoundCache?
  private let remote: RemoteSounds
  private let playsWhileDownloading: Bool

  /// - Parameters:
  ///   - remote: downloads remote sounds.
  ///   - lengths: the lengths of files that were probed before.
  ///   - playsWhileDownloading: whether a sound may be opened before its download is complete. Reads then wait for
  ///     bytes that have not arrived.
  package init(
    remote: RemoteSounds = .shared, lengths: SoundCache? = nil, playsWhileDownloading: Bool = false
  ) {
    (self.remote, self.lengths, self.playsWhileDownloading) = (remote, lengths, playsWhileDownloading)
  }

  /// The length, rate, channels and tags of a sound. If the header doesn't state the length, the file is decoded to its
  /// end. A local file that has not changed since an earlier probe is not opened.
  package func probe(_ source: SoundSource, at rate: SampleRate) throws(SourceError) -> SoundFacts {
    try facts(of: [source], at: rate)[0].get()
  }

  package func facts(of parts: [SoundSource], at rate: SampleRate) -> [Result<SoundFacts, SourceError>] {
    let state = parts.first.flatMap { lengths?.state(of: $0.origin.path) }
    var file: FileMeasurement?
    var new: [(part: SoundSource, sound: MeasuredSound)] = []
    let sounds = parts.map { part -> Result<MeasuredSound, SourceError> in
      if let state, let line = lengths?.line(of: part, in: state), let sound = MeasuredSound(line: line),
        sound.libraries.allSatisfy({ $0.failure == nil })
      {
        return .success(sound)
      }
      return Result { () throws(SourceError) in
        var opened = if let file { file } else { FileMeasurement(of: try self.file(of: part), scans: scans) }
        defer { file = opened }
        let sound = try opened.sound(part)
        new.append((part, sound))
        return sound
      }
    }
    if let state, let origin = parts.first?.origin, lengths?.state(of: origin.path) == state {
      lengths?.keep(new.map { ($0.part, $0.sound.line) }, in: state)
    }
    return sounds.map { $0.map { $0.facts(at: rate) } }
  }

  /// Opens a decoder at `offset` frames, at `rate`, from the beginning of the source's part.
  package func open(
    _ source: SoundSource, at rate: SampleRate, from offset: FrameCount
  ) throws(SourceError) -> any Decoder {
    try open(source, at: rate, from: offset, joined: nil)
  }

  package func open(
    _ source: SoundSource, at rate: SampleRate, from offset: FrameCount, joined join: SoundJoin?
  ) throws(SourceError) -> any Decoder {
    let file = try file(of: source)
    do throws(SourceError) {
      let decoder = try decoder(of: source, in: file, at: rate, from: offset, joined: join)
      return file.download.map { DownloadingDecoder(decoder, $0) } ?? decoder
    } catch { throw file.explained(error) }
  }

  private func decoder(
    of source: SoundSource, in file: RegularFile, at rate: SampleRate, from offset: FrameCount,
    joined join: SoundJoin?
  ) throws(SourceError) -> any Decoder {
    let path = file.path
    let reader = try openReader(file, scans: scans)
    let part = try FilePart(of: source, reader.format, path: path)
    let rates = Conversion.Rates(source: reader.format.rate, session: rate.hertz)
    if rates.source != rates.session { try CodecLibrary.libsoxr.load(for: path) }
    let width = PartReader.width(of: reader.format)
    var seam: SoundSeam?
    if let join, rates.source != rates.session {
      seam = SoundSeam(join, rates, width: width) { samples(of: $0, from: $1, $2, rates.source, width) }
    }
    guard let decoder = FileDecoder(reader, part, path: path, rates, seam, from: max(0, offset)) else {
      throw .unsupported(path: path, what: "its rate of \(rates.source) Hz can't be converted to \(rates.session) Hz")
    }
    return decoder
  }

  /// Frames of a sound beside the one that is opened; none if it can't be read or has another rate now. One that is
  /// still being downloaded is not waited for.
  private func samples(
    of source: SoundSource, from frame: Int64, _ count: Int, _ rate: Int, _ width: Int
  ) -> [Float] {
    guard let file = try? file(of: source), file.download == nil, let reader = try? openReader(file, scans: scans),
      reader.format.rate == rate, let part = try? FilePart(of: source, reader.format, path: file.path)
    else { return [] }
    return PartReader(reader, part, path: file.path).samples(from: frame, count: count, width: width)
  }

  /// Opens the file of a source; downloads it first if it is remote.
  func file(of source: SoundSource) throws(SourceError) -> RegularFile {
    switch source.origin {
    case .file(let path):
      // A render reads whole files. In live playback a longer read would delay a start.
      return try RegularFile(path: path, longestRead: playsWhileDownloading ? 65_536 : 2_097_152)
    case .remote(let address): return try remote.file(of: address, playsWhileDownloading: playsWhileDownloading)
    case .generated(let recipe): throw .noSuchGenerator(name: recipe.generator)
    case .spoken(let spoken): throw .speech(.notRendered(text: spoken.label))
    }
  }
}
