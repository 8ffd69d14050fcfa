/// The expected events of the whole reference session, each with its session time in seconds, without positions, loads
/// and the steps of crossfades.
enum ReferenceEvents {
  static let lines = reported.split(separator: "\n").map(String.init)

  private static let reported = """
    0 session.started Three stages
    0 stage.started Introduction 0
    0 state preparing intro.wav
    0 track intro.wav 0
    0 state playing intro.wav
    5 overlay.started breathing.wav
    85 overlay.ended breathing.wav
    90 overlay.started breathing.wav
    165 overlay.started breathing.wav
    166 overlay.ended breathing.wav
    245 overlay.ended breathing.wav
    297 gong beep.wav
    298 gong beep.wav
    299 gong beep.wav
    300 stage.started Practice 1
    300 gong gong.wav
    300 track practice.wav 0
    300 crossfade.started intro.wav practice.wav
    300 state crossfading intro.wav practice.wav 0
    304.5 crossfade.paused continueFromProgress 0.45
    304.5 state crossfadePaused intro.wav practice.wav continueFromProgress 0.45
    304.5 command pause done
    304.52 state crossfadePaused intro.wav practice.wav quickFinish 0.45
    304.52 crossfade.resumed quickFinish 0.45
    304.52 state crossfading intro.wav practice.wav 0.45
    304.52 command resume done
    305.52 crossfade.completed
    305.52 state playing practice.wav
    330 overlay.started peace.wav
    402 overlay.started love.wav
    403 overlay.ended peace.wav
    435 state paused practice.wav
    435 command pause done
    435.02 state playing practice.wav
    435.02 command resume done
    474 overlay.started gratitude.wav
    475 overlay.ended love.wav
    546 overlay.started peace.wav
    547 overlay.ended gratitude.wav
    600 gong gong.wav
    618 overlay.started love.wav
    619 overlay.ended peace.wav
    690 overlay.started gratitude.wav
    691 overlay.ended love.wav
    720 state paused practice.wav
    720 command pause done
    720.02 state playing practice.wav
    720.02 command resume done
    762 overlay.started peace.wav
    763 overlay.ended gratitude.wav
    834 overlay.started love.wav
    835 overlay.ended peace.wav
    890 track practice.wav 0
    890 crossfade.started practice.wav practice.wav
    890 state crossfading practice.wav practice.wav 0
    898 crossfade.paused quickFinish 0.8
    898 state crossfadePaused practice.wav practice.wav quickFinish 0.8
    898 command pause done
    898.02 crossfade.resumed quickFinish 0.8
    898.02 state crossfading practice.wav practice.wav 0.8
    898.02 command resume done
    899.02 crossfade.completed
    899.02 state playing practice.wav
    900 gong gong.wav
    906 overlay.started gratitude.wav
    907 overlay.ended love.wav
    978 overlay.started peace.wav
    979 overlay.ended gratitude.wav
    1050 overlay.started love.wav
    1051 overlay.ended peace.wav
    1122 overlay.started gratitude.wav
    1123 overlay.ended love.wav
    1194 overlay.started peace.wav
    1195 overlay.ended gratitude.wav
    1200 gong gong.wav
    1266 overlay.started love.wav
    1267 overlay.ended peace.wav
    1338 overlay.started gratitude.wav
    1339 overlay.ended love.wav
    1410 overlay.started peace.wav
    1411 overlay.ended gratitude.wav
    1480 track practice.wav 0
    1480 crossfade.started practice.wav practice.wav
    1480 state crossfading practice.wav practice.wav 0
    1490 crossfade.completed
    1490 state playing practice.wav
    1490 overlay.ended peace.wav
    1497 gong beep.wav
    1498 gong beep.wav
    1499 gong beep.wav
    1500 stage.started Closing 2
    1500 gong gong.wav
    1500 track closing.wav 0
    1500 crossfade.started practice.wav closing.wav
    1500 state crossfading practice.wav closing.wav 0
    1504.7 crossfade.paused continueFromProgress 0.47
    1504.7 state crossfadePaused practice.wav closing.wav continueFromProgress 0.47
    1504.7 command pause done
    1504.72 crossfade.resumed continueFromProgress 0.47
    1504.72 state crossfading practice.wav closing.wav 0.47
    1504.72 command resume done
    1510 crossfade.completed
    1510 state playing closing.wav
    1530 overlay.started guidance.wav
    1610 overlay.ended guidance.wav
    1620 state paused closing.wav
    1620 command pause done
    1620.02 state playing closing.wav
    1620.02 command resume done
    1780 gong gong.wav
    1783 gong gong.wav
    1786 gong gong.wav
    1797 state fadingOut closing.wav
    1797 command finish done
    1800 state finished
    1800 session.finished stopped
    """
}
