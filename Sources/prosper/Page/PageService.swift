import Glibc
import ProsperKit

/// Serves the page of a player, and says where it is.
struct PageService {
  let playing: NowPlaying
  private let access: Access
  private let server: PageServer
  private let showsView: Bool

  /// - Parameters:
  ///   - library: the sessions that the page can choose from; nil if only one is played.
  ///   - showsView: whether the link for participants is printed, too.
  ///   - isRenewed: whether all earlier links end.
  private init(
    _ playing: NowPlaying, at address: ListenAddress, library: (any PageLibrary)?, showsView: Bool, isRenewed: Bool
  ) async throws(PageError) {
    self.playing = playing
    access = Access(Self.tokens(isRenewed: isRenewed), admitsViewers: showsView)
    self.showsView = showsView
    server = try await PageServer(at: address, PageRequests(playing, access, library: library, log: Self.sits))
  }

  private static let sits: @Sendable () async throws(PageProblem) -> String = { () throws(PageProblem) in
    let report = await onBlockingQueue {
      Result { () throws(Refusal) in try LogReport.ofThisMonth() }
    }
    do throws(Refusal) { return try report.get().json.description } catch { throw PageProblem(error.reason) }
  }

  /// The kept tokens. Without a folder to keep them, a phone must be paired again after each start.
  @discardableResult static func tokens(isRenewed: Bool) -> Tokens {
    guard let folder = StateFolder() else { return Tokens() }
    if !isRenewed, let kept = (try? folder.read(file)).flatMap({ $0 }).flatMap(Tokens.init(text:)) { return kept }
    let tokens = Tokens()
    do { try folder.write(tokens.text, to: file) } catch {
      StandardError.say("\(folder.file(file)): \(error); phones must be paired again after the next start")
    }
    return tokens
  }

  /// The name of the file with the tokens, in the folder for the state.
  private static let file = "page-links"

  /// Starts to serve.
  ///
  /// - Throws: the exit code, after the reason was printed.
  static func started(
    _ playing: NowPlaying = NowPlaying(), at address: ListenAddress, library: (any PageLibrary)? = nil,
    showsView: Bool = false, isRenewed: Bool = false
  ) async throws -> PageService {
    do throws(PageError) {
      return try await PageService(
        playing, at: address, library: library, showsView: showsView, isRenewed: isRenewed)
    } catch {
      StandardError.say(error.description)
      throw ExitStatus.noServer.code
    }
  }

  func stop() async { await server.stop() }

  /// Prints the address, a picture of the link for the camera of a phone, and the code.
  func announce() {
    let hosts = server.address.isEvery ? LocalAddresses.all : [server.address.host]
    let addresses = hosts.map { "http://\(ListenAddress(host: $0, port: server.address.port))/" }
    let code = access.code.prefix(3) + " " + access.code.suffix(3)
    StandardError.say("the page is at \(addresses.joined(separator: " and ")), with the code \(code)")
    guard let address = addresses.first else { return }
    draw("\(address)#\(access.tokens.control)", for: "to pair a phone, point its camera at this picture:")
    if showsView {
      StandardError.say(
        "the link for participants, who see the session and command nothing: \(address)#\(access.tokens.view)")
      draw("\(address)#\(access.tokens.view)", for: "the same as a picture:")
    }
  }

  /// Draws a link, except into the journal: a picture pairs whoever reads it, at any later time.
  private func draw(_ link: String, for purpose: String) {
    if StandardError.isJournal { return }
    do throws(LibraryFailure) {
      let picture = try QRCode(link)
      StandardError.say(purpose)
      StandardError.draw(picture.lines(inColour: isatty(2) == 1))
    } catch { StandardError.say("the link can't be drawn for a camera: \(error); use the code") }
  }
}
