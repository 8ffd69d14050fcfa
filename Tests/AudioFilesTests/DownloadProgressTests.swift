import Foundation
import Synchronization
import TestSupport
import Testing

@testable import AudioFiles

/// What a program learns while sounds are downloaded.
@Suite struct DownloadProgressTests {
  @Test func `a download tells its size and how much has arrived, up to its end`() async throws {
    let (server, folder) = (try WebServer(), try TemporaryFolder())
    let wave = TestWave.stereo(TestSound.noise(200_000), rate: 44_100)
    server.put(.init(wave, etag: "\"a\""), at: "a.wav")
    let told = Mutex<[DownloadProgress]>([])
    let sounds = RemoteSounds(cache: RemoteCache(folder: folder.path("c")))
    let address = server.url("a.wav").replacing("http://", with: "http://anna:s3cret@")
    try await onOwnThread { sounds.fetch([address]) { progress in told.withLock { $0.append(progress) } } }
    let all = told.withLock { $0 }
    #expect(
      all.last == DownloadProgress(address: server.url("a.wav"), bytes: Int64(wave.count), total: Int64(wave.count)))
    #expect(all.map(\.bytes) == all.map(\.bytes).sorted() && all.allSatisfy { $0.total == Int64(wave.count) })
    // What is in the cache is not downloaded again.
    let again = Mutex(0)
    try await onOwnThread { sounds.fetch([address]) { _ in again.withLock { $0 += 1 } } }
    #expect(again.withLock { $0 } == 0)
  }
}
