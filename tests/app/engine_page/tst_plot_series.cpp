#include <QSignalSpy>
#include <QTest>

#include <cmath>
#include <limits>

#include "app/engine_page/plot_series.h"
#include "app/engine_page/recent_hits.h"

using namespace quire;

namespace {

constexpr PlotSeries::Shape kShape = {.slotMs = 100, .numSlots = 5};

}  // namespace

class PlotSeriesTest : public QObject {
  Q_OBJECT

 private slots:
  void init() { QLocale::setDefault(QLocale::c()); }

  void values_areUnknown_beforeTheFirstOne() {
    PlotSeries series(kShape);
    series.advance(5000);
    for (const double value : series.values()) QVERIFY(std::isnan(value));
    QCOMPARE(series.latestText(), "–");
    QCOMPARE(series.summary(), "Nothing was measured yet.");
  }

  void valuesOfASlot_becomeTheirMean() {
    PlotSeries series(kShape);
    series.add(1000, 2.0);
    series.add(1050, 4.0);
    series.add(1099, 9.0);
    QCOMPARE(series.values().last(), 5.0);
    series.add(1100, 7.0);
    QCOMPARE(series.values().last(), 7.0);
    QCOMPARE(series.values()[3], 5.0);
  }

  void slotsWithoutAValue_repeatThePreviousOne() {
    PlotSeries series(kShape);
    series.add(1000, 3.0);
    series.add(1300, 8.0);
    QCOMPARE(series.values().mid(1), (QList<double>{3.0, 3.0, 3.0, 8.0}));
    series.advance(1410);
    QCOMPARE(series.values(), (QList<double>{3.0, 3.0, 3.0, 8.0, 8.0}));
  }

  void burstWithinASlot_isShown_butNotRepeated() {
    PlotSeries series(kShape);
    series.add(1000, 8.0);
    series.add(1010, 0.0);
    QCOMPARE(series.values().last(), 4.0);
    QCOMPARE(series.latestText(), "0.0 tok/s");
    series.advance(1200);
    QCOMPARE(series.values().mid(2), (QList<double>{4.0, 0.0, 0.0}));
  }

  void knownValue_isNotReplacedByAnUnknownOne() {
    PlotSeries series(kShape);
    series.add(1000, 8.0);
    series.add(1010, std::numeric_limits<double>::quiet_NaN());
    QCOMPARE(series.values().last(), 8.0);
    series.advance(1100);
    QVERIFY(std::isnan(series.values().last()));
  }

  void longPause_fillsAtMostTheTimeRange() {
    PlotSeries series(kShape);
    series.add(1000, 3.0);
    series.add(1'000'000'000'000, 4.0);
    QCOMPARE(series.values(), (QList<double>{3.0, 3.0, 3.0, 3.0, 4.0}));
  }

  void earlierTime_countsForTheLastSlot() {
    PlotSeries series(kShape);
    series.add(1000, 3.0);
    series.add(500, 5.0);
    QCOMPARE(series.values().last(), 4.0);
  }

  void advance_emitsChanged_onlyForANewSlot() {
    PlotSeries series(kShape);
    series.add(1000, 3.0);
    QSignalSpy spy(&series, &PlotSeries::changed);
    series.advance(1050);
    QCOMPARE(spy.count(), 0);
    series.advance(1150);
    QCOMPARE(spy.count(), 1);
  }

  void top_isRound_data() {
    QTest::addColumn<double>("value");
    QTest::addColumn<double>("top");
    QTest::newRow("nothing") << 0.0 << 1.0;
    QTest::newRow("just one") << 1.0 << 1.0;
    QTest::newRow("over one") << 1.1 << 2.0;
    QTest::newRow("hundreds") << 411.0 << 500.0;
    QTest::newRow("exact") << 200.0 << 200.0;
    QTest::newRow("over five") << 61.0 << 100.0;
  }
  void top_isRound() {
    QFETCH(double, value);
    QFETCH(double, top);
    PlotSeries series(kShape);
    series.add(0, value);
    QCOMPARE(series.top(), top);
  }

  void topText_isEmpty_withoutValues() {
    PlotSeries series(kShape);
    QCOMPARE(series.topText(), "");
    series.add(0, 150.0);
    QCOMPARE(series.topText(), "200");
  }

  void summary_hasLatestLeastAndMost() {
    PlotSeries series({PlotSeries::Unit::Milliseconds, 500, 120});
    series.add(0, 20.0);
    series.add(500, 31.0);
    series.add(1000, 26.0);
    QCOMPARE(series.summary(), "Now 26 ms; between 20 ms and 31 ms over the last 60 s.");
  }

  void hits_areCountedInTotalAndRecently() {
    RecentHits hits;
    hits.add(0, {100, 50});
    hits.add(400'000, {300, 200});
    QCOMPARE(hits.total(), (RecentHits::Counts{300, 200}));
    QCOMPARE(hits.recent(400'000), (RecentHits::Counts{300, 200}));
    QCOMPARE(hits.recent(700'000), (RecentHits::Counts{200, 150}));
    QCOMPARE(hits.recent(1'100'000), (RecentHits::Counts{}));
  }

  void resetCounters_dropEarlierCounts() {
    RecentHits hits;
    hits.add(0, {100, 50});
    hits.add(10, {20, 5});  // Another model was loaded.
    QCOMPARE(hits.total(), (RecentHits::Counts{20, 5}));
    QCOMPARE(hits.recent(20), (RecentHits::Counts{20, 5}));
  }
};

QTEST_GUILESS_MAIN(PlotSeriesTest)
#include "tst_plot_series.moc"
