/// The expected events of the three stages, each with its session time in seconds, without positions, loads and the
/// steps of crossfades.
enum ThreeStagesEvents {
  static let lines = reported.split(separator: "\n").map(String.init)

  private static let reported = """
    0 session.started three stages
    0 stage.started Introduction 0
    0 state preparing intro
    0 track intro 0
    0 state playing intro
    0.05 command overlay done
    0.05 overlay.started breathing
    0.5 command gong done
    0.5 gong beep
    1 command gong done
    1 gong beep
    1.5 command gong done
    1.5 gong beep
    5 command gong done
    5 command next done
    5 stage.started Practice 1
    5 gong gong
    5 track practice 0
    5 crossfade.started intro practice
    5 state crossfading intro practice 0
    7.35 crossfade.paused continueFromProgress 0.47
    7.35 state crossfadePaused intro practice continueFromProgress 0.47
    7.35 command pause done
    7.37 crossfade.resumed continueFromProgress 0.47
    7.37 state crossfading intro practice 0.47
    7.37 command resume done
    10 crossfade.completed
    10 state playing practice
    10 overlay.ended breathing
    11 command overlay done
    11 overlay.started peace
    11.4 command overlay done
    11.4 overlay.started love
    11.5 overlay.ended peace
    11.8 command overlay done
    11.8 overlay.started gratitude
    11.9 overlay.ended love
    12.2 command overlay done
    12.2 overlay.started peace
    12.3 overlay.ended gratitude
    12.6 command overlay done
    12.6 overlay.started love
    12.7 overlay.ended peace
    13 command overlay done
    13 overlay.started gratitude
    13.1 overlay.ended love
    13.4 command overlay done
    13.4 overlay.started peace
    13.5 overlay.ended gratitude
    13.8 command overlay done
    13.8 overlay.started love
    13.9 overlay.ended peace
    14.1 state paused practice
    14.1 command pause done
    14.12 state playing practice
    14.12 command resume done
    14.2 command overlay done
    14.2 overlay.started gratitude
    14.3 overlay.ended love
    14.6 command overlay done
    14.6 overlay.started peace
    14.7 overlay.ended gratitude
    15 command overlay done
    15 overlay.started love
    15.1 overlay.ended peace
    15.4 command overlay done
    15.4 overlay.started gratitude
    15.5 overlay.ended love
    15.8 command overlay done
    15.8 overlay.started peace
    15.9 overlay.ended gratitude
    16.2 command overlay done
    16.2 overlay.started love
    16.3 overlay.ended peace
    16.6 command overlay done
    16.6 overlay.started gratitude
    16.7 overlay.ended love
    17 command overlay done
    17 overlay.started peace
    17.1 overlay.ended gratitude
    18 command gong done
    18 command next done
    18 stage.started Closing 2
    18 gong gong
    18 track closing 0
    18 crossfade.started practice closing
    18 state crossfading practice closing 0
    26 crossfade.paused quickFinish 0.8
    26 state crossfadePaused practice closing quickFinish 0.8
    26 command pause done
    26.02 crossfade.resumed quickFinish 0.8
    26.02 state crossfading practice closing 0.8
    26.02 command resume done
    27.02 crossfade.completed
    27.02 state playing closing
    28 overlay.ended peace
    30 command next done
    30 track calm 1
    30 crossfade.started closing calm
    30 state crossfading closing calm 0
    33 crossfade.paused continueFromProgress 0.3
    33 state crossfadePaused closing calm continueFromProgress 0.3
    33 command pause done
    33.02 state crossfadePaused closing calm quickFinish 0.3
    33.02 crossfade.resumed quickFinish 0.3
    33.02 state crossfading closing calm 0.3
    33.02 command resume done
    34.02 crossfade.completed
    34.02 state playing calm
    35 command overlay done
    35 overlay.started guidance
    36 command gong done
    36 gong gong
    36.5 command gong done
    36.5 gong gong
    37 command gong done
    37 gong gong
    38 state fadingOut calm
    38 command finish done
    41 overlay.ended guidance
    41 state finished
    41 session.finished stopped
    """
}
