import ProsperKit

/// A stage, a track, an overlay or a gong of a report.
struct ReportedCue: Equatable {
  enum Kind: String { case stage, track, overlay, gong }

  /// How what was planned and what happened belong together.
  enum Fate: Equatable {
    /// It began so many seconds after its place in the plan; negative if it was early.
    case began(late: Double)
    /// It was sounding when the session or, after a command, the stage began.
    case wasPlaying
    /// It began without being planned, as what a command adds.
    case unplanned
    /// Its place was played, but it did not begin.
    case missed
    /// Its place was not played.
    case unreached
  }

  var kind: Kind
  var title: String
  /// Its place in the plan; nil if it has none.
  var planned: PlannedPlace?
  /// Session time in seconds at which it began; nil if it did not.
  var actual: Double?
  var fate: Fate

  /// What is the same of a cue in two plans.
  struct Identity: Hashable {
    var kind: Kind
    var title: String
    var planned: PlannedPlace?
  }

  var identity: Identity { Identity(kind: kind, title: title, planned: planned) }
}

/// A place in the plan of a session. Session time leaves the plan when a command goes elsewhere.
struct PlannedPlace: Hashable {
  /// Seconds from the beginning of the session; nil after an open stage, when nobody knows them.
  var session: Double?
  /// The index of the stage, and seconds from its beginning; nil for what belongs to the session as a whole.
  var stage: Int?
  var seconds = 0.0
  /// The name of the stage in the plan; nil without a stage, and for what happened.
  var stageName: String?
}

/// Finds for everything that began the planned cue that it is.
struct CuePairs {
  /// What began, and where in the plan that was.
  struct Begun {
    var kind: ReportedCue.Kind
    var title: String
    var place: PlannedPlace
    var session: Double
    /// The number of stages that had begun by then. A command can lead to the same stage again.
    var visit: Int
    /// Whether the stage began at the same time. What sounds in the middle of a stage is reported then.
    var opensVisit: Bool

    init(kind: ReportedCue.Kind, title: String, at event: StampedEvent, visit: Int, opensVisit: Bool) {
      (self.kind, self.title, self.visit, self.opensVisit) = (kind, title, visit, opensVisit)
      (place, session) = (event.place, event.session)
    }
  }

  /// The line on which two places can be compared: that of the session, or of a stage.
  fileprivate enum Line: Hashable { case session, stage(Int) }

  private struct Key: Hashable {
    var kind: ReportedCue.Kind
    var title: String
    var line: Line
  }

  private let planned: [ReportedCue]
  /// The indices of the stages whose end is not planned.
  private let openStages: Set<Int>
  /// For each kind and title, the positions of the planned cues in order.
  private var places: [Key: [(position: Double, index: Int)]] = [:]
  /// The parts of the plan that were played.
  private var played: [Line: [ClosedRange<Double>]] = [:]
  private(set) var reported: [ReportedCue] = []

  /// Below this, two times are the same: they are printed in milliseconds.
  private static let tolerance = 0.001
  /// A cue that begins later than this is another one. A live session waits so long for a sound.
  private static let mostLate = 10.0

  /// - Parameters:
  ///   - timeline: the plan; nil if there is none.
  ///   - events: all events of the session, in their order.
  init(_ timeline: Timelines.Timeline?, began: [Begun], during events: [StampedEvent]) {
    planned = timeline.map(Self.planned) ?? []
    openStages = Set((timeline?.stages ?? []).indices.filter { timeline?.stages[$0].end == nil })
    for (index, cue) in planned.enumerated() {
      for (line, position) in cue.planned?.positions ?? [] {
        places[Key(kind: cue.kind, title: cue.title, line: line), default: []].append((position, index))
      }
    }
    for key in places.keys { places[key]?.sort { $0 < $1 } }
    notePlayed(events)
    pair(began)
  }

  private mutating func notePlayed(_ events: [StampedEvent]) {
    for (event, next) in zip(events, events.dropFirst()) {
      let passed = next.session - event.session
      let ends = Dictionary(next.place.positions) { first, _ in first }
      for (line, position) in event.place.positions {
        guard let end = ends[line], abs(end - position - passed) < 10 * Self.tolerance else { continue }
        if let last = played[line]?.last, last.contains(position), last.upperBound <= end {
          played[line]?.removeLast()
          played[line]?.append(last.lowerBound...end)
        } else if position <= end {
          played[line, default: []].append(position...end)
        }
      }
    }
  }

  private mutating func pair(_ began: [Begun]) {
    var pairs = [Int?](repeating: nil, count: began.count)
    var taken: Set<[Int]> = []
    var found: Set<Int> = []
    for (number, cue) in began.enumerated() {
      let near = candidates(for: cue, from: -Self.tolerance, to: Self.tolerance)
      guard let index = near.first(where: { !taken.contains([cue.visit, $0]) }) else { continue }
      pairs[number] = index
      taken.insert([cue.visit, index])
      found.insert(index)
    }
    // What is exactly in its place is no candidate for what is late.
    for (number, cue) in began.enumerated() where pairs[number] == nil {
      let earliest = cue.opensVisit ? -Double.infinity : -Self.mostLate
      let near = candidates(for: cue, from: earliest, to: cue.opensVisit ? 0 : Self.mostLate)
      pairs[number] = near.first { !taken.contains([cue.visit, $0]) && (cue.opensVisit || !found.contains($0)) }
      if let index = pairs[number] { taken.insert([cue.visit, index]) }
    }
    reported = zip(began, pairs).map { cue, index in
      let pair = index.map { planned[$0] }
      return ReportedCue(
        kind: cue.kind, title: cue.title, planned: pair?.planned, actual: cue.session, fate: fate(of: cue, pair))
    }
    let all = found.union(pairs.compactMap(\.self))
    reported += planned.indices.filter { !all.contains($0) }.compactMap { index in
      var cue = planned[index]
      cue.fate = wasPlayed(cue) ? .missed : .unreached
      // What an open stage repeats has no last one.
      let isEndless = cue.fate == .unreached && cue.planned?.stage.map(openStages.contains) == true
      return isEndless && cue.kind != .stage ? nil : cue
    }
  }

  /// The planned cues of the same kind and title between two distances from where one began, the nearest one first.
  private func candidates(for cue: Begun, from first: Double, to last: Double) -> [Int] {
    guard let (line, position) = cue.place.positions.first else { return [] }
    let all = places[Key(kind: cue.kind, title: cue.title, line: line)] ?? []
    let begin = all.partitionPoint { position + first <= $0.position }
    let near = all[begin...].prefix { $0.position <= position + last }
    return near.sorted { abs($0.position - position) < abs($1.position - position) }.map(\.index)
  }

  private func fate(of cue: Begun, _ planned: ReportedCue?) -> ReportedCue.Fate {
    guard let place = planned?.planned, let (line, position) = cue.place.positions.first,
      let own = place.positions.first(where: { $0.line == line })
    else { return .unplanned }
    let late = position - own.position
    return cue.opensVisit && Self.tolerance < late ? .wasPlaying : .began(late: late)
  }

  private func wasPlayed(_ cue: ReportedCue) -> Bool {
    (cue.planned?.positions ?? []).contains { line, position in
      (played[line] ?? []).contains { $0.contains(position) }
    }
  }
}

extension CuePairs {
  /// Everything that begins at a known time in its stage.
  private static func planned(in timeline: Timelines.Timeline) -> [ReportedCue] {
    let rate = timeline.rate
    func cue(_ kind: ReportedCue.Kind, _ title: String, _ frame: FrameTime, _ stage: Int?) -> ReportedCue {
      let begin = stage.map { timeline.stages[$0].begin } ?? 0
      let isKnown = stage.map { !timeline.stages[..<$0].contains { $0.end == nil } } ?? true
      let place = PlannedPlace(
        session: isKnown ? rate.seconds(frame) : nil, stage: stage, seconds: rate.seconds(frame - begin),
        stageName: stage.map { timeline.stages[$0].name })
      return ReportedCue(kind: kind, title: title, planned: place, actual: nil, fate: .unreached)
    }
    func cues(_ clips: [Clip], _ stage: Int?) -> [ReportedCue] {
      clips.map { cue($0.layer == .overlay ? .overlay : .gong, $0.title, $0.at, stage) }
    }
    var all = cues(timeline.cues, nil)
    for (index, stage) in timeline.stages.enumerated() {
      all.append(cue(.stage, stage.name, stage.begin, index))
      all += cues(stage.cues, index)
      // An open stage plays its playlist for as long as the listener wants.
      let tracks = stage.music.clips.lazy.prefix { clip in
        stage.end.map { clip.at < $0 } ?? (clip.entry?.pass == 0)
      }
      all += tracks.prefix(mostTracks).map { cue(.track, $0.title, $0.at, index) }
    }
    return all
  }

  /// The most tracks of a stage that are compared.
  private static let mostTracks = 20_000
}

extension PlannedPlace {
  /// The place on each line on which it is known, that of the session first.
  fileprivate var positions: [(line: CuePairs.Line, position: Double)] {
    let onSession = session.map { (line: CuePairs.Line.session, position: $0) }
    return [onSession, stage.map { (line: CuePairs.Line.stage($0), position: seconds) }].compactMap(\.self)
  }
}

extension StampedEvent {
  /// Where in the plan it happened.
  fileprivate var place: PlannedPlace {
    PlannedPlace(session: planned, stage: position?.stage, seconds: position?.seconds ?? 0)
  }
}
