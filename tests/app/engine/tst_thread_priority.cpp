#include <QTest>

#include <sys/resource.h>
#include <unistd.h>

#include <thread>

#include "app/engine/thread_priority.h"

using namespace quire;

namespace {

int niceness() {
  return getpriority(PRIO_PROCESS, static_cast<id_t>(gettid()));
}

}  // namespace

class ThreadPriorityTest : public QObject {
  Q_OBJECT

 private slots:
  void anEnginesThreadAndItsOwn_areNicer_andTheWindowsIsNot() {
    if (niceness() >= 5) QSKIP("The test itself runs at a low priority.");
    const int before = niceness();
    int engine = 0;
    int ofEngine = 0;
    std::thread([&] {
      letTheWindowGoFirst();
      engine = niceness();
      std::thread([&] { ofEngine = niceness(); }).join();
    }).join();
    QCOMPARE(engine, 5);
    QCOMPARE(ofEngine, 5);
    QCOMPARE(niceness(), before);
  }
};

QTEST_GUILESS_MAIN(ThreadPriorityTest)
#include "tst_thread_priority.moc"
