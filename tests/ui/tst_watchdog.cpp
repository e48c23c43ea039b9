#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QTest>
#include <QThread>
#include <QTimer>

#include "tests/support/fake_backend.h"
#include "tests/support/watched_application.h"
#include "tests/support/watched_test.h"
#include "tests/ui/ui_test_main.h"
#include "tests/ui/window_driver.h"

using namespace quire;

namespace {

WatchedApplication& watch() {
  return WatchedApplication::instance();
}

}  // namespace

/// The window's thread while the window is used: no event may take it for longer than 50 ms.
class WatchdogTest : public WatchedTest {
  Q_OBJECT

 private slots:
  void watchdog_seesAHandlerThatSleeps() {
    QTimer::singleShot(0, this, [] { QThread::msleep(70 * kSlowdown); });
    QTest::qWait(90 * kSlowdown);
    QVERIFY(watch().worst().ms > kMaxBlockedMs);
    QCOMPARE(watch().numOver(kMaxBlockedMs), 1);
    forgetBlockages();
  }

  void watchdog_seesAHandlerThatComputes() {
    QTimer::singleShot(0, this, [] {
      QElapsedTimer timer;
      for (timer.start(); timer.elapsed() < 200 * kSlowdown;) continue;
    });
    QTRY_VERIFY_WITH_TIMEOUT(watch().worst().ms > kMaxBlockedMs, 5000);
    forgetBlockages();
  }

  void openingAWindow_isNotCounted() {
    {
      const WatchedApplication::Uncounted opening;
      QTimer::singleShot(0, this, [] { QThread::msleep(70 * kSlowdown); });
      QTest::qWait(90 * kSlowdown);
    }
    QVERIFY2(watch().worst().ms < kMaxBlockedMs, qPrintable(watch().worst().event));
  }

  void waiting_isNotBlocking() {
    QTest::qWait(120);
    QVERIFY2(watch().worst().ms < kMaxBlockedMs, qPrintable(watch().worst().event));
  }

  /// Eight chats stream, one of them is shown, and the user types and changes between them.
  void eightStreams_neverBlockTheWindow() {
    QTemporaryDir folder;
    FakeBackend backend(16);
    WindowDriver driver(backend, folder.path());
    for (int chat = 0; chat < 8; ++chat) {
      backend.queueAnswer(
          QStringLiteral("Some **words** of an answer, `code` and more.\n\n- item\n").repeated(40));
      driver.app().newChat();
      driver.chat().sendText(QStringLiteral("Question %1").arg(chat));
    }
    QTRY_COMPARE(backend.numRunning(), 8);
    QTest::qWait(100);
    watch().reset();
    for (int round = 0; round < 12; ++round) {
      driver.type(QStringLiteral("typed "));
      driver.app().openNeighbour(round % 8 < 4 ? 1 : -1);
      QTest::qWait(60);
    }
    QVERIFY2(watch().worst().ms <= kMaxBlockedMs,
             qPrintable(
                 QStringLiteral("%1 ms in %2").arg(watch().worst().ms).arg(watch().worst().event)));
  }
};

QUIRE_UI_TEST_MAIN(WatchdogTest)
#include "tst_watchdog.moc"
