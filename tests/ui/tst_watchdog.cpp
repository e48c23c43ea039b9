#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QTest>
#include <QThread>
#include <QTimer>

#include <pthread.h>
#include <time.h>

#include <atomic>
#include <semaphore>
#include <thread>
#include <vector>

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

/// Of this thread, however few of the processors it is given.
double computedMs() {
  timespec time = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
}

}  // namespace

/// The window's thread while the window is used: no event may take it for longer than 50 ms.
class WatchdogTest : public WatchedTest {
  Q_OBJECT

 private slots:
  /// So long that it is seen, too, where a host takes a processor for a while, or another thread
  /// waits for one.
  void watchdog_seesAHandlerThatSleeps() {
    constexpr int kSleepMs = 950 + static_cast<int>(kMaxBlockedMs);
    QTimer::singleShot(0, this, [] { QThread::msleep(kSleepMs); });
    QTest::qWait(kSleepMs + 100);
    QVERIFY(watch().worst().wallMs >= kSleepMs);
    QVERIFY(watch().worst().ms > kMaxBlockedMs);
    QCOMPARE(watch().numOver(kMaxBlockedMs), 1);
    QVERIFY(watch().worst().computedMs < kMaxBlockedMs);
    forgetBlockages();
  }

  void watchdog_seesAHandlerThatComputes() {
    QTimer::singleShot(0, this, [] {
      const double begin = computedMs();
      while (computedMs() < begin + 70 * kSlowdown) continue;
    });
    QTRY_VERIFY_WITH_TIMEOUT(watch().worst().computedMs > kMaxBlockedMs, 20'000);
    QVERIFY(watch().worst().ms > kMaxBlockedMs);
    forgetBlockages();
  }

  /// The thread that it waits for gets no processor: not what this program could do better.
  void waitingForAThreadWithoutAProcessor_isNotCounted() {
    std::atomic<bool> enough{false};
    std::binary_semaphore asked{0}, done{0}, ended{0};
    std::vector<std::jthread> others;
    others.emplace_back([&] {
      const sched_param none{};
      pthread_setschedparam(pthread_self(), SCHED_IDLE, &none);
      asked.acquire();
      const double begin = computedMs();
      while (computedMs() < begin + 2.0) continue;
      done.release();
      ended.acquire();
    });
    for (unsigned i = 0; i < 2 * std::thread::hardware_concurrency(); ++i)
      others.emplace_back([&enough] {
        while (!enough) continue;
      });
    QElapsedTimer wait;
    qint64 waitedMs = 0;
    QTimer::singleShot(0, this, [&] {
      wait.start();
      asked.release();
      done.acquire();
      waitedMs = wait.elapsed();
    });
    QTest::qWait(300);
    enough = true;
    ended.release();
    others.clear();
    if (waitedMs < kMaxBlockedMs) QSKIP("The thread was given a processor at once.");
    QVERIFY2(watch().worst().ms < kMaxBlockedMs, qPrintable(watch().worst().event));
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
      driver.app().navigation()->newChat();
      driver.chat().composer()->sendText(QStringLiteral("Question %1").arg(chat));
    }
    QTRY_COMPARE(backend.numRunning(), 8);
    QTest::qWait(100);
    watch().reset();
    for (int round = 0; round < 12; ++round) {
      driver.type(QStringLiteral("typed "));
      driver.app().navigation()->openNeighbour(round % 8 < 4 ? 1 : -1);
      QTest::qWait(60);
    }
    if (!qEnvironmentVariableIsSet("QUIRE_LONG_TESTS")) return;  // cleanup() has a looser limit.
    QVERIFY2(watch().worst().ms <= kMaxBlockedMs,
             qPrintable(
                 QStringLiteral("%1 ms in %2").arg(watch().worst().ms).arg(watch().worst().event)));
  }
};

QUIRE_UI_TEST_MAIN(WatchdogTest)
#include "tst_watchdog.moc"
