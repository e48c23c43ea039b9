#include <QTest>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "app/engine/latency_meter.h"

using namespace quire;
using namespace std::chrono_literals;

namespace {

/// The value of the nearest rank.
double reference(std::vector<double> values, double part) {
  std::ranges::sort(values);
  const auto rank = static_cast<size_t>(std::ceil(part * static_cast<double>(values.size())));
  return values[std::max<size_t>(rank, 1) - 1];
}

bool isNear(double measured, double exact) {
  return std::abs(measured - exact) <= 0.026 * exact;
}

LatencyMeter::Clock::time_point at(std::chrono::milliseconds since) {
  return LatencyMeter::Clock::time_point(1000h) + since;
}

}  // namespace

class LatencyMeterTest : public QObject {
  Q_OBJECT

 private slots:
  void figures_areThoseOfTheSortedTimes_data() {
    QTest::addColumn<int>("count");
    QTest::addColumn<double>("spread");
    QTest::newRow("one") << 1 << 0.5;
    QTest::newRow("three") << 3 << 0.5;
    QTest::newRow("alike") << 1000 << 0.01;
    QTest::newRow("spread") << 1000 << 0.8;
    QTest::newRow("many, wide") << 50'000 << 1.6;
  }
  void figures_areThoseOfTheSortedTimes() {
    QFETCH(int, count);
    QFETCH(double, spread);
    const quint32 seed = 20261121;
    std::mt19937 random(seed);
    std::lognormal_distribution<double> times(std::log(30.0), spread);
    LatencyMeter meter;
    std::vector<double> all;
    for (int i = 0; i < count; ++i) {
      all.push_back(times(random));
      meter.add(all.back(), at(std::chrono::milliseconds(i * 200'000LL / count)));
    }
    const LatencyFigures figures = meter.figures(at(200s));
    QCOMPARE(figures.count, count);
    QVERIFY(isNear(figures.p50Ms, reference(all, 0.5)));
    QVERIFY(isNear(figures.p95Ms, reference(all, 0.95)));
    QVERIFY(isNear(figures.p99Ms, reference(all, 0.99)));
  }

  void times_areForgottenAfterFiveMinutes() {
    LatencyMeter meter;
    for (int i = 0; i < 100; ++i) meter.add(500.0, at(1s));
    for (int i = 0; i < 10; ++i) meter.add(20.0, at(150s));
    QCOMPARE(meter.figures(at(200s)).count, 110);
    QVERIFY(isNear(meter.figures(at(200s)).p50Ms, 500.0));
    QCOMPARE(meter.figures(at(331s)).count, 10);
    QVERIFY(isNear(meter.figures(at(331s)).p99Ms, 20.0));
    QCOMPARE(meter.figures(at(500s)).count, 0);
  }

  void aSliceThatIsUsedAgain_beginsEmpty() {
    LatencyMeter meter;
    meter.add(500.0, at(1s));
    meter.add(20.0, at(301s));  // Ten slices later: the same place.
    QCOMPARE(meter.figures(at(301s)).count, 1);
    QVERIFY(isNear(meter.figures(at(301s)).p50Ms, 20.0));
  }

  void timesBeyondTheEnds_countAsTheEnds() {
    LatencyMeter meter;
    meter.add(0.0, at(0s));
    meter.add(-5.0, at(0s));
    meter.add(std::nan(""), at(0s));
    QVERIFY(meter.figures(at(0s)).p99Ms <= 1.05 * LatencyMeter::kLeastMs);
    meter.add(1e30, at(0s));
    QCOMPARE(meter.figures(at(0s)).count, 4);
    QVERIFY(meter.figures(at(0s)).p99Ms > 0.9 * LatencyMeter::kMostMs);
  }

  void clear_forgetsAll() {
    LatencyMeter meter;
    meter.add(3.0, at(0s));
    meter.clear();
    QCOMPARE(meter.figures(at(0s)).count, 0);
  }
};

QTEST_APPLESS_MAIN(LatencyMeterTest)
#include "tst_latency_meter.moc"
