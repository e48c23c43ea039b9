#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QTest>
#include <QThread>
#include <QTimer>

#include "tests/support/fake_backend.h"
#include "tests/support/watched_application.h"
#include "tests/ui/window_driver.h"

using namespace quire;

namespace {

WatchedApplication& watch() {
  return WatchedApplication::instance();
}

}  // namespace

/// The window's thread while the window is used: no event may take it for longer than 50 ms.
class WatchdogTest : public QObject {
  Q_OBJECT

 private slots:
  void init() { watch().reset(); }

  void watchdog_seesAHandlerThatSleeps() {
    QTimer::singleShot(0, this, [] { QThread::msleep(70); });
    QTest::qWait(90);
    QVERIFY(watch().worst().ms > kMaxBlockedMs);
    QCOMPARE(watch().numOver(kMaxBlockedMs), 1);
  }

  void watchdog_seesAHandlerThatComputes() {
    QTimer::singleShot(0, this, [] {
      QElapsedTimer timer;
      for (timer.start(); timer.elapsed() < 200;) continue;
    });
    QTRY_VERIFY_WITH_TIMEOUT(watch().worst().ms > kMaxBlockedMs, 2000);
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

int main(int argc, char** argv) {
  qputenv("QT_QUICK_BACKEND", "software");
  WatchedApplication application(argc, argv);
  setUpLook();
  WatchdogTest test;
  return QTest::qExec(&test, argc, argv);
}
#include "tst_watchdog.moc"
