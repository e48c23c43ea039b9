#include <QImage>
#include <QTest>

#include "app/engine_page/block_map_item.h"
#include "app/engine_page/engine_labels.h"
#include "app/engine_page/plot_item.h"
#include "tests/support/watched_test.h"
#include "tests/ui/e2e/real_application.h"
#include "tests/ui/ui_test_main.h"

using namespace quire;

namespace {

constexpr auto kCtrlShift = Qt::ControlModifier | Qt::ShiftModifier;
const QString kRate = QStringLiteral("All chats together");

}  // namespace

/// The engine's page while the engine works: its figures, its lines, its blocks and their text.
class EnginePageTest : public WatchedTest {
  Q_OBJECT

 private slots:
  void blocks_areShown_andTheirTextIsReadByMouseAndKeyboard() {
    m_real->ask("What is the capital of Norway?");
    QVERIFY(hands().click("Engine"));
    QTRY_VERIFY(!map().isEmpty());
    QTRY_VERIFY(map().counts().free < map().numBlocks());
    QTRY_VERIFY(hands().find("blockSquares"));
    auto* squares = qobject_cast<BlockMapItem*>(hands().find("blockSquares"));
    QVERIFY(squares);
    int held = 0;
    while (held < map().numBlocks() && map().describe(held).contains("free")) ++held;
    QVERIFY2(held < map().numBlocks(), qPrintable(map().summary()));
    QTRY_VERIFY(squares->height() > 0);
    QVERIFY(hands().reach("blockSquares"));  // It stands still.
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
    QTRY_VERIFY(hands().sees(
        QStringLiteral("%1 of %2 from cache").arg(second.cachedTokens).arg(second.promptTokens)));
    QVERIFY(hands().click("Engine"));
    QTRY_COMPARE(monitor().prompts()->count(), 2);
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

  void figuresAndLines_moveWhileFourChatsAnswer() {
    askFourWhilePaused();
    hands().press(Qt::Key_3, Qt::AltModifier);
    QTRY_VERIFY(hands().find(kRate));
    QTest::qWait(300);
    QVERIFY(heightOfLine(kRate) < 0.1);
    QSet<QString> rates;
    bool saysFour = false;  // Looked at whenever it changes: the four may be done in a moment.
    connect(&monitor(), &EngineMonitor::measured, this, [&] {
      if (monitor().report().runningRequests > 0) rates.insert(monitor().rateText());
      saysFour |= hands().sees("tokens/s, 4 chats");
    });
    hands().press(Qt::Key_P, kCtrlShift);
    waitUntilAllAreDone();
    for (int round = 0; round < 30 && (rates.size() < 3 || !saysFour); ++round) askAllAgain();
    QVERIFY2(rates.size() >= 3, qPrintable(rates.values().join(u' ')));  // 0 is one of them.
    QVERIFY(saysFour);
    QTRY_VERIFY_WITH_TIMEOUT(heightOfLine(kRate) > 0.4, kEngineMs);
    QTRY_VERIFY_WITH_TIMEOUT(heightOfLine("Chats answering at once") > 0.4, kEngineMs);
    QVERIFY(hands().scrollTo("Activity"));
    QTRY_VERIFY(hands().sees("chats being answered: 0"));
    QVERIFY(monitor().report().outputTokens > 0);
    QTRY_VERIFY(hands().sees("tokens generated: " + countText(monitor().report().outputTokens)));
  }

  void panel_standsBesideTheChats() {
    hands().press(Qt::Key_I, Qt::ControlModifier | Qt::ShiftModifier);
    QTRY_VERIFY(hands().find("blockSquares"));
    QTRY_VERIFY(hands().sees("Throughput"));
    hands().press(Qt::Key_I, Qt::ControlModifier | Qt::ShiftModifier);
    QTRY_VERIFY(!hands().find("blockSquares"));
  }

 private:
  Hands& hands() { return m_real->hands(); }
  EngineMonitor& monitor() { return *m_real->app().monitor(); }
  BlockMapModel& map() { return *monitor().blocks(); }

  void askFourWhilePaused() {
    hands().press(Qt::Key_4, Qt::ControlModifier);
    QTRY_COMPARE(m_real->app().panes()->count(), 4);
    hands().press(Qt::Key_A, kCtrlShift);
    hands().press(Qt::Key_P, kCtrlShift);
    QTRY_VERIFY(m_real->app().pause()->isPaused());
    QVERIFY(hands().say("Tell me a long story about a bear"));
    QTRY_COMPARE(m_real->app().chats()->count(), 4);
  }

  /// The small model is quick: an answer of it is measured once, or not at all.
  void askAllAgain() {
    hands().press(Qt::Key_Home, Qt::AltModifier);
    QTest::qWait(100);
    QVERIFY(hands().say("And another one"));
    hands().press(Qt::Key_3, Qt::AltModifier);
    QTRY_VERIFY(hands().find(kRate));
    waitUntilAllAreDone();
  }

  void waitUntilAllAreDone() {
    const auto isDone = [&] {
      const QList<ChatModel*> chats = m_real->app().library()->openChats();
      return std::none_of(chats.begin(), chats.end(),
                          [](const ChatModel* chat) { return chat->turns()->isGenerating(); });
    };
    QTRY_VERIFY_WITH_TIMEOUT(isDone(), kEngineMs);
    QTRY_VERIFY_WITH_TIMEOUT(monitor().report().runningRequests == 0, kEngineMs);
  }

  /// How far a line goes up in its frame as it is drawn, from 0 to 1: its highest dark pixel, below
  /// the words over it.
  double heightOfLine(const QString& title) {
    const QQuickItem* plot = hands().find(title);
    if (!plot) return -1;
    const auto* line = plot->findChild<PlotItem*>();
    if (!line) return -1;
    const QRect place = line->mapRectToScene(line->boundingRect()).toAlignedRect();
    const QImage picture = m_real->window()->grabWindow().copy(place);
    for (int y = 0; y < picture.height(); ++y)
      for (int x = 0; x < picture.width(); ++x)
        if (picture.pixelColor(x, y).lightness() < 140) return 1.0 - 1.0 * y / picture.height();
    return 0;
  }

  void prepare() override { m_real = std::make_unique<RealApplication>(); }
  void tidyUp() override { m_real.reset(); }

  std::unique_ptr<RealApplication> m_real;
};

QUIRE_UI_TEST_MAIN(EnginePageTest)
#include "tst_e2e_engine_page.moc"
