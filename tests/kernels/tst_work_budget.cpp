#include <QTest>

#include <ctime>
#include <thread>

#include "kernels/base/checked.h"
#include "kernels/base/work_budget.h"

using namespace quire;
using namespace std::chrono_literals;

class TestWorkBudget : public QObject {
  Q_OBJECT

 private slots:
  void spend_allowsExactlyTheSteps() {
    for (const uint64_t steps : {uint64_t{0}, uint64_t{1}, uint64_t{4096}, uint64_t{10'000}}) {
      WorkBudget budget({.steps = steps});
      for (uint64_t i = 0; i < steps; ++i) QVERIFY(budget.spend());
      QVERIFY(!budget.is_spent());
      QVERIFY(!budget.spend());
      QVERIFY(budget.is_spent());
      QVERIFY(!budget.spend(0) && !budget.reserve(0));
    }
  }

  void spend_countsLargeStepsAndSmallOnesTogether() {
    WorkBudget budget({.steps = 1'000'000});
    QVERIFY(budget.spend(3));
    QVERIFY(budget.spend(999'990));
    QVERIFY(budget.spend(7));
    QVERIFY(!budget.spend());
    QCOMPARE(budget.error("the pattern").message,
             std::string("the pattern takes more than 1000000 steps"));
  }

  void spend_doesNotOverflow() {
    WorkBudget budget({.steps = 10});
    QVERIFY(!budget.spend(std::numeric_limits<uint64_t>::max()));
    WorkBudget unlimited({});
    QVERIFY(unlimited.spend(uint64_t{1} << 62));
    QVERIFY(unlimited.spend(uint64_t{1} << 62));
  }

  void reserve_limitsBytes() {
    WorkBudget budget({.bytes = 3 << 20});
    QVERIFY(budget.reserve(3 << 20));
    QVERIFY(!budget.reserve(1));
    QVERIFY(!budget.spend());
    QCOMPARE(budget.error("the header").message,
             std::string("the header needs more than 3 MB of memory"));
  }

  void cpuTime_doesNotCountWaiting() {
    WorkBudget budget({.cpu_time = 30ms});
    std::this_thread::sleep_for(80ms);
    QVERIFY(budget.check_now());
  }

  void cpuTime_endsEndlessWork() {
    WorkBudget budget({.cpu_time = 20ms});
    while (budget.spend()) {
    }
    QCOMPARE(budget.error("the template").message,
             std::string("the template takes more than 20 ms of processor time"));
  }

  void sharedTime_isThatOfAllBudgetsTogether() {
    const auto spend = [](std::chrono::milliseconds most) {
      WorkBudget budget({.cpu_time = most});
      while (budget.spend()) {
      }
      return budget.error("the pattern").message;
    };
    const std::string own = "the pattern takes more than 20 ms of processor time";
    {
      const SharedCpuTime shared(200ms);
      const SharedCpuTime inner(1ms);
      QCOMPARE(spend(20ms), own);
      QCOMPARE(spend(20ms), own);
      const std::string with_others =
          "the pattern, with what was read before, takes more than 200 ms of processor time";
      QCOMPARE(spend(400ms), with_others);
      QCOMPARE(spend(20ms), with_others);  // At once.
    }
    QCOMPARE(spend(20ms), own);
  }

  void sharedTime_isNotSpentByOtherWork() {
    const SharedCpuTime shared(30ms);
    WorkBudget counted({.steps = 1'000'000'000});
    const std::clock_t begin = std::clock();
    while (std::clock() - begin < CLOCKS_PER_SEC / 20) {
    }
    QVERIFY(counted.spend(1 << 20));
    WorkBudget timed({.cpu_time = 20ms});
    QVERIFY(timed.check_now());
  }

  void cancellation_comesFromAnotherThread() {
    std::stop_source source;
    WorkBudget budget({.stop = source.get_token()});
    std::thread([&] { source.request_stop(); }).join();
    QVERIFY(!budget.check_now());
    QCOMPARE(budget.error("the search").code, ErrorCode::kCancelled);
  }

  void checked_refusesWhatDoesNotFit() {
    QCOMPARE(checked_multiply<uint64_t>(uint64_t{1} << 32, uint64_t{1} << 31), uint64_t{1} << 63);
    QVERIFY(!checked_multiply<uint64_t>(uint64_t{1} << 32, uint64_t{1} << 32));
    QVERIFY(!checked_multiply<int64_t>(int64_t{1} << 59, 16));
    QVERIFY(!checked_add<uint64_t>(std::numeric_limits<uint64_t>::max(), 1));
    QCOMPARE(checked_add<int64_t>(2, 3), int64_t{5});
  }
};

QTEST_APPLESS_MAIN(TestWorkBudget)
#include "tst_work_budget.moc"
