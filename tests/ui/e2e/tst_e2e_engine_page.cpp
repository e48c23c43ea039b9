#include <QTest>

#include "app/viewmodels/engine/block_map_item.h"
#include "tests/support/watched_test.h"
#include "tests/ui/e2e/real_application.h"
#include "tests/ui/ui_test_main.h"

using namespace quire;

/// The engine's page while the engine works: its figures, its lines, its blocks and their text.
class EnginePageTest : public WatchedTest {
  Q_OBJECT

 private slots:
  void blocks_areShown_andTheirTextIsReadByMouseAndKeyboard() {
    m_real->ask("What is the capital of Norway?");
    QVERIFY(hands().click("Engine"));
    QTRY_VERIFY(!map().isEmpty());
    QTRY_VERIFY(map().counts().free < map().numBlocks());
    auto* squares = qobject_cast<BlockMapItem*>(hands().find("blockSquares"));
    QVERIFY(squares);
    int held = 0;
    while (held < map().numBlocks() && map().describe(held).contains("free")) ++held;
    QVERIFY2(held < map().numBlocks(), qPrintable(map().summary()));
    QTRY_VERIFY(squares->height() > 0);
    const QRectF square = squares->grid().rectOf(held);
    const QPointF at =
        squares->mapToScene(square.center() / squares->window()->effectiveDevicePixelRatio());
    QTest::mouseClick(m_real->window(), Qt::LeftButton, Qt::NoModifier, at.toPoint());
    QTRY_VERIFY(map().hasReading() && !map().readingText().isEmpty());
    QVERIFY(squares->hasActiveFocus());
    hands().press(Qt::Key_Escape);
    QTRY_VERIFY(!map().hasReading());
    hands().press(Qt::Key_Return);
    QTRY_VERIFY(map().hasReading());
  }

  void secondTurn_isFoundInTheCache_andThePageSaysWhyItWasQuick() {
    m_real->ask("What is the capital of Norway?");
    const MessageRecord first = headOf(m_real->chat());
    QVERIFY(hands().say("And of Italy?"));
    QTRY_COMPARE(m_real->chat().conversation().path().size(), 4);
    const MessageRecord second = m_real->waitForAnswer();
    constexpr int kBlockSize = 16;
    QVERIFY(second.cachedTokens + kBlockSize + 1 >= first.promptTokens + first.outputTokens);
    QVERIFY(hands().sees(
        QStringLiteral("%1 of %2 from cache").arg(second.cachedTokens).arg(second.promptTokens)));
    QVERIFY(hands().click("Engine"));
    QCOMPARE(monitor().prompts()->count(), 2);
    QVERIFY(monitor().lastPromptStory().contains(QString::number(second.cachedTokens)));
  }

  void restart_readsFromDisk_whatWasComputedBefore() {
    const RecordId id =
        m_real->ask("What is the capital of Norway? Please say it in one sentence.");
    m_real->restart();
    QCOMPARE(m_real->chat().chatId(), id);
    QVERIFY(hands().say("And of Italy?"));
    QTRY_COMPARE(m_real->chat().conversation().path().size(), 4);
    const MessageRecord answer = m_real->waitForAnswer();
    QVERIFY2(answer.cachedTokens > 0, qPrintable(QString::number(answer.promptTokens)));
    QVERIFY(monitor().prompts()->last().diskTokens > 0);
  }

  void panel_standsBesideTheChats() {
    hands().press(Qt::Key_I, Qt::ControlModifier | Qt::ShiftModifier);
    QTRY_VERIFY(hands().find("blockSquares"));
    QVERIFY(hands().sees("Throughput"));
    hands().press(Qt::Key_I, Qt::ControlModifier | Qt::ShiftModifier);
    QTRY_VERIFY(!hands().find("blockSquares"));
  }

 private:
  Hands& hands() { return m_real->hands(); }
  EngineMonitor& monitor() { return *m_real->app().monitor(); }
  BlockMapModel& map() { return *monitor().blocks(); }

  void prepare() override { m_real = std::make_unique<RealApplication>(); }
  void tidyUp() override { m_real.reset(); }

  std::unique_ptr<RealApplication> m_real;
};

QUIRE_UI_TEST_MAIN(EnginePageTest)
#include "tst_e2e_engine_page.moc"
