import Engine
import Files
import Markup
package import Sounds
import Synchronization

/// Makes and caches the speech of a process. Each sentence is spoken once; any thread may call it. A call waits until
/// what it needs has been spoken.
package final class SpokenSounds: Sendable {
  /// The instance that all sessions of the process use.
  package static let shared = SpokenSounds(cache: SpeechCache())
  /// Lets no engine speak: only texts that are in the cache can be opened.
  package static let cached = SpokenSounds(cache: SpeechCache(), isSpeaking: false)

  /// Ends the engines that speak now, and lets none start. Called before the program ends, on any thread, also by the
  /// handler of a signal.
  package static func endEngines() { EngineProcess.endAll() }

  private struct State {
    /// The texts that can be opened.
    var scripts: [Spoken: SpokenScript] = [:]
    var failures: [Spoken: Failed] = [:]
    var installations: [String: Result<EspeakInstallation, SpeechFailure>] = [:]
    /// Paths of sentences that this process plays. They are not removed from the cache to make room.
    var used: Set<String> = []
  }

  /// A failure is reported again for some seconds, because the same text is asked for several times.
  private struct Failed {
    let failure: SpeechFailure
    /// In nanoseconds of the monotonic clock.
    let time = monotonicNanoseconds()
    var holds: Bool { monotonicNanoseconds() - time < 10_000_000_000 }
  }

  /// Texts that commands have added are forgotten when there are more.
  private static let mostScripts = 1_000

  /// Nil if there is no folder for it.
  private let cache: SpeechCache?
  private let voicesPath: String?
  private let folders: String?
  private let isSpeaking: Bool
  private let limits: EngineProcess.Limits
  private let state = Mutex(State())

  /// - Parameters:
  ///   - voices: the path of `voices.yaml`.
  ///   - folders: where programs are searched, as in `PATH`.
  ///   - isSpeaking: whether engines speak; they are asked for their version in any case.
  ///   - seconds: how long an engine may take for a sentence.
  init(
    cache: SpeechCache?, voices: String? = VoiceFile.path(), folders: String? = ProcessInput.variable("PATH"),
    isSpeaking: Bool = true, seconds: Double = 60
  ) {
    (self.cache, voicesPath, self.folders, self.isSpeaking) = (cache, voices, folders, isSpeaking)
    limits = EngineProcess.Limits(seconds: seconds, bytes: 64 << 20)
  }

  /// Speaks texts that are not in the cache, several sentences at the same time. Blocks until all are spoken. Failures
  /// are reported when a sound is opened. After the first failure of an engine, it speaks nothing more.
  ///
  /// Voices and programs are examined again, because they may have changed.
  ///
  /// - Parameter progress: called with the number of spoken sentences and of all that are missing, on any thread; it must
  ///   not block.
  package func prepare(_ texts: some Sequence<Spoken>, progress: (@Sendable (Int, Int) -> Void)? = nil) {
    let texts = Array(Set(texts))
    if texts.isEmpty { return }
    state.withLock { state in
      for text in texts { (state.scripts[text], state.failures[text]) = (nil, nil) }
      state.installations = [:]
    }
    let drafts = texts.compactMap { text in draft(of: text).map { (text: text, draft: $0) } }
    let failures = speak(drafts.map(\.draft), progress)
    for (text, draft) in drafts {
      if let failure = failures[draft.group] { fail(text, failure) } else { _ = try? script(of: text, as: draft) }
    }
    cache?.makeRoom(besides: state.withLock { $0.used })
  }

  /// Why a text can't be spoken; nil if it can.
  package func problem(of spoken: Spoken) -> SourceError? {
    do throws(SourceError) { _ = try script(of: spoken) } catch { return error }
    return nil
  }

  /// The name of the engine that speaks a text; nil if it is not known.
  package func engineName(of spoken: Spoken) -> String? { (try? script(of: spoken))?.engine.name }

  /// What identifies the voice of a text, and the edition of its engine; nil if they are not known.
  package func identity(of spoken: Spoken) -> String? { (try? script(of: spoken))?.engine.key(of: "") }

  /// The sentences of a text. Waits until the text has been spoken.
  func script(of spoken: Spoken) throws(SourceError) -> SpokenScript {
    let known: Result<SpokenScript, SpeechFailure>? = state.withLock { state in
      if let script = state.scripts[spoken] { return .success(script) }
      return state.failures[spoken].flatMap { $0.holds ? .failure($0.failure) : nil }
    }
    do throws(SpeechFailure) {
      if let known { return try known.get() }
      return try script(of: spoken, as: try makeDraft(of: spoken))
    } catch {
      if known == nil { fail(spoken, error) }
      throw .speech(error)
    }
  }

  private func fail(_ spoken: Spoken, _ failure: SpeechFailure) {
    state.withLock { state in
      if Self.mostScripts < state.failures.count { state.failures = [:] }
      state.failures[spoken] = Failed(failure: failure)
    }
  }

  /// The stored sentence. Speaks it if it is not in the cache.
  func sentence(_ text: String, by engine: any SpeechEngine) throws(SpeechFailure) -> StoredSentence {
    guard let cache else { throw .notStored(cause: "there is no home folder; set XDG_CACHE_HOME to a folder") }
    let key = engine.key(of: text)
    if let stored = cache.sentence(key) { return stored }
    guard isSpeaking else { throw .notRendered(text: Spoken(text).label) }
    let sound: EngineSound
    do throws(SpeechFailure.Fault) {
      // Piper speaks line by line.
      let bytes = try EngineProcess.run(
        engine.program, engine.arguments, input: Array((text + "\n").utf8), limits: limits)
      sound = try EngineSound(wave: bytes)
    } catch { throw .engine(program: engine.name, error) }
    return try cache.keep(sound, as: key)
  }
}

/// A text that has been divided into sentences, and its engine.
private struct Draft: Sendable {
  let segments: [SpeechSegment]
  let engine: any SpeechEngine
  /// Equal for engines that fail alike.
  var group: String { engine.key(of: "") }
}

extension SpokenSounds {
  private func draft(of spoken: Spoken) -> Draft? {
    do throws(SpeechFailure) { return try makeDraft(of: spoken) } catch {
      fail(spoken, error)
      return nil
    }
  }

  private func makeDraft(of spoken: Spoken) throws(SpeechFailure) -> Draft {
    let segments: [SpeechSegment]
    do throws(SpeechMistake) { segments = try SpeechText.segments(of: spoken) } catch {
      throw .text(problem: error.problem, remedy: error.fix)
    }
    return Draft(segments: segments, engine: try engine(for: spoken))
  }

  private func engine(for spoken: Spoken) throws(SpeechFailure) -> any SpeechEngine {
    let voice = try voice(of: spoken)
    let place = voice.location?.description ?? "voices.yaml"
    switch voice.engine {
    case .espeak(let settings):
      let installation = try installation(of: voice.program)
      return try EspeakEngine(settings, language: voice.language ?? spoken.language, installation, at: place)
    case .piper(let settings):
      return try PiperEngine(settings, program: voice.program, at: place, folders: folders)
    }
  }

  private func voice(of spoken: Spoken) throws(SpeechFailure) -> Voice {
    guard let name = spoken.voice else { return .standard }
    let file = VoiceFile(path: voicesPath)
    if let failure = file.failure { throw .invalidVoice(problem: "\(failure.location): \(failure.advice)") }
    switch file.voices[name] {
    case .success(let voice)?: return voice
    case .failure(let problem)?: throw .invalidVoice(problem: "\(problem.location): \(problem.advice)")
    case nil:
      throw .unknownVoice(name: shown(name), remedy: Self.remedy(for: name, file, at: voicesPath))
    }
  }

  private static func remedy(for name: String, _ file: VoiceFile, at path: String?) -> String {
    let names = file.voices.keys.sorted()
    if names.isEmpty { return "describe it in \(path ?? "$XDG_CONFIG_HOME/prosper/voices.yaml"), or remove 'voice'" }
    return Suggestion.fix(for: name, among: names)
  }

  private func installation(of program: String?) throws(SpeechFailure) -> EspeakInstallation {
    let name = program ?? ""
    if let known = state.withLock({ $0.installations[name] }) { return try known.get() }
    let found = Result { () throws(SpeechFailure) in try EspeakInstallation(program, folders: folders) }
    state.withLock { $0.installations[name] = found }
    return try found.get()
  }

  /// Speaks what is missing.
  ///
  /// - Returns: the first failure of each group of engines.
  private func speak(
    _ drafts: [Draft], _ progress: (@Sendable (Int, Int) -> Void)?
  ) -> [String: SpeechFailure] {
    guard isSpeaking, let cache else { return [:] }
    var (seen, missing) = (Set<String>(), [(text: String, engine: any SpeechEngine)]())
    for draft in drafts {
      for case .sentence(let text) in draft.segments {
        let key = draft.engine.key(of: text)
        if seen.insert(key).inserted, cache.sentence(key) == nil { missing.append((text, draft.engine)) }
      }
    }
    if missing.isEmpty { return [:] }
    let count = missing.count
    let done = Mutex((spoken: 0, failures: [String: SpeechFailure]()))
    progress?(0, count)
    _ = Processors.map(missing) { [self] sentence in
      let group = sentence.engine.key(of: "")
      if done.withLock({ $0.failures[group] != nil }) { return }
      do throws(SpeechFailure) { _ = try self.sentence(sentence.text, by: sentence.engine) } catch {
        done.withLock { $0.failures[group] = $0.failures[group] ?? error }
        return
      }
      let spoken = done.withLock { done in
        done.spoken += 1
        return done.spoken
      }
      progress?(spoken, count)
    }
    return done.withLock { $0.failures }
  }

  /// Finds all sentences of a draft, and speaks those that are missing.
  private func script(of spoken: Spoken, as draft: Draft) throws(SpeechFailure) -> SpokenScript {
    var parts: [SpokenScript.Part] = []
    var paths: [String] = []
    for segment in draft.segments {
      switch segment {
      case .pause(let seconds): parts.append(.pause(seconds))
      case .sentence(let text):
        let stored = try sentence(text, by: draft.engine)
        parts.append(.sentence(text, stored))
        paths.append(stored.path)
      }
    }
    let script = SpokenScript(parts: parts, engine: draft.engine)
    state.withLock { state in
      if Self.mostScripts < state.scripts.count { state.scripts = [:] }
      state.scripts[spoken] = script
      state.used.formUnion(paths)
    }
    return script
  }
}
