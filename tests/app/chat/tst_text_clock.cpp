#include <QSignalSpy>
#include <QTest>

#include "app/chat/text_clock.h"

using namespace quire;

class TestTextClock : public QObject {
  Q_OBJECT

 private slots:
  void wake_emitsDueFromTheEventLoop() {
    TextClock clock;
    QSignalSpy due(&clock, &TextClock::due);
    QElapsedTimer timer;
    timer.start();
    clock.wake();
    clock.wake();
    QCOMPARE(due.size(), 0);
    QVERIFY(due.wait(20'000));
    QCOMPARE(due.size(), 1);
  }

  void withoutWake_neverEmitsDue() {
    TextClock clock;
    QSignalSpy due(&clock, &TextClock::due);
    clock.wake();
    QTRY_COMPARE(due.size(), 1);
    QTest::qWait(3 * TextClock::kIntervalMs);
    QCOMPARE(due.size(), 1);
  }

  /// Eight chats that get text every millisecond.
  void due_isEmittedAtMostThirtyTimesASecond() {
    TextClock clock;
    QList<double> times;
    QElapsedTimer timer;
    timer.start();
    connect(&clock, &TextClock::due, this,
            [&] { times.append(static_cast<double>(timer.nsecsElapsed()) * 1e-6); });
    QTimer chats;
    connect(&chats, &QTimer::timeout, this, [&] {
      for (int chat = 0; chat < 8; ++chat) clock.wake();
    });
    chats.start(1);
    QTRY_VERIFY(times.size() >= 12);
    for (qsizetype i = 1; i < times.size(); ++i) {
      QVERIFY2(times[i] - times[i - 1] >= 1000.0 / 30.0,
               qPrintable(QString::number(times[i] - times[i - 1])));
    }
  }
};

QTEST_GUILESS_MAIN(TestTextClock)
#include "tst_text_clock.moc"
