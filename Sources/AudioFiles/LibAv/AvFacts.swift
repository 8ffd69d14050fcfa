import CAv
import Sounds

/// What the first reader of a file with libavformat finds out, and further readers use.
struct AvFacts {
  /// How the place of decoded frames within the sound is found.
  enum Times {
    /// Each packet has the time of its first frame.
    case exact(AvClock)
    /// Only times before 0 are used: such frames are not part of the sound.
    case rounded(AvClock?)
    /// The pages of an Ogg file state where they end.
    case pages(OggPlaces)
  }

  var format: SampleFormat
  private(set) var times: Times
  /// Whether decoding can begin at any packet.
  private(set) var isStateless = false
  /// Whether a step in the times of packets shows that frames are lost.
  let hasSteps: Bool

  /// - Parameter frame: the first decoded frame. Only it shows the rate and the channels of some formats.
  init(_ line: AvLine, _ frame: UnsafePointer<AVFrame>, _ file: RegularFile) {
    let input = line.input
    let rate = Int(frame.pointee.sample_rate)
    format = SampleFormat(
      rate: rate, channels: Int(frame.pointee.ch_layout.nb_channels), roles: roles(of: frame),
      isFloatingPoint: hasFloats(frame), title: input.text("title"), artist: input.text("artist"))
    // A stream of Opus leaves out what is silent.
    hasSteps = AvFormats.stepped.contains(input.name) && line.decoder != "opus"
    let clock = AvClock(input, rate: rate)
    times = .rounded(clock)
    if let stream = input.ogg?.stream {
      let places = OggPlaces(stream, input, file, packet: Int64(frame.pointee.nb_samples))
      times = .pages(places)
      setOggLength(places.length, isComplete: stream.hasItsEnd)
    } else if input.name == "ogg" {
      setOggLength(clock.flatMap(input.length), isComplete: !isTruncatedOgg(file))
    }
    guard let clock, AvFormats.timed.contains(input.name),
      !input.isMovie || isRegular(input.movie, clock, line.fixedLength)
    else { return }
    times = .exact(clock)
    isStateless = AvFormats.stateless.contains(line.decoder)
    format.frames = input.length(clock)
  }

  private mutating func setOggLength(_ length: Int64?, isComplete: Bool) {
    format.isTruncated = !isComplete
    // The length of a truncated file includes the fade-out after the last frame.
    let fade = isComplete ? 0 : Int64(Concealment.ramp(atRate: format.rate))
    format.frames = length.map { $0 + fade }
  }

  /// Adds decoded frames to others. Returns their number; nil if they differ from the format.
  func append(_ frame: UnsafePointer<AVFrame>, to samples: inout [Float], after count: Int64) -> Int64? {
    let (added, channels) = (Int(frame.pointee.nb_samples), format.channels)
    guard Int(frame.pointee.sample_rate) == format.rate, Int(frame.pointee.ch_layout.nb_channels) == channels else {
      return nil
    }
    let missing = (Int(count) + added) * channels - samples.count
    if 0 < missing { samples += Array(repeating: 0, count: missing) }
    return convert(frame, into: &samples, at: Int(count) * channels) ? Int64(added) : nil
  }

  /// The place of the first frame of a packet with a time; nil if it follows the one before.
  func place(of time: Int64, isFirst: Bool) -> Int64? {
    switch times {
    case .exact(let clock): clock.frame(time)
    case .rounded(let clock): isFirst ? clock?.frame(time).flatMap { $0 < 0 ? $0 : nil } : nil
    case .pages: nil
    }
  }

  /// The place of the first of `count` frames, the last of which ends the page of the last packet.
  mutating func place(ofPage queue: OggQueue?, _ count: Int64, isFirst: Bool) -> Int64? {
    guard case .pages(var places) = times, let queue, let end = queue.pageEnd else { return nil }
    if isFirst, queue.isLastPage { return -places.lead }
    let place = end - count - places.shift
    // The beginning of the stream has been cut off. A program that does so without encoding the sound anew may set the
    // first positions back by more than it has cut off.
    guard isFirst, 0 < place || places.lead == 0 else { return place }
    places.shift += place
    format.frames? -= place
    times = .pages(places)
    return 0
  }
}

/// The places of the pages of an Ogg file within its sound.
struct OggPlaces {
  /// The number of frames that a decoder delivers before the sound.
  private(set) var lead: Int64 = 0
  /// The stream's position at the first frame of the sound.
  var shift: Int64 = 0
  private(set) var length: Int64

  /// - Parameter packet: the number of frames in each packet of Speex.
  init(_ stream: OggStream, _ input: AvInput, _ file: RegularFile, packet: Int64) {
    length = stream.end
    guard let parameters = input.stream.pointee.codecpar, parameters.pointee.codec_id == AV_CODEC_ID_SPEEX,
      let data = parameters.pointee.extradata, 80 <= parameters.pointee.extradata_size
    else { return }
    setSpeex(Array(UnsafeBufferPointer(start: data, count: 80)), stream, OggPage(in: file, at: stream.headEnd), packet)
  }

  /// As in `speexdec`: positions count the frames of the recording, so that the last one is its length. The first packet
  /// begins before position 0, by the encoder's delay, which the first page shows. The decoder adds a quarter of a
  /// block. If the encoder has not coded the recording up to its end, the sound ends with the last packet.
  private mutating func setSpeex(_ head: [UInt8], _ stream: OggStream, _ first: OggPage?, _ packet: Int64) {
    let delays: [Int64] = [40, 143, 349]
    let mode = Int(min(2, max(0, head[40..<44].number(.little))))
    let decoderDelay: Int64 = 40 << Int64(mode)
    var (encoderDelay, begin) = (delays[mode], 0 as Int64)
    if let first, !first.isLast, let position = first.position {
      let missing = Int64(first.packets) * packet - position
      encoderDelay = max(0, min(missing, packet))
      // The beginning of the stream has been cut off, as by a program that has joined a broadcast.
      begin = max(0, -missing)
    }
    let end = stream.end - begin
    let coded = (end + encoderDelay + packet - 1) / packet * packet
    (lead, shift) = (encoderDelay + decoderDelay, begin + decoderDelay)
    length = max(0, min(end, coded - lead))
  }
}

/// Whether all packets of a movie have the length that the decoder delivers. Some recorders write the times at which
/// packets were made instead.
private func isRegular(_ movie: MovieTrack?, _ clock: AvClock, _ length: Int64) -> Bool {
  guard let movie, movie.isPlain, let step = movie.step, step < mostFrames else { return false }
  return length == 0 || step * clock.rate == length
}

/// The conversion of the times of a stream to frames.
struct AvClock {
  /// Frames per tick.
  let rate: Int64
  /// The time of the first frame.
  let origin: Int64

  /// nil if a tick is not a whole number of frames.
  init?(_ input: AvInput, rate hertz: Int) {
    let base = input.stream.pointee.time_base
    guard 0 < base.num, 0 < base.den, Int(base.num) * hertz % Int(base.den) == 0 else { return nil }
    rate = Int64(Int(base.num) * hertz / Int(base.den))
    let start = input.stream.pointee.start_time
    guard rate < 1 << 20, start == prosper_av_no_time || abs(start) < mostFrames else { return nil }
    // Frames before time 0 are the encoder's delay. A later start is a delay against the pictures of a film.
    origin = input.packets?.delay ?? (start == prosper_av_no_time ? 0 : max(0, start))
  }

  func frame(_ time: Int64) -> Int64? {
    time != prosper_av_no_time && abs(time) < mostFrames ? (time - origin) * rate : nil
  }

  func time(_ frame: Int64) -> Int64 { frame / rate + origin }
}

extension AvInput {
  /// The number of frames that the file states; nil if it states none.
  func length(_ clock: AvClock) -> Int64? {
    let ticks: Int64?
    if let movie {
      let whole = movie.length.map { movie.hasEdit ? $0 : $0 - clock.origin }
      let stated = text("iTunSMPB").flatMap(soundLength)
      ticks = whole.map { whole in stated.map { min(whole, $0) } ?? whole }
    } else if name == "caf" {
      ticks = packets?.frames
    } else {
      ticks = declaredSeconds == nil ? nil : stream.pointee.duration + min(0, stream.pointee.start_time)
    }
    return ticks.flatMap { 0 < $0 && $0 < mostFrames / clock.rate ? $0 * clock.rate : nil }
  }
}

/// The number of frames without the encoder's delay and padding in iTunes' text about them: the fourth of its hexadecimal
/// numbers.
private func soundLength(_ text: String) -> Int64? {
  let numbers = text.split(separator: " ").prefix(4).map { Int64($0, radix: 16) }
  return numbers.count == 4 ? numbers[3].flatMap { 0 < $0 ? $0 : nil } : nil
}
