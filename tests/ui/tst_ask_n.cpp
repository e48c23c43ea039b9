#include <QTemporaryDir>
#include <QTest>

#include "app/store/conversation_store.h"
#include "tests/support/fake_backend.h"
#include "tests/support/watched_test.h"
#include "tests/ui/ui_test_main.h"
#include "tests/ui/window_driver.h"

using namespace quire;

namespace {

const QString kLong = QString(QStringLiteral("Many words, one after the other. ")).repeated(30);

}  // namespace

/// One message with several answers: asked, compared, and what becomes of them.
class AskNTest : public WatchedTest {
  Q_OBJECT

 protected:
  void prepare() override {
    m_folder = std::make_unique<QTemporaryDir>();
    m_backend = std::make_unique<FakeBackend>();
    m_driver = std::make_unique<WindowDriver>(*m_backend, m_folder->path());
    m_driver->window()->resize(1440, 900);
  }

  void tidyUp() override {
    m_driver.reset();
    m_backend.reset();
  }

 private slots:
  void answers_areDurableTogether_andStreamInColumns() {
    ask(3);
    QCOMPARE(m_backend->requests.size(), 3);
    QVERIFY(m_backend->requests[0].sampling.seed != m_backend->requests[1].sampling.seed);
    QCOMPARE(m_backend->requests[0].turns.size(), m_backend->requests[2].turns.size());
    QCOMPARE(m_backend->requests[0].priority, int(kFocusedPriority));
    QCOMPARE(m_backend->requests[1].priority, int(kBackgroundPriority));
    QCOMPARE(storedMessages().size(), 4);
    m_backend->advance(3);
    QVERIFY(chat().turns()->group());
    QCOMPARE(chat().turns()->group()->rowCount(), 3);
    QTRY_COMPARE(items("answerColumn").size(), 3);
    for (const RecordId id : chat().turns()->group()->answers()) {
      AnswerColumn* column = chat().turns()->group()->find(id);
      QVERIFY(column->timeline()->rowCount() > 1);
      QVERIFY(!chat().conversation().find(id)->text().isEmpty());
    }
    QCOMPARE(m_driver->shownTexts(), QStringList({"compare"}));  // The timeline ends there.
    m_backend->advance(1000);
    QVERIFY(!chat().turns()->isGenerating());
    QVERIFY(chat().turns()->group());
  }

  void focus_isOnTheFirstAnswer_asOftenAsTheChatGetsIt() {
    ask(3);
    chat().setFocused(false);
    QCOMPARE(m_backend->focused(), RequestId{0});
    chat().setFocused(true);
    QCOMPARE(m_backend->focused(), RequestId{1});
    QCOMPARE(m_backend->priorities[2], int(kBackgroundPriority));
  }

  void keepingOne_deletesTheOthers_afterTheTimeToUndo() {
    ask(3);
    m_backend->advance(1000);
    const QList<RecordId> answers = chat().turns()->group()->answers();
    QTRY_VERIFY(m_driver->item("keep1"));
    m_driver->click("keep1");
    QVERIFY(!chat().turns()->group());
    QCOMPARE(chat().conversation().head(), answers[1]);
    QCOMPARE(chat().conversation().version(answers[1]).count, 1);
    QVERIFY(chat().history()->undoText().startsWith("Kept this answer; 2 other answer"));
    chat().history()->undoRemoval();
    QCOMPARE(chat().conversation().version(answers[1]).count, 3);
    QCOMPARE(chat().history()->undoText(), QString());
    QCOMPARE(storedMessages().size(), 4);
  }

  void keepingOne_whileTheyAreWritten_stopsTheOthers() {
    ask(2);
    m_backend->advance(2);
    const QList<RecordId> answers = chat().turns()->group()->answers();
    chat().turns()->keepAnswer(answers[0]);
    QTRY_COMPARE(m_backend->numRunning(), 1);
    m_backend->advance(1000);
    QTRY_VERIFY(!chat().turns()->isGenerating());
    chat().history()->undoRemoval();
    const MessageRecord* back = chat().conversation().find(answers[1]);
    QVERIFY(back);
    QCOMPARE(back->status, MessageStatus::Stopped);
    QVERIFY(!back->text().isEmpty() && kLong.startsWith(back->text()));
  }

  void deletedOnes_areGoneForGood_whenTheProgramEnds() {
    ask(3);
    m_backend->advance(1000);
    chat().turns()->keepAnswer(chat().turns()->group()->answers()[2]);
    m_driver.reset();
    QCOMPARE(storedMessages().size(), 2);
  }

  void columns_areThereAgainAfterARestart_untilOneIsKept() {
    ask(3);
    m_backend->advance(1000);
    const QList<RecordId> answers = chat().turns()->group()->answers();
    restart();
    QVERIFY(chat().turns()->group());
    QCOMPARE(chat().turns()->group()->answers(), answers);
    QCOMPARE(chat().turns()->group()->find(answers[2])->label(), QString("Answer 3"));
    QTRY_COMPARE(items("answerColumn").size(), 3);
    QCOMPARE(m_driver->shownTexts(), QStringList({"compare"}));
    QTRY_VERIFY(m_driver->item("keep1"));
    m_driver->click("keep1");
    QCOMPARE(chat().conversation().head(), answers[1]);
    restart();
    QVERIFY(!chat().turns()->group());
    QCOMPARE(chat().conversation().head(), answers[1]);
  }

  void keepingAll_makesThemVersions() {
    ask(3);
    m_backend->advance(1000);
    const QList<RecordId> answers = chat().turns()->group()->answers();
    chat().turns()->keepAllAnswers();
    QVERIFY(!chat().turns()->group());
    QCOMPARE(chat().conversation().head(), answers[0]);
    chat().history()->showVersion(answers[0], 1);
    QCOMPARE(chat().conversation().head(), answers[1]);
  }

  void nextMessage_goesOnWithTheFirstAnswer() {
    ask(2);
    m_backend->advance(1000);
    const RecordId first = chat().turns()->group()->answers()[0];
    m_driver->app().composer()->plan()->setCount(1);
    m_driver->type("next");
    m_driver->press(Qt::Key_Return);
    QTRY_COMPARE(m_backend->numRunning(), 1);
    QVERIFY(!chat().turns()->group());
    QCOMPARE(m_backend->requests.last().turns.size(), 3);
    QVERIFY(chat().conversation().path().contains(first));
  }

  void turningAllIntoChats_opensThemBeside() {
    ask(3);
    m_backend->advance(1000);
    const ChatModel* here = &chat();
    QTRY_VERIFY(m_driver->item("forkAll"));
    m_driver->click("forkAll");
    QCOMPARE(m_driver->app().panes()->count(), 3);
    QVERIFY(!here->turns()->group());
    QCOMPARE(m_driver->app().chats()->count(), 3);
    for (const ChatModel* one : m_driver->app().panes()->chats()) {
      QCOMPARE(one->conversation().path().size(), 2);
    }
  }

  void stop_stopsAllOfThem() {
    ask(4);
    m_backend->advance(2);
    m_driver->press(Qt::Key_Escape);
    QTRY_VERIFY(!chat().turns()->isGenerating());
    QCOMPARE(m_backend->numRunning(), 0);
    for (const RecordId id : chat().turns()->group()->answers()) {
      QCOMPARE(chat().conversation().find(id)->status, MessageStatus::Stopped);
    }
  }

  void temperatures_makeALadder_thatCanBeEdited() {
    AskPlan& plan = *m_driver->app().composer()->plan();
    plan.setCount(3);
    plan.setKind(AskPlan::Kind::Temperatures);
    QCOMPARE(plan.ladder(), QString("0.2, 0.7, 1.2"));
    plan.editLadder("0, 1.5");
    QCOMPARE(plan.count(), 2);
    plan.editLadder("0.1, hot");
    QVERIFY(!plan.problem().isEmpty());
    QCOMPARE(plan.ladder(), QString("0, 1.5"));
    m_driver->type("compare");
    m_driver->press(Qt::Key_Return);
    QTRY_COMPARE(m_backend->numRunning(), 2);
    QCOMPARE(m_backend->requests[0].sampling.temperature, 0.0f);
    QCOMPARE(m_backend->requests[1].sampling.temperature, 1.5f);
    QCOMPARE(chat().turns()->group()->find(chat().turns()->group()->answers()[1])->label(),
             QString("Temperature 1.5"));
  }

  void newChat_beginsWithOneAnswer() {
    AskPlan& plan = *m_driver->app().composer()->plan();
    ask(3);
    m_backend->advance(1000);
    QCOMPARE(plan.count(), 3);
    m_driver->press(Qt::Key_N, Qt::ControlModifier);
    QCOMPARE(plan.count(), 1);
    plan.setCount(2);
    m_driver->press(Qt::Key_Backslash, Qt::ControlModifier);
    QCOMPARE(m_driver->app().panes()->count(), 2);
    QCOMPARE(plan.count(), 1);
  }

  void answersInOneOfFourPanes_haveRoomToBeRead() {
    m_driver->window()->resize(1200, 800);
    QTRY_COMPARE(m_driver->window()->width(), 1200);
    m_driver->app().panes()->setCount(4);
    m_driver->app().panes()->setFocusedPane(1);
    ask(3);
    m_backend->advance(1000);
    QTRY_COMPARE(items("answerColumn").size(), 3);
    for (const QQuickItem* column : items("answerColumn")) QTRY_VERIFY(column->height() > 180);
    QQuickItem* list = m_driver->item("answerColumns");
    QTRY_VERIFY(!list->property("atXEnd").toBool());
    QCOMPARE(list->property("contentX").toDouble(), 0.0);
    m_driver->click("laterAnswers");
    m_driver->click("laterAnswers");
    QTRY_VERIFY(list->property("atXEnd").toBool());
  }

  void hint_goesWhenTheChipIsPressed() {
    QTRY_VERIFY(m_driver->item("askChip"));
    QQuickItem* chip = m_driver->item("askChip");
    const QPoint middle = m_driver->placeOf("askChip");
    const auto isPointedAt = [&] {
      QTest::mouseMove(m_driver->window(), middle + QPoint(0, -60));
      QTest::mouseMove(m_driver->window(), middle);
      return chip->property("hovered").toBool();
    };
    QTRY_VERIFY(isPointedAt());
    QObject* hint = hintOf(*chip);
    QVERIFY(hint);
    QTRY_VERIFY(hint->property("opened").toBool());
    QTest::mouseClick(m_driver->window(), Qt::LeftButton, {}, middle);
    QTRY_VERIFY(!hint->property("visible").toBool());
    QTest::qWait(700);  // Longer than a hint waits.
    QVERIFY(chip->property("hovered").toBool());
    QVERIFY(!hint->property("visible").toBool());
  }

  void chip_opensThePlan_andKeysChooseACount() {
    m_driver->click("askChip");
    QCOMPARE(m_driver->item("askChip")->property("text").toString(), QString("One answer"));
    QTRY_VERIFY(m_driver->isPopupOpen());
    const QPoint before = m_driver->placeOf("ask4");
    m_driver->click("ask4");
    m_driver->settle(60);
    QCOMPARE(m_driver->placeOf("ask4"), before);  // It did not go from the pointer.
    QCOMPARE(m_driver->app().composer()->plan()->count(), 4);
    QCOMPARE(m_driver->item("askChip")->property("text").toString(), QString("Ask 4"));
  }

 private:
  ChatModel& chat() { return m_driver->chat(); }
  void restart() {
    m_driver.reset();
    m_backend = std::make_unique<FakeBackend>();
    m_driver = std::make_unique<WindowDriver>(*m_backend, m_folder->path());
    m_driver->window()->resize(1440, 900);
    forgetBlockages();
  }
  void ask(int count) {
    for (int i = 0; i < count; ++i) m_backend->queueAnswer(kLong);
    m_driver->app().composer()->plan()->setCount(count);
    m_driver->type("compare");
    m_driver->press(Qt::Key_Return);
    QTRY_COMPARE(m_backend->numRunning(), count);
  }
  QList<MessageRecord> storedMessages() {
    const auto store = ConversationStore::openForReading(m_folder->path());
    if (!store) return {};
    const auto chats = (*store)->chats();
    if (!chats || chats->isEmpty()) return {};
    return (*store)->messages(chats->first().id).value_or(QList<MessageRecord>());
  }
  static QObject* hintOf(const QQuickItem& item) {
    for (QObject* child : item.findChildren<QObject*>())
      if (child->property("wasHeld").isValid()) return child;
    return nullptr;
  }
  QList<QQuickItem*> items(const QString& name) {
    QList<QQuickItem*> found;
    QList<QQuickItem*> open = {m_driver->window()->contentItem()};
    while (!open.isEmpty()) {
      QQuickItem* at = open.takeFirst();
      if (at->objectName() == name) found.append(at);
      open += at->childItems();
    }
    return found;
  }

  std::unique_ptr<QTemporaryDir> m_folder;
  std::unique_ptr<FakeBackend> m_backend;
  std::unique_ptr<WindowDriver> m_driver;
};

QUIRE_UI_TEST_MAIN(AskNTest)
#include "tst_ask_n.moc"
