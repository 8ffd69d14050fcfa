package import ControlSocket
import Files
import FlyingFox
import FlyingSocks
import Foundation
import Player

/// Serves the page and its requests over HTTP.
package final class PageServer: Sendable {
  /// Where the page is, with the port that the system has chosen if it was 0.
  package var address: ListenAddress { gate.address }

  private let gate: Gate
  private let server: HTTPServer
  private let running: Task<Void, Never>
  private let socket: String
  private let playing: NowPlaying

  /// Seconds after which a request without an answer fails. Before that, a command has its outcome or its load ends.
  private static let timeout = 80.0
  /// Seconds within which the server must listen. That takes a moment, but not on a machine that is too busy.
  private static let patience = 60.0

  /// Serves from now on.
  ///
  /// - Parameter folder: the folder for the local socket between the gate and the server, which only this user can open.
  package init(
    at address: ListenAddress, _ requests: PageRequests, in folder: ControlFolder = ControlFolder()
  ) async throws(PageError) {
    do throws(ControlError) { try folder.prepare() } catch { throw .cannotServe(cause: "\(error)") }
    let socket = "\(folder.path)/\(getpid())-\(UInt32.random(in: 0...UInt32.max)).http"
    let server = HTTPServer(
      address: .unix(path: socket), timeout: Self.timeout, logger: .disabled,
      handler: ClosureHTTPHandler { await requests.answer($0) })
    let running = Task { () -> Void in
      do { try await server.run() } catch {}
    }
    do {
      try await server.waitUntilListening(timeout: Self.patience)
      gate = try Gate(at: address, to: socket)
    } catch {
      running.cancel()
      unlink(socket.forSystem)
      throw (error as? PageError) ?? .cannotServe(cause: error.localizedDescription)
    }
    chmod(socket.forSystem, 0o600)
    (self.server, self.running, self.socket, playing) = (server, running, socket, requests.playing)
  }

  /// Seconds that the last events may take to reach the pages.
  private static let ending = 0.5

  /// Closes all connections. The pages still get the last events.
  package func stop() async {
    await playing.drain(within: Self.ending)
    await server.stop()
    running.cancel()
    gate.stop(within: .seconds(Self.ending))
    unlink(socket.forSystem)
  }
}
