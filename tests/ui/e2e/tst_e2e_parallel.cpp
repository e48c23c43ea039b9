#include <QTest>

#include "tests/support/watched_test.h"
#include "tests/ui/e2e/real_application.h"
#include "tests/ui/ui_test_main.h"

using namespace quire;

namespace {

constexpr auto kCtrlShift = Qt::ControlModifier | Qt::ShiftModifier;
const QString kQuestion = QStringLiteral("What is the capital of Norway?");

}  // namespace

/// Several chats and several answers at once.
class ParallelTest : public WatchedTest {
  Q_OBJECT

 private slots:
  void fourPanes_areAskedAtOnce_andEachAnswers() {
    hands().press(Qt::Key_4, Qt::ControlModifier);
    QTRY_COMPARE(panes().count(), 4);
    hands().press(Qt::Key_A, kCtrlShift);
    QTRY_VERIFY(m_real->app().composer()->toAll());
    QVERIFY(hands().say(kQuestion));
    QTRY_VERIFY_WITH_TIMEOUT(isAnswered(4), kEngineMs);
    QSet<RecordId> ids;
    for (int pane = 0; pane < 4; ++pane) {
      panes().setFocusedPane(pane);
      ids.insert(m_real->chat().chatId());
      QCOMPARE(headOf(m_real->chat()).status, MessageStatus::Complete);
    }
    QCOMPARE(ids.size(), 4);
    m_real->restart();
    QCOMPARE(panes().count(), 4);
  }

  void panes_areOpenedAndClosed_byKeyboard_andTheirChatsGoOn() {
    m_real->ask(kQuestion);
    hands().press(Qt::Key_Backslash, Qt::ControlModifier);
    QTRY_COMPARE(panes().count(), 2);
    QVERIFY(m_real->chat().isEmpty());
    hands().press(Qt::Key_Left, Qt::ControlModifier | Qt::AltModifier);
    QTRY_COMPARE(m_real->chat().title(), kQuestion);
    hands().press(Qt::Key_W, Qt::ControlModifier);
    QTRY_COMPARE(panes().count(), 1);
    QCOMPARE(m_real->app().chats()->count(), 1);
  }

  void askThree_showsColumns_andOneIsKept() {
    askSeveral(3);
    QTRY_VERIFY(hands().find("answerColumns"));
    QTRY_VERIFY_WITH_TIMEOUT(!m_real->chat().turns()->isGenerating(), kEngineMs);
    const QList<RecordId> answers = m_real->chat().turns()->group()->answers();
    QCOMPARE(answers.size(), 3);
    QVERIFY(hands().click("keep1"));
    QTRY_VERIFY(!m_real->chat().turns()->group());
    QCOMPARE(m_real->chat().conversation().head(), answers[1]);
    QCOMPARE(m_real->chat().conversation().version(answers[1]).count, 1);
  }

  void askThree_allBecomeChats() {
    askSeveral(3);
    QTRY_VERIFY_WITH_TIMEOUT(!m_real->chat().turns()->isGenerating(), kEngineMs);
    QVERIFY(hands().click("forkAll"));
    QTRY_COMPARE(m_real->app().chats()->count(), 3);
    QTRY_COMPARE(panes().count(), 3);
  }

  void pauseAll_holdsEveryAnswer_andLetsThemGoOn() {
    hands().press(Qt::Key_P, kCtrlShift);
    QTRY_VERIFY(m_real->app().pause()->isPaused());
    QVERIFY(hands().say("Tell me a short story about a fox"));
    QTRY_VERIFY(m_real->chat().turns()->isGenerating());
    QTest::qWait(300);
    QVERIFY(headOf(m_real->chat()).text().isEmpty());
    QVERIFY(hands().click("pauseButton"));
    QTRY_VERIFY_WITH_TIMEOUT(!m_real->chat().turns()->isGenerating(), kEngineMs);
    QVERIFY(!headOf(m_real->chat()).text().isEmpty());
  }

 private:
  Hands& hands() { return m_real->hands(); }
  PaneListModel& panes() { return *m_real->app().panes(); }

  void prepare() override { m_real = std::make_unique<RealApplication>(); }
  void tidyUp() override { m_real.reset(); }

  void askSeveral(int count) {
    QVERIFY(hands().click("askChip"));
    QVERIFY(hands().click(QStringLiteral("ask%1").arg(count)));
    hands().press(Qt::Key_Escape);
    QVERIFY(hands().waitForNoPopup());
    QVERIFY(hands().say(kQuestion));
    QTRY_VERIFY(m_real->chat().turns()->group());
  }

  bool isAnswered(int count) {
    int answered = 0;
    for (ChatModel* chat : m_real->app().library()->openChats())
      if (!chat->isEmpty() && !chat->turns()->isGenerating()) ++answered;
    return answered == count;
  }

  std::unique_ptr<RealApplication> m_real;
};

QUIRE_UI_TEST_MAIN(ParallelTest)
#include "tst_e2e_parallel.moc"
