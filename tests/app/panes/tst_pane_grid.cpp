#include "app/panes/pane_grid.h"

#include <QTest>

#include <cmath>

using namespace quire;

/// Places and minimum sizes of panes, and restoring them after a restart.
class TestPaneGrid : public QObject {
  Q_OBJECT

 private slots:
  void panes_fillTheArea_data() {
    QTest::addColumn<int>("count");
    QTest::addColumn<int>("columns");
    QTest::addColumn<int>("rows");
    QTest::newRow("one") << 1 << 1 << 1;
    QTest::newRow("two") << 2 << 2 << 1;
    QTest::newRow("three") << 3 << 3 << 1;
    QTest::newRow("four") << 4 << 2 << 2;
    QTest::newRow("five") << 5 << 3 << 2;
    QTest::newRow("nine") << 9 << 3 << 3;
  }
  void panes_fillTheArea() {
    QFETCH(int, count);
    PaneGrid grid;
    grid.arrange(count, 0, {1600, 1200});
    QTEST(grid.columns(), "columns");
    QTEST(grid.rows(), "rows");
    QCOMPARE(grid.numShown(), count);
    double area = 0.0;
    for (int pane = 0; pane < count; ++pane) {
      const QRectF place = grid.placeOf(pane);
      area += place.width() * place.height();
    }
    QVERIFY2(std::abs(area - 1.0) < 1e-9, qPrintable(QString::number(area)));
  }

  void smallArea_showsTheFocusedPane() {
    PaneGrid grid;
    for (int focused = 0; focused < 5; ++focused) {
      grid.arrange(5, focused, {700, 300});
      QCOMPARE(grid.numShown(), 2);
      QVERIFY(grid.isShown(focused));
    }
    grid.arrange(5, 3, {100, 100});
    QCOMPARE(grid.numShown(), 1);
    QVERIFY(grid.isShown(3));
  }

  void neighbour_isTheAdjacentPane() {
    PaneGrid grid;
    grid.arrange(5, 0, {1600, 1200});  // Three above, two below.
    QCOMPARE(grid.neighbour(0, 1, 0, 5), 1);
    QCOMPARE(grid.neighbour(0, -1, 0, 5), -1);
    QCOMPARE(grid.neighbour(1, 0, 1, 5), 4);
    QCOMPARE(grid.neighbour(2, 0, 1, 5), 4);  // The last pane extends below pane 2.
    QCOMPARE(grid.neighbour(4, 1, 0, 5), -1);
  }

  void edges_keepTheMinimumWidth_andTheirOrder() {
    PaneGrid grid;
    grid.arrange(3, 0, {1600, 900});
    grid.moveColumnEdge(0, 0.99);
    QVERIFY(grid.columnEdges()[0] <= grid.columnEdges()[1] - 0.2 + 1e-9);
    grid.moveColumnEdge(0, std::nan(""));
    grid.moveColumnEdge(7, 0.5);
    grid.moveColumnEdge(0, -1.0);
    QVERIFY(std::abs(grid.columnEdges()[0] - 0.2) < 1e-9);
  }

  void arrangement_isRestoredFromItsText() {
    PaneArrangement kept = {.chats = {0, 9007199254740993, 3}, .focused = 2};
    kept.columns.insert(3, {0.25, 0.5});
    const PaneArrangement read = PaneArrangement::fromText(kept.toText());
    QCOMPARE(read.chats, kept.chats);
    QCOMPARE(read.focused, 2);
    QCOMPARE(read.columns, kept.columns);
  }

  void damagedArrangement_isIgnored_data() {
    QTest::addColumn<QString>("text");
    QTest::newRow("empty") << "";
    QTest::newRow("no JSON") << "[1,2";
    QTest::newRow("types") << R"({"chats":7,"focused":"x","columns":[1],"rows":{"2":[true]}})";
    QTest::newRow("too many") << R"({"chats":[1,2,3,4,5,6,7,8,9,10,11,12],"focused":99})";
    QTest::newRow("edges") << R"({"chats":["1"],"columns":{"2":[5],"3":[0.5,0.4]}})";
  }
  void damagedArrangement_isIgnored() {
    QFETCH(QString, text);
    const PaneArrangement read = PaneArrangement::fromText(text);
    QVERIFY(read.chats.size() <= PaneGrid::kMaxPanes);
    QVERIFY(read.focused >= 0 && read.focused <= read.chats.size());
    PaneGrid grid;
    grid.remember(read.columns, read.rows);
    grid.arrange(2, 0, {1600, 900});
    QCOMPARE(grid.columnEdges(), QList<double>{0.5});
  }
};

QTEST_GUILESS_MAIN(TestPaneGrid)
#include "tst_pane_grid.moc"
