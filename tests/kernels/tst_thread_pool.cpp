#include <QTest>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <ctime>
#include <thread>
#include <vector>

#include "kernels/base/processor_cores.h"
#include "kernels/cpu/thread_pool.h"

using quire::num_usable_cores;
using quire::cpu::CoreShare;
using quire::cpu::ThreadPool;

namespace {

/// Seconds of processor time that all threads of this process have used.
double processor_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

}  // namespace

class TestThreadPool : public QObject {
  Q_OBJECT

 private slots:
  void share_ofTheCores_isHalved_whileAnotherPoolIsBusy() {
    const int cores = num_usable_cores();
    CoreShare one(cores);
    CoreShare other(cores);
    QCOMPARE(one.begin(), cores);
    const int half = other.begin();
    QVERIFY(half >= 1 && half <= (cores + 1) / 2);
    const int rest = one.begin();
    QVERIFY(rest + half <= std::max(2, cores));
    other.end();
    QTRY_COMPARE(one.begin(), cores);
    one.end();
  }

  void share_isNotLimited_whileAllThreadsFit() {
    if (num_usable_cores() < 2) QSKIP("There is one core.");
    CoreShare one(1);
    CoreShare other(1);
    QCOMPARE(one.begin(), 1);
    QCOMPARE(other.begin(), 1);
    one.end();
    other.end();
  }

  /// Threads that rest while another pool is busy work again when it is not; all indices are
  /// called.
  void busyNeighbour_threadsRest_andComeBack() {
    const int cores = std::max(2, num_usable_cores());
    ThreadPool pool(cores);
    CoreShare neighbour(num_usable_cores() * 4);
    for (const bool isBusy : {false, true, false, true, false}) {
      if (isBusy) {
        neighbour.begin();
      } else {
        neighbour.end();
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
      }
      std::atomic<int> calls = 0;
      std::vector<std::atomic<bool>> used(static_cast<size_t>(cores));
      for (int round = 0; round < 50; ++round) {
        pool.parallel_for(200, [&](int64_t, int thread) {
          ++calls;
          used[static_cast<size_t>(thread)] = true;
          const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(2);
          while (std::chrono::steady_clock::now() < end) {
          }
        });
      }
      QCOMPARE(calls.load(), 50 * 200);
      QCOMPARE(pool.is_limited(), isBusy);
      const auto working = std::ranges::count_if(used, [](const auto& one) { return one.load(); });
      if (isBusy) QVERIFY(working <= std::max(1, num_usable_cores() / 5 + 1));
      if (!isBusy) QVERIFY(working >= 1);
    }
    neighbour.end();
  }

  void parallel_for_callsEachIndexOnce() {
    for (int threads : {1, 2, 3, 8}) {
      ThreadPool pool(threads);
      QCOMPARE(pool.num_threads(), threads);
      for (int64_t n : {0, 1, 2, 3, 7, 1000}) {
        std::vector<int> calls(static_cast<size_t>(n), 0);
        std::atomic<bool> thread_in_range = true;
        pool.parallel_for(n, [&](int64_t i, int thread) {
          ++calls[static_cast<size_t>(i)];
          if (thread < 0 || thread >= threads) thread_in_range = false;
        });
        QCOMPARE(calls, std::vector<int>(static_cast<size_t>(n), 1));
        QVERIFY(thread_in_range);
      }
    }
  }

  /// Each begins with its own part: here all do, because the first waits for the others.
  void parallel_for_givesThreadsNeighbours() {
    ThreadPool pool(3);
    std::vector<int64_t> first(3, -1);
    std::atomic<int> num_begun{0};
    pool.parallel_for(30, [&](int64_t i, int thread) {
      int64_t& own = first[static_cast<size_t>(thread)];
      if (own >= 0) return;
      own = i;
      ++num_begun;
      while (num_begun < 3) std::this_thread::yield();
    });
    QCOMPARE(first, (std::vector<int64_t>{0, 10, 20}));
  }

  void parallel_for_seesWritesOfTheCallerAndTheJobBefore() {
    // No atomics: thread sanitizer and the sums prove that jobs are ordered.
    ThreadPool pool(3);
    std::vector<int64_t> values(64, 0);
    for (int64_t round = 0; round < 20000; ++round) {
      const int64_t add = round % 7;
      pool.parallel_for(64, [&](int64_t i, int) {
        values[static_cast<size_t>(i)] += add + values[static_cast<size_t>(i)] % 2;
      });
    }
    for (int64_t value : values) QCOMPARE(value, values[0]);
    QVERIFY(values[0] > 0);
  }

  void parallel_for_neverGivesAThreadNumberToTwoThreads() {
    ThreadPool pool(4);
    std::vector<int> inside(4, 0);
    std::vector<int64_t> work(4, 0);
    std::atomic<bool> shared = false;
    for (int round = 0; round < 200; ++round) {
      pool.parallel_for(50, [&](int64_t i, int thread) {
        const auto t = static_cast<size_t>(thread);
        if (inside[t]++ != 0) shared = true;
        work[t] += i;
        --inside[t];
      });
    }
    QVERIFY(!shared);
    QCOMPARE(work[0] + work[1] + work[2] + work[3], int64_t{200 * 50 * 49 / 2});
  }

  void parallel_for_wakesSleepingThreads() {
    ThreadPool pool(3);
    for (int round = 0; round < 20; ++round) {
      std::this_thread::sleep_for(std::chrono::milliseconds(3));
      // Each index waits for the others: it ends only if all three threads take part.
      std::atomic<int> arrived = 0;
      pool.parallel_for(3, [&](int64_t, int) {
        ++arrived;
        while (arrived.load() < 3) std::this_thread::yield();
      });
      QCOMPARE(arrived.load(), 3);
    }
  }

  void idleThreads_sleep() {
    ThreadPool pool(4);
    pool.parallel_for(100, [](int64_t, int) {});
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    const double before = processor_seconds();
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    QCOMPARE_LT(processor_seconds() - before, 0.05);
  }

  void destructor_joinsThreadsThatNeverWorked() {
    for (int i = 0; i < 50; ++i) ThreadPool pool(3);
  }
};

QTEST_APPLESS_MAIN(TestThreadPool)
#include "tst_thread_pool.moc"
