// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .treatAllWarnings(as: .error),
]

/// What touches every frame or every event is optimised in debug builds too: unoptimised the loops are fifty times
/// slower, and the tests render hours of sound.
let kernel = settings + [.unsafeFlags(["-O"], .when(configuration: .debug))]

let package = Package(
  name: "prosper",
  products: [
    .executable(name: "prosper", targets: ["prosper"]),
    .library(name: "ProsperKit", targets: ["ProsperKit"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0"),
    .package(url: "https://github.com/swhitty/FlyingFox", from: "0.27.1"),
  ],
  targets: [
    .target(name: "CLibrary"),
    .target(name: "CPulse", dependencies: ["CLibrary"]),
    .target(name: "CSndFile", dependencies: ["CLibrary"]),
    .target(name: "CFLAC", dependencies: ["CLibrary"]),
    .target(name: "CMpg123", dependencies: ["CLibrary"]),
    .target(name: "COpus", dependencies: ["CLibrary"]),
    .target(name: "CAv", dependencies: ["CLibrary"]),
    .target(name: "CSoxr", dependencies: ["CLibrary"]),
    .target(name: "CEbur128", dependencies: ["CLibrary"]),
    .target(name: "CCurl", dependencies: ["CLibrary"]),
    .target(name: "CSystemd", dependencies: ["CLibrary"]),
    .target(name: "CQREncode", dependencies: ["CLibrary"]),
    .target(name: "CShout", dependencies: ["CLibrary"]),
    .target(name: "CTasks"),
    .target(name: "CUnused"),
    .target(name: "Files", swiftSettings: settings),
    .target(name: "Rings", swiftSettings: kernel),
    .target(name: "Signal", swiftSettings: kernel),
    .target(name: "Sounds", dependencies: ["Files", "Signal"], swiftSettings: kernel),
    .target(name: "Engine", dependencies: ["Files", "Rings", "Signal", "Sounds"], swiftSettings: kernel),
    .target(name: "Levels", dependencies: ["Rings", "Engine", "Sounds", "Signal", "CEbur128"], swiftSettings: kernel),
    .target(
      name: "AudioFiles",
      dependencies: [
        "Files", "Engine", "Sounds", "Signal", "CAv", "CFLAC", "CMpg123", "COpus", "CSndFile", "CSoxr", "CCurl",
      ],
      swiftSettings: kernel),
    .target(
      name: "Encoding",
      dependencies: ["Files", "Engine", "Sounds", "Signal", "Levels", "AudioFiles", "CFLAC", "CSndFile"],
      swiftSettings: kernel),
    .target(name: "GeneratedSounds", dependencies: ["Sounds", "Signal"], swiftSettings: kernel),
    .target(name: "PulseAudio", dependencies: ["Engine", "Signal", "CPulse"], swiftSettings: kernel),
    .target(name: "MessageBus", dependencies: ["Engine", "CSystemd"], swiftSettings: settings),
    .target(name: "PowerManagement", dependencies: ["MessageBus", "Engine"], swiftSettings: settings),
    .target(name: "Schedule", dependencies: ["Sounds", "Signal"], swiftSettings: kernel),
    .target(
      name: "Player",
      dependencies: [
        "Schedule", "Engine", "Sounds", "Signal", .product(name: "Histogram", package: "hdrhistogram-swift"),
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: kernel),
    .target(name: "Markup", dependencies: ["Files", "Engine", "Sounds", "Yams"], swiftSettings: kernel),
    .target(
      name: "NetworkOutputs",
      dependencies: [
        "Files", "Engine", "Signal", "AudioFiles", "Encoding", "MessageBus", "Player", "Markup", "CShout",
      ],
      swiftSettings: kernel),
    .target(
      name: "Speech", dependencies: ["Files", "Engine", "Sounds", "Signal", "AudioFiles", "Markup"],
      swiftSettings: kernel),
    .target(
      name: "SessionFiles",
      dependencies: ["Speech", "Markup", "Files", "Player", "Schedule", "Engine", "Sounds", "Signal"],
      swiftSettings: kernel),
    .target(
      name: "Scripts",
      dependencies: [
        "SessionFiles", "Markup", "Files", "Player", "Schedule", "Engine", "Sounds", "Signal", "Levels",
      ],
      swiftSettings: kernel),
    .target(
      name: "Imports",
      dependencies: ["Speech", "SessionFiles", "Markup", "Files", "Schedule", "Engine", "Sounds", "Signal"],
      swiftSettings: kernel),
    .target(
      name: "Timelines",
      dependencies: ["SessionFiles", "Markup", "Player", "Schedule", "Engine", "Sounds", "Signal"],
      swiftSettings: kernel),
    .target(
      name: "ControlSocket", dependencies: ["Files", "Engine", "Schedule", "Player"], swiftSettings: settings),
    .target(
      name: "Web",
      dependencies: [
        "ControlSocket", "Files", "Engine", "Player", "CQREncode", .product(name: "FlyingFox", package: "FlyingFox"),
        .product(name: "FlyingSocks", package: "FlyingFox"),
      ],
      resources: [.embedInCode("Page/Files")], swiftSettings: settings),
    .target(name: "SavedState", dependencies: ["Files", "Engine", "Player", "Schedule"], swiftSettings: settings),
    .target(
      name: "Desktop", dependencies: ["Files", "MessageBus", "Engine", "Sounds", "Player", "Schedule", "Signal"],
      swiftSettings: settings),
    .target(
      name: "ProsperKit",
      dependencies: [
        "CTasks", "Files", "Engine", "Sounds", "Signal", "Levels", "AudioFiles", "Encoding", "GeneratedSounds",
        "PulseAudio", "NetworkOutputs", "PowerManagement", "Schedule", "Player", "Markup", "Speech", "SessionFiles",
        "Imports", "Scripts", "Timelines", "ControlSocket", "Web", "SavedState", "Desktop",
        .product(name: "Logging", package: "swift-log"),
      ], swiftSettings: settings),
    .executableTarget(
      name: "prosper",
      dependencies: ["CUnused", "ProsperKit", .product(name: "ArgumentParser", package: "swift-argument-parser")],
      swiftSettings: settings),
    .target(
      name: "TestSupport",
      dependencies: [
        "Engine", "Sounds", "Player", "Schedule", "Signal", .product(name: "Logging", package: "swift-log"),
      ],
      path: "Tests/TestSupport",
      swiftSettings: kernel),
    .target(name: "CAllocationProbe", path: "Tests/CAllocationProbe"),
    .testTarget(name: "TestSupportTests", dependencies: ["TestSupport"], swiftSettings: settings),
    .testTarget(name: "FilesTests", dependencies: ["Files", "TestSupport"], swiftSettings: settings),
    .testTarget(name: "RingsTests", dependencies: ["Rings", "TestSupport"], swiftSettings: settings),
    .testTarget(name: "SignalTests", dependencies: ["Signal"], swiftSettings: settings),
    .testTarget(
      name: "EngineTests", dependencies: ["Engine", "Sounds", "Signal", "Rings", "TestSupport", "CAllocationProbe"],
      swiftSettings: settings),
    .testTarget(
      name: "LevelsTests", dependencies: ["Levels", "Signal", "TestSupport", "CEbur128"], swiftSettings: kernel),
    .testTarget(
      name: "AudioFilesTests",
      dependencies: ["AudioFiles", "Encoding", "Engine", "Sounds", "Signal", "TestSupport", "CFLAC", "CSndFile"],
      // The tests read files with functions of the libraries that prosper does not call.
      swiftSettings: kernel, linkerSettings: [.linkedLibrary("FLAC"), .linkedLibrary("sndfile")]),
    .testTarget(
      name: "SpeechTests",
      dependencies: ["Speech", "AudioFiles", "Files", "Engine", "Markup", "Sounds", "Signal", "TestSupport"],
      swiftSettings: kernel),
    .testTarget(
      name: "GeneratedSoundsTests", dependencies: ["GeneratedSounds", "Sounds", "Signal", "TestSupport"],
      swiftSettings: kernel),
    .testTarget(
      name: "PulseAudioTests", dependencies: ["PulseAudio", "Player", "Engine", "Sounds", "Signal", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "NetworkOutputsTests",
      dependencies: ["NetworkOutputs", "Engine", "Markup", "Signal", "TestSupport"], swiftSettings: settings),
    .testTarget(
      name: "PowerManagementTests", dependencies: ["PowerManagement", "Engine", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "ScheduleTests", dependencies: ["Schedule", "Sounds", "Signal", "TestSupport"], swiftSettings: kernel),
    .testTarget(
      name: "PlayerTests",
      dependencies: [
        "Player", "Schedule", "Engine", "Sounds", "Rings", "Signal", "TestSupport",
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: kernel),
    .testTarget(
      name: "SessionsTests",
      dependencies: [
        "Markup", "SessionFiles", "Imports", "Scripts", "Timelines", "Player", "Schedule", "Engine", "Sounds",
        "AudioFiles", "Encoding", "GeneratedSounds", "Signal", "TestSupport",
      ],
      exclude: ["Examples"], swiftSettings: kernel),
    .testTarget(
      name: "ControlSocketTests", dependencies: ["ControlSocket", "Player", "Schedule", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "WebTests", dependencies: ["Web", "ControlSocket", "Player", "Schedule", "Engine", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "SavedStateTests",
      dependencies: ["SavedState", "Sounds", "Player", "Schedule", "Signal", "TestSupport"], swiftSettings: settings),
    .testTarget(
      name: "DesktopTests",
      dependencies: ["Desktop", "MessageBus", "Sounds", "Player", "Schedule", "Signal", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "ProsperKitTests",
      dependencies: [
        "ProsperKit", "Signal", "Sounds", "TestSupport", .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: settings),
    .testTarget(
      name: "ProsperTests",
      dependencies: [
        "prosper", "Files", "ControlSocket", "SavedState", "Player", "Schedule", "TestSupport", "Signal",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ], swiftSettings: kernel),
  ],
  swiftLanguageModes: [.v6]
)

// Every executable target is a product, and this one is a tool of scripts/bench: it asks for it.
if Context.environment["PROSPER_BENCH"] != nil {
  package.targets += [
    .executableTarget(
      name: "ControlBench", dependencies: ["Player"], path: "Tests/ControlBench", swiftSettings: settings)
  ]
}

// libFuzzer's driver is linked in for this program alone: scripts/fuzz asks for it.
if Context.environment["PROSPER_FUZZ"] != nil {
  package.targets += [
    .target(name: "CFuzzer", path: "Tests/CFuzzer"),
    .executableTarget(
      name: "Fuzz",
      dependencies: [
        "CFuzzer", "AudioFiles", "Engine", "Sounds", "GeneratedSounds", "Player", "Schedule",
        "Markup", "SessionFiles", "Imports", "Scripts", "Timelines", "Signal", "SavedState", "ProsperKit",
      ],
      path: "Tests/Fuzz", exclude: ["Corpus"], swiftSettings: settings),
  ]
}
