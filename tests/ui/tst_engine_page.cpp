#include <QQmlProperty>
#include <QTemporaryDir>
#include <QTest>
#include <QtQml>

#include "app/engine_page/block_map_item.h"
#include "tests/support/sample_engine.h"
#include "tests/support/watched_test.h"
#include "tests/ui/ui_test_main.h"
#include "tests/ui/window_driver.h"

using namespace quire;

namespace {

using Page = Navigation::Page;

}  // namespace

/// The engine's page and its panel in the window, without an engine.
class EnginePageTest : public WatchedTest {
  Q_OBJECT

 protected:
  void prepare() override {
    m_folder = std::make_unique<QTemporaryDir>();
    m_backend = std::make_unique<FakeBackend>();
    m_driver = std::make_unique<WindowDriver>(*m_backend, m_folder->path());
    m_driver->window()->resize(1440, 900);
    QTRY_COMPARE(m_driver->window()->contentItem()->width(), 1440.0);
  }

  void tidyUp() override {
    m_driver.reset();
    m_backend.reset();
    m_folder.reset();
  }

 private slots:
  void blocks_areAskedFor_onlyWhileTheyAreSeen() {
    QVERIFY(!m_backend->inspector().watching);
    app().navigation()->setPage(Page::Engine);
    QTRY_VERIFY(m_backend->inspector().watching);
    app().navigation()->setPage(Page::Chats);
    QTRY_VERIFY(!m_backend->inspector().watching);
    app().navigation()->setEnginePanel(true);
    QTRY_VERIFY(m_backend->inspector().watching);
    m_driver->window()->resize(1100, 900);  // No room for the panel.
    QTRY_VERIFY(!m_backend->inspector().watching);
    m_driver->window()->resize(1440, 900);
    QTRY_VERIFY(m_backend->inspector().watching);
    m_driver->click("enginePanelButton");
    QTRY_VERIFY(!m_backend->inspector().watching);
  }

  void thePanel_isRemembered() {
    app().navigation()->setEnginePanel(true);
    m_driver.reset();
    m_driver = std::make_unique<WindowDriver>(*m_backend, m_folder->path());
    QVERIFY(app().navigation()->enginePanel());
    QVERIFY(app().navigation()->showsEnginePanel());
    app().navigation()->setPage(Page::Engine);
    QVERIFY(!app().navigation()->showsEnginePanel());  // The page says it all.
  }

  void squares_areDrawnInTheirColours() {
    BlockMapItem& squares = showPage(360);
    const QImage picture = m_driver->window()->grabWindow();
    const QList<QColor> colors = squares.colors();
    QCOMPARE(colors.size(), qsizetype{kNumBlockLooks});
    for (const int block : {0, 70, 359}) {
      const QPointF at = squares.mapToScene(centreOf(squares, block));
      const int look = app().monitor()->blocks()->looks()[block];
      QCOMPARE(picture.pixelColor((at * picture.devicePixelRatio()).toPoint()), colors[look]);
    }
  }

  void states_areShown_onlyOfModelsThatHaveThem() {
    showPage(360);
    QQuickItem* figures = m_driver->item("stateFigures");
    QVERIFY(figures != nullptr && !figures->isVisible());
    emit m_backend->inspector().engineMeasured(sampleStates(sampleReport(3)));
    QTRY_VERIFY(figures->isVisible());
    emit m_backend->inspector().engineMeasured(sampleReport(3));
    QTRY_VERIFY(!figures->isVisible());
  }

  void windows_areShown_onlyOfModelsThatHaveThem() {
    showPage(360);
    QQuickItem* figures = m_driver->item("windowFigures");
    QVERIFY(figures != nullptr && !figures->isVisible());
    emit m_backend->inspector().engineMeasured(sampleWindows(sampleReport(3)));
    QTRY_VERIFY(figures->isVisible());
    emit m_backend->inspector().engineMeasured(sampleReport(3));
    QTRY_VERIFY(!figures->isVisible());
  }

  void keys_moveTheCursor_andShowTheText() {
    BlockMapItem& squares = showPage(360);
    const BlockMapModel& map = *app().monitor()->blocks();
    m_backend->inspector().readings[squares.grid().columns + 1] = {.text = "Once upon a time",
                                                                   .tokens = 16};
    squares.forceActiveFocus();
    m_driver->press(Qt::Key_Up);
    QCOMPARE(squares.cursorBlock(), 0);
    m_driver->press(Qt::Key_Right);
    m_driver->press(Qt::Key_Down);
    QCOMPARE(squares.cursorBlock(), squares.grid().columns + 1);
    QVERIFY(squares.cursorText().startsWith(
        QStringLiteral("Block %1").arg(squares.grid().columns + 2)));
    m_driver->press(Qt::Key_Return);
    QTRY_COMPARE(map.readingText(), "Once upon a time");
    m_driver->press(Qt::Key_Escape);
    QVERIFY(!map.hasReading());
    m_driver->press(Qt::Key_End);
    QCOMPARE(squares.cursorBlock(), 359);
    m_driver->press(Qt::Key_Right);
    QCOMPARE(squares.cursorBlock(), 359);
    m_driver->press(Qt::Key_Home);
    QCOMPARE(squares.cursorBlock(), 0);
  }

  void aClick_showsTheText() {
    BlockMapItem& squares = showPage(360);
    m_backend->inspector().readings[70] = {.text = "a small table", .tokens = 16};
    const QPointF at = squares.mapToScene(centreOf(squares, 70));
    QTest::mouseClick(m_driver->window(), Qt::LeftButton, Qt::NoModifier, at.toPoint());
    QTRY_COMPARE(app().monitor()->blocks()->readingText(), "a small table");
    QCOMPARE(squares.cursorBlock(), 70);
  }

  void aSmallerPool_keepsTheCursorInside() {
    BlockMapItem& squares = showPage(360);
    squares.forceActiveFocus();
    m_driver->press(Qt::Key_End);
    emit m_backend->inspector().blockMapChanged(sampleMap({1}, 20));
    QCOMPARE(squares.cursorBlock(), 19);
    emit m_backend->inspector().blockMapChanged({});
    QCOMPARE(squares.cursorBlock(), 0);
    QCOMPARE(squares.cursorText(), "");
    m_driver->press(Qt::Key_Return);
    QVERIFY(!app().monitor()->blocks()->hasReading());
  }

  void theMap_isSaidInWords() {
    BlockMapItem& squares = showPage(360);
    const QQmlProperty name(&squares, "Accessible.name", qmlContext(&squares));
    const QString words = name.read().toString();
    QVERIFY2(words.contains("Of 360 cache blocks 61 are shared by several answers"),
             qPrintable(words));
    QVERIFY2(words.contains("108 are free"), qPrintable(words));
  }

  /// Four times a second, as the engine sends them, and quicker.
  void twentyThousandBlocks_neverBlockTheWindow() {
    BlockMapItem& squares = showPage(20'000);
    QCOMPARE(squares.grid().numBlocks, 20'000);
    QCOMPARE(squares.grid().blocksPerCell, 1);
    QTest::qWait(100);
    WatchedApplication::instance().reset();
    for (int round = 0; round < 20; ++round) {
      BlockMapSnapshot map = sampleMap({1, 2, 3}, 20'000);
      std::rotate(map.blocks.begin(), map.blocks.begin() + 100 * round, map.blocks.end());
      QMetaObject::invokeMethod(
          m_backend.get(), [&] { emit m_backend->inspector().blockMapChanged(map); },
          Qt::QueuedConnection);
      QTest::qWait(25);
    }
    // cleanup() compares the longest event with the limit.
  }

 private:
  AppModel& app() { return m_driver->app(); }

  BlockMapItem& showPage(int blocks) {
    app().navigation()->setPage(Page::Engine);
    if (!QTest::qWaitFor([&] { return m_driver->item("blockSquares") != nullptr; }))
      qFatal("The page does not come.");
    emit m_backend->inspector().engineMeasured(sampleReport(3));
    emit m_backend->inspector().blockMapChanged(sampleMap({1, 2, 3}, blocks));
    auto* squares = qobject_cast<BlockMapItem*>(m_driver->item("blockSquares"));
    if (squares == nullptr) qFatal("The page shows no map.");
    constexpr double kWidth = 968.0;  // Of the page's column, less the card's margins.
    const auto isLaidOut = [&] { return squares->width() == kWidth && squares->height() > 0; };
    if (!QTest::qWaitFor(isLaidOut)) qFatal("The map is %g wide.", squares->width());
    m_driver->window()->grabWindow();  // What has to be placed is placed now.
    return *squares;
  }

  static QPointF centreOf(const BlockMapItem& squares, int block) {
    const QRect rect = squares.grid().rectOf(block);
    return QRectF(rect).center() / squares.window()->effectiveDevicePixelRatio();
  }

  std::unique_ptr<QTemporaryDir> m_folder;
  std::unique_ptr<FakeBackend> m_backend;
  std::unique_ptr<WindowDriver> m_driver;
};

QUIRE_UI_TEST_MAIN(EnginePageTest)
#include "tst_engine_page.moc"
