import Foundation
import TestSupport
import Testing

@testable import Player
@testable import ControlSocket

struct ControlFolderTests {
  @Test func `the socket is accessible to its owner alone, and is removed with the player`() async throws {
    try await onOwnThread {
      let scene = try ServerFixture()
      var status = stat()
      #expect(stat(scene.server.path, &status) == 0 && status.st_mode & 0o777 == 0o600)
      #expect(stat(scene.folder.control.path, &status) == 0 && status.st_mode & 0o777 == 0o700)
      #expect(scene.server.path == scene.folder.runtime + "/prosper/\(getpid()).sock")
      #expect(scene.folder.control.players() == ["\(getpid())"])
      scene.server.stop()
      #expect(stat(scene.server.path, &status) != 0 && scene.folder.control.players() == [])
    }
  }

  @Test func `the socket of a killed player is removed`() async throws {
    try await onOwnThread {
      let folder = try SocketFolder()
      try folder.control.prepare()
      let left = folder.control.socket(of: "1")
      let listener = try #require(try LocalSocket.listening(at: left) { false })
      #expect(folder.control.players() == ["1"])
      close(listener)
      #expect(folder.control.players() == [] && access(left, F_OK) != 0)
      #expect(throws: ControlError.noPlayer(searched: [folder.control.path])) {
        _ = try ControlClient(player: nil, in: [folder.control])
      }
    }
  }

  /// A player that Ctrl-Z has stopped accepts no connections.
  @Test func `a player that accepts no connections is found, and does not block its clients`() async throws {
    try await onOwnThread {
      let folder = try SocketFolder()
      try folder.control.prepare()
      let path = folder.control.socket(of: "1")
      let listener = try #require(try LocalSocket.listening(at: path) { false })
      // More than its queue holds.
      let clients = (0..<64).compactMap { _ in try? LocalSocket.connected(to: path) }
      #expect(clients.count < 64)
      #expect(folder.control.players() == ["1"])
      #expect(throws: ControlError.disconnected(cause: "it accepts no connections; it may be stopped")) {
        _ = try ControlClient(player: "1", in: [folder.control])
      }
      for descriptor in clients + [listener] { close(descriptor) }
    }
  }

  @Test func `two players of one process have two sockets, and one of several players must be named`() async throws {
    try await onOwnThread {
      let scene = try ServerFixture()
      let second = try ControlServer(
        of: RecordingPlayer(), in: scene.folder.control, understand: ServerFixture.understand)
      let names = ["\(getpid())", "\(getpid())-2"]
      #expect(scene.folder.control.players() == names)
      #expect(throws: ControlError.severalPlayers(names)) {
        _ = try ControlClient(player: nil, in: [scene.folder.control])
      }
      let path = scene.folder.control.path
      #expect(throws: ControlError.noSuchPlayer(name: "3", running: names, searched: [path])) {
        _ = try ControlClient(player: "3", in: [scene.folder.control])
      }
      let client = try ControlClient(player: names[1], in: [scene.folder.control])
      #expect(try client.ask("pause", within: Hang.limit).contains("done"))
      second.stop()
      scene.server.stop()
    }
  }

  /// Programs started by cron have no `XDG_RUNTIME_DIR`.
  @Test func `a player in another environment's folder is found, after those in the current environment's folder`()
    async throws
  {
    try await onOwnThread {
      let (own, other) = (try SocketFolder(), try ServerFixture())
      let folders = [own.control, other.folder.control, ControlFolder(runtime: other.folder.runtime + "/")]
      #expect(try PlayerSearch(folders).socket(of: nil) == other.server.path)
      let mine = try ControlServer(of: RecordingPlayer(), in: own.control, understand: ServerFixture.understand)
      #expect(try PlayerSearch(folders).socket(of: nil) == mine.path)
      let second = try ControlServer(
        of: RecordingPlayer(), in: other.folder.control, understand: ServerFixture.understand)
      #expect(try PlayerSearch(folders).socket(of: "\(getpid())-2") == second.path)
      for server in [mine, second, other.server] { server.stop() }
      let paths = [own.control.path, other.folder.control.path]
      #expect(throws: ControlError.noPlayer(searched: paths)) { _ = try PlayerSearch(folders).socket(of: nil) }
    }
  }

  @Test func `players are searched for in the environment's folder, in that of the login and in tmp`() {
    let user = getuid()
    #expect(ControlFolder.all.map(\.path).suffix(2) == ["/run/user/\(user)/prosper", "/tmp/prosper-\(user)"])
    #expect(ControlFolder.all.first == ControlFolder())
    #expect(
      "\(ControlError.noPlayer(searched: ["/a", "/b"]))"
        == "no player is running in /a or /b; start one")
  }

  @Test func `a folder that others can access is closed or refused`() throws {
    let folder = try SocketFolder()
    try FileManager.default.createDirectory(atPath: folder.control.path, withIntermediateDirectories: true)
    chmod(folder.control.path, 0o777)
    try folder.control.prepare()
    var status = stat()
    #expect(stat(folder.control.path, &status) == 0 && status.st_mode & 0o777 == 0o700)
    rmdir(folder.control.path)
    symlink("/tmp", folder.control.path)
    #expect(throws: ControlError.unsafeFolder(path: folder.control.path, cause: "it is not a folder")) {
      try folder.control.prepare()
    }
    #expect(ControlFolder(runtime: "relative").path == "/tmp/prosper-\(getuid())")
    #expect(ControlFolder(runtime: nil).path == "/tmp/prosper-\(getuid())")
  }

  @Test func `a folder that can't be created is reported with the variable that selects another one`() {
    let folder = ControlFolder(runtime: "/nowhere")
    let cause = "No such file or directory"
    let error = ControlError.cannotCreateFolder(path: "/nowhere/prosper", cause: cause)
    #expect(throws: error) { try folder.prepare() }
    #expect(
      error.description
        == "/nowhere/prosper: can't be created: \(cause); set XDG_RUNTIME_DIR to a folder that you can write")
  }

  @Test func `a socket that has a name answers, however early it is asked`() async throws {
    try await onOwnThread {
      let folder = try SocketFolder()
      try folder.control.prepare()
      let looking = Flag()
      // A search removes sockets that do not answer.
      let lookers = (0..<2).map { _ in
        Background { while !looking.isRaised { _ = folder.control.players() } }
      }
      for _ in 0..<300 {
        let server = try ControlServer(of: RecordingPlayer(), in: folder.control, understand: ServerFixture.understand)
        #expect(access(server.path, F_OK) == 0)
        server.stop()
      }
      looking.raise()
      for looker in lookers { try looker.value() }
    }
  }

  @Test func `a folder whose path is too long for the address of a socket is reported`() throws {
    let folder = try SocketFolder()
    let long = folder.runtime + "/" + String(repeating: "x", count: 100)
    try FileManager.default.createDirectory(atPath: long, withIntermediateDirectories: true)
    let error = #expect(throws: ControlError.self) {
      _ = try ControlServer(
        of: RecordingPlayer(), in: ControlFolder(runtime: long), understand: ServerFixture.understand)
    }
    #expect(
      error?.description.hasSuffix("too long for a control socket; set XDG_RUNTIME_DIR to a shorter folder") == true)
  }
}
