#include <QColor>
#include <QElapsedTimer>
#include <QTest>

#include <numeric>

#include "app/engine_page/block_grid.h"

using namespace quire;

namespace {

const QList<QColor> kColors = {QColor("#EFECE4"), QColor("#CFC9BC"), QColor("#0E7C66")};

}  // namespace

class BlockGridTest : public QObject {
  Q_OBJECT

 private slots:
  void allBlocks_fitIntoTheAvailableSpace_data() {
    QTest::addColumn<int>("blocks");
    QTest::addColumn<QSize>("room");
    QTest::addColumn<double>("scale");
    for (const int blocks : {1, 7, 360, 2048, 20'000, 300'000}) {
      for (const QSize room : {QSize(215, 160), QSize(1008, 280), QSize(40, 9)}) {
        for (const double scale : {1.0, 1.5, 2.0}) {
          QTest::addRow("%d in %dx%d at %g", blocks, room.width(), room.height(), scale)
              << blocks << QSize(room * scale) << scale;
        }
      }
    }
  }
  void allBlocks_fitIntoTheAvailableSpace() {
    QFETCH(int, blocks);
    QFETCH(QSize, room);
    QFETCH(double, scale);
    const BlockGrid grid = fitBlocks(blocks, room, scale, 10);
    QVERIFY(grid.columns * grid.pitch - grid.gap <= room.width());
    QVERIFY(grid.height() <= room.height());
    QVERIFY(grid.pitch <= 10 * scale + 1);
    QVERIFY(grid.gap >= 1 && grid.gap < grid.pitch);
    // The last block is in the last cell.
    QVERIFY(grid.firstBlock(grid.numCells() - 1) < blocks);
    QVERIFY(grid.firstBlock(grid.numCells()) >= blocks);
    const bool isCrowded = grid.blocksPerCell > 1;
    QVERIFY(!isCrowded || grid.pitch == std::lround(4 * scale));
  }

  void cellAt_findsTheDrawnSquare() {
    const BlockGrid grid = fitBlocks(360, {240, 170}, 1.0, 10);
    for (int cell = 0; cell < grid.numCells(); ++cell) {
      QCOMPARE(grid.cellAt(grid.rectOf(cell).center()), cell);
    }
    QCOMPARE(grid.cellAt({-1, 0}), -1);
    QCOMPARE(grid.cellAt({0, grid.height() + grid.pitch}), -1);
    QCOMPARE(grid.cellAt({100'000, 0}), -1);
    QCOMPARE(fitBlocks(0, {240, 170}, 1.0, 10).cellAt({0, 0}), -1);
  }

  void cellOfSeveralBlocks_hasTheMostFrequentLook() {
    const BlockGrid grid{.numBlocks = 7, .blocksPerCell = 3, .columns = 3, .pitch = 4, .gap = 1};
    const QList<quint8> looks = {1, 2, 2, 0, 0, 1, 2};
    QCOMPARE(cellLooks(grid, looks), (QList<quint8>{2, 0, 2}));
  }

  void image_hasTheColours() {
    const BlockGrid grid = fitBlocks(6, {30, 60}, 1.0, 10);
    QCOMPARE(grid.columns, 3);
    const QList<quint8> looks = {0, 1, 2, 2, 1, 99};
    const QImage image = drawBlocks(grid, looks, kColors, 30);
    for (int cell = 0; cell < 5; ++cell) {
      QCOMPARE(image.pixelColor(grid.rectOf(cell).center()), kColors[looks[cell]]);
    }
    QCOMPARE(image.pixelColor(grid.rectOf(5).center()).alpha(), 0);  // There is no such look.
    QCOMPARE(image.pixelColor(9, 4).alpha(), 0);                     // A gap.
  }

  void twentyThousandBlocks_areDrawnWithinAFrame() {
    const BlockGrid grid = fitBlocks(20'000, {2016, 560}, 2.0, 14);
    QList<quint8> looks(20'000);
    for (qsizetype i = 0; i < looks.size(); ++i) looks[i] = static_cast<quint8>(i % 3);
    qint64 best = std::numeric_limits<qint64>::max();
    for (int run = 0; run < 5; ++run) {
      QElapsedTimer timer;
      timer.start();
      const QImage image = drawBlocks(grid, looks, kColors, 2016);
      best = std::min(best, timer.nsecsElapsed());
      QVERIFY(!image.isNull());
    }
    qInfo("20,000 blocks in %.2f ms", static_cast<double>(best) / 1e6);
    QVERIFY(best < 16'000'000);
  }
};

QTEST_GUILESS_MAIN(BlockGridTest)
#include "tst_block_grid.moc"
