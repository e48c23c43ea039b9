#include <QtTest>

#include "app/engine/load_clock.h"

using namespace quire;
using std::chrono::milliseconds;

/// How far a load is, and when it will be done.
class TestLoadClock : public QObject {
  Q_OBJECT

 private:
  const LoadClock::Clock::time_point m_begin = LoadClock::Clock::now();

 private slots:
  void fraction_neverGoesBack() {
    LoadClock clock;
    double before = -1.0;
    const auto note = [&](LoadPhase phase, quint64 done) {
      clock.note(phase, done, 1000, m_begin);
      QVERIFY(clock.fraction() >= before);
      before = clock.fraction();
    };
    note(LoadPhase::kWaiting, 0);
    note(LoadPhase::kHead, 0);
    for (quint64 done = 0; done <= 1000; done += 100) note(LoadPhase::kWeights, done);
    note(LoadPhase::kWeights, 300);
    note(LoadPhase::kPreparing, 1000);
    note(LoadPhase::kCache, 1000);
    QVERIFY(before < 1.0 && before > 0.9);
    clock.restart();
    QCOMPARE(clock.fraction(), 0.0);
    QCOMPARE(clock.phase(), LoadPhase::kNone);
  }

  void secondsLeft_comeOnceTheyMeanSomething() {
    LoadClock clock;
    for (int ms = 0; ms <= 5000; ms += 100) {
      clock.note(LoadPhase::kWeights, static_cast<quint64>(ms), 10'000, m_begin + milliseconds(ms));
      if (ms < 1500) QVERIFY(clock.secondsLeft() < 0.0);
    }
    QVERIFY(std::abs(clock.secondsLeft() - 5.0) < 0.3);
    clock.note(LoadPhase::kPreparing, 10'000, 10'000, m_begin + milliseconds(9000));
    QCOMPARE(clock.secondsLeft(), 0.0);
  }

  void secondsLeft_followAChangeOfSpeedSlowly() {
    LoadClock clock;
    quint64 done = 0;
    int ms = 0;
    for (; ms <= 3000; ms += 250) {
      clock.note(LoadPhase::kWeights, done, 100'000, m_begin + milliseconds(ms));
      done += 2500;
    }
    const double fast = clock.secondsLeft();
    done += 100;  // It stalls for a moment.
    clock.note(LoadPhase::kWeights, done, 100'000, m_begin + milliseconds(ms));
    QVERIFY(clock.secondsLeft() > fast * 0.9 && clock.secondsLeft() < fast * 1.5);
  }

  void moreThanThereIs_isAll() {
    LoadClock clock;
    clock.note(LoadPhase::kWeights, 5000, 1000, m_begin);
    QCOMPARE(clock.doneBytes(), quint64{1000});
    QVERIFY(clock.fraction() <= 1.0);
  }
};

QTEST_GUILESS_MAIN(TestLoadClock)
#include "tst_load_clock.moc"
