#include <QClipboard>
#include <QMimeData>
#include <QQmlProperty>
#include <QTemporaryDir>
#include <QTest>

#include "app/chat/message_state.h"
#include "app/store/conversation_store.h"
#include "tests/support/fake_backend.h"
#include "tests/support/watched_test.h"
#include "tests/ui/ui_test_main.h"
#include "tests/ui/window_driver.h"

using namespace quire;

namespace {

const QString kLong = QString(QStringLiteral("Many words, one after the other. ")).repeated(30);

}  // namespace

/// What is done with single messages, by hand, in the real window.
class MessageActionsTest : public WatchedTest {
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
  void fork_opensBeside_andSaysWhatItReused() {
    say("one", "**first**");
    say("two", "second");
    ChatModel& origin = chat();
    origin.history()->fork(origin.conversation().path()[1]);
    QCOMPARE(m_driver->app().panes()->count(), 2);
    ChatModel& fork = chat();
    QVERIFY(&fork != &origin);
    QCOMPARE(fork.title(), QString("one (fork)"));
    QCOMPARE(fork.record().forkedFrom, origin.conversation().path()[1]);
    QCOMPARE(m_driver->shownTexts(), QStringList({"one", "<b>first</b>"}));
    QCOMPARE(origin.conversation().path().size(), 4);
    say("another way", "third");
    QCOMPARE(m_backend->requests.last().turns.size(), 3);
    const MessageRecord& answer = *fork.conversation().find(fork.conversation().head());
    QVERIFY(answer.reusedTokens > 0);
    const MessageRecord& first = *fork.conversation().find(fork.conversation().path()[1]);
    QCOMPARE(answer.forkedTokens, first.promptTokens + first.outputTokens);
    QVERIFY(answer.forkedTokens < answer.promptTokens);
    QCOMPARE(answer.reusedTokens, std::min(answer.cachedTokens, answer.forkedTokens));
    QCOMPARE(cacheText(answer, nullptr), QString("Forked: %1 of %2 tokens reused")
                                             .arg(answer.reusedTokens)
                                             .arg(answer.forkedTokens));
    say("and on", "fourth");
    QCOMPARE(fork.conversation().find(fork.conversation().head())->reusedTokens, 0);
  }

  void draftIsForetoldByTheChatsOwnModel() {
    const QString other = QStringLiteral("/models/other.gguf");
    chat().setOwnModel(other);
    m_driver->type("What would that take?");
    QTRY_VERIFY(!m_backend->questions.isEmpty());
    QCOMPARE(m_backend->questions.last().modelPath, other);
  }

  void fork_survivesARestart() {
    say("one", "first");
    const RecordId origin = chat().chatId();
    chat().history()->fork(chat().conversation().head());
    const RecordId fork = chat().chatId();
    m_driver.reset();
    const auto store = ConversationStore::openForReading(m_folder->path());
    const auto messages = (*store)->messages(fork).value();
    QCOMPARE(messages.size(), 2);
    QCOMPARE(messages[1].text(), QString("first"));
    QCOMPARE(messages[1].parentId, messages[0].id);
    QCOMPARE((*store)->messages(origin).value().size(), 2);
  }

  void cutOffAnswer_goesOnInTheSameMessage() {
    m_backend->queueAnswer(kLong);
    m_driver->type("go");
    m_driver->press(Qt::Key_Return);
    QTRY_COMPARE(m_backend->numRunning(), 1);
    m_backend->advance(3);
    m_driver->press(Qt::Key_Escape);
    QTRY_VERIFY(!chat().turns()->isGenerating());
    const RecordId id = chat().conversation().head();
    const QString begun = chat().conversation().find(id)->text();
    QCOMPARE(chat().turns()->continuable(), id);
    MessageState state;
    state.setChat(&chat());
    state.setMessageId(static_cast<double>(id));
    QVERIFY(state.canContinue());
    state.setMessageId(static_cast<double>(chat().conversation().path().first()));
    QVERIFY(!state.canContinue());
    state.setMessageId(static_cast<double>(id));
    m_backend->queueAnswer("and the rest.");
    QVERIFY(!chat().history()->isComplete(id));
    QTRY_VERIFY(m_driver->item("continueButton") && m_driver->item("continueButton")->isVisible());
    m_driver->click("continueButton");
    QTRY_COMPARE(m_backend->numRunning(), 1);
    const ChatRequest& request = m_backend->requests.last();
    QVERIFY(request.continueAnswer);
    QCOMPARE(request.turns.last().role, QString("assistant"));
    QCOMPARE(request.turns.last().text, begun);
    m_backend->advance(100);
    QTRY_VERIFY(!chat().turns()->isGenerating());
    QCOMPARE(chat().conversation().head(), id);
    QCOMPARE(chat().conversation().find(id)->text(), begun + "and the rest.");
    QCOMPARE(chat().conversation().find(id)->status, MessageStatus::Complete);
    QCOMPARE(chat().turns()->continuable(), 0);
    QVERIFY(!state.canContinue());
    QVERIFY(m_driver->shownTexts().last().endsWith("and the rest."));
  }

  void wholeAnswer_cannotGoOn() {
    say("one", "whole");
    QCOMPARE(chat().turns()->continuable(), 0);
    QVERIFY(chat().history()->isComplete(chat().conversation().head()));
    chat().turns()->continueAnswer(chat().conversation().head());
    QTest::qWait(50);
    QCOMPARE(m_backend->numRunning(), 0);
  }

  void editedAnswer_isAVersion_andNothingIsAsked() {
    say("one", "wrong");
    const RecordId old = chat().conversation().head();
    chat().editor()->edit(old);
    QCOMPARE(chat().editor()->saveText(), QString("Save"));
    QTRY_VERIFY(m_driver->item("editedText") && m_driver->item("editedText")->hasActiveFocus());
    m_driver->item("editedText")->setProperty("text", "right");
    m_driver->press(Qt::Key_Return);
    QCOMPARE(m_driver->shownTexts(), QStringList({"one", "right"}));
    QCOMPARE(chat().conversation().version(old).count, 2);
    QCOMPARE(m_backend->requests.size(), 1);
    say("next", "so");
    QCOMPARE(m_backend->requests.last().turns[1].text, QString("right"));
  }

  void deleting_canBeUndone() {
    say("one", "first");
    say("two", "second");
    const RecordId second = chat().conversation().path()[2];
    chat().history()->remove(second);
    QCOMPARE(m_driver->shownTexts(), QStringList({"one", "first"}));
    QVERIFY(chat().history()->undoText().startsWith("2 message"));
    QTRY_VERIFY(m_driver->item("messageUndoToast"));
    m_driver->drawFrame();
    m_driver->click("messageUndoButton");
    QCOMPARE(m_driver->shownTexts(), QStringList({"one", "first", "two", "second"}));
    chat().history()->remove(second);
    const RecordId id = chat().chatId();
    m_driver.reset();
    const auto store = ConversationStore::openForReading(m_folder->path());
    QCOMPARE((*store)->messages(id).value().size(), 2);
  }

  void deletedVersion_showsAnother() {
    say("one", "first");
    m_backend->queueAnswer("again");
    chat().turns()->regenerate(chat().conversation().head());
    QTRY_COMPARE(m_backend->numRunning(), 1);
    m_backend->advance(100);
    chat().history()->remove(chat().conversation().head());
    QCOMPARE(m_driver->shownTexts(), QStringList({"one", "first"}));
  }

  void menu_opensByRightClick_andByKey() {
    say("one", "first");
    m_driver->settle(0);
    QQuickItem* timeline = m_driver->item("timeline");
    const QPointF point = timeline->mapToScene({timeline->width() / 2, 90});
    QTest::mouseClick(m_driver->window(), Qt::RightButton, Qt::NoModifier, point.toPoint());
    QTRY_VERIFY(menuMessage() > 0 && m_driver->isPopupOpen());
    m_driver->press(Qt::Key_Escape);
    QTRY_VERIFY(!m_driver->hasPopup());
    timeline->forceActiveFocus();
    m_driver->press(Qt::Key_F10, Qt::ShiftModifier);
    QTRY_COMPARE(menuMessage(), chat().conversation().head());
  }

  void copies_areWhatOneReads_andWhatWasWritten() {
    say("one", "**bold** words");
    const RecordId id = chat().conversation().head();
    chat().history()->copy(id);
    QCOMPARE(QGuiApplication::clipboard()->text().trimmed(), QString("bold words"));
    chat().history()->copyMarkdown(id);
    QCOMPARE(QGuiApplication::clipboard()->text(), QString("**bold** words"));
    chat().history()->copyRich(id);
    QVERIFY(QGuiApplication::clipboard()->mimeData()->html().contains("<b>"));
  }

  /// For a moment, at the message that was copied, whatever copied it.
  void copying_isConfirmed() {
    say("one", "first");
    QTRY_VERIFY(m_driver->item("copyAnswer"));
    QQuickItem* const button = m_driver->item("copyAnswer");
    const QQuickItem* const speaker = m_driver->item("copiedMessage");
    QVERIFY(button && speaker);
    const auto spoken = [&] {
      return QQmlProperty::read(speaker, "Accessible.name", qmlContext(speaker)).toString();
    };
    QCOMPARE(button->property("iconName").toString(), QString("copy"));
    QCOMPARE(spoken(), QString());
    m_driver->click("copyAnswer");
    QCOMPARE(QGuiApplication::clipboard()->text(), QString("first"));
    QCOMPARE(button->property("iconName").toString(), QString("check"));
    QCOMPARE(button->property("name").toString(), QString("Copied"));
    QCOMPARE(spoken(), QString("Copied"));
    QTRY_COMPARE(button->property("iconName").toString(), QString("copy"));
    QCOMPARE(spoken(), QString());
    m_driver->press(Qt::Key_C, Qt::ControlModifier | Qt::ShiftModifier);
    QCOMPARE(button->property("iconName").toString(), QString("check"));
    chat().history()->copy(chat().conversation().path().first());
    QCOMPARE(button->property("iconName").toString(), QString("copy"));
  }

  void pause_holdsAnswers_queuesWhatIsSent_andLetsThemGoOn() {
    m_backend->queueAnswer(kLong);
    m_driver->type("go");
    m_driver->press(Qt::Key_Return);
    QTRY_COMPARE(m_backend->numRunning(), 1);
    m_backend->advance(2);
    const QString text = m_driver->shownTexts().last();
    m_driver->press(Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
    QVERIFY(m_driver->app().pause()->isPaused());
    QCOMPARE(chat().activityText(), QString("Paused"));
    m_backend->advance(5);
    QCOMPARE(m_driver->shownTexts().last(), text);
    m_driver->app().navigation()->newChat();
    m_driver->type("wait");
    m_driver->press(Qt::Key_Return);
    QTRY_COMPARE(m_backend->numRunning(), 2);
    m_driver->click("pauseButton");
    QVERIFY(!m_driver->app().pause()->isPaused());
    m_backend->advance(1000);
    QTRY_COMPARE(m_backend->numRunning(), 0);
  }

  void contextThatIsNearlyFull_isSaid() {
    const ChatComposer& composer = *chat().composer();
    QVERIFY(!composer.isContextKnown() && !composer.isContextNearlyFull());
    say("one", "first");
    QVERIFY(composer.isContextKnown() && !composer.isContextNearlyFull());
    m_backend->contextTokens = 20;
    m_backend->setState(ModelManager::State::Ready);
    say("two", "second");
    QVERIFY(composer.isContextKnown() && composer.isContextNearlyFull());
  }

  void estimate_standsUnderTheComposer() {
    m_backend->foretold = {
        .promptTokens = 60, .contextTokens = 8192, .messageTokens = 12, .cachedTokens = 36};
    m_driver->type("what does it cost?");
    QTRY_COMPARE(m_driver->item("composerNote")->property("text").toString(),
                 QString("about 12 tokens · 24 to compute"));
    m_driver->press(Qt::Key_2, Qt::ControlModifier);
    m_driver->app().composer()->setToAll(true);
    m_driver->type("both?");
    QTRY_COMPARE(m_driver->item("composerNote")->property("text").toString(),
                 QString("about 12 tokens · 48 to compute"));
  }

 private:
  ChatModel& chat() { return m_driver->chat(); }
  RecordId menuMessage() {
    const QQuickItem* pane = m_driver->item("timeline")->parentItem();
    const auto menu = pane->findChild<QObject*>("messageMenu");
    return menu ? menu->property("messageId").toLongLong() : -1;
  }
  void say(const QString& message, const QString& answer) {
    m_backend->queueAnswer(answer);
    chat().turns()->ask(message);
    QTRY_COMPARE(m_backend->numRunning(), 1);
    m_backend->advance(100);
    QTRY_VERIFY(!chat().turns()->isGenerating());
  }

  std::unique_ptr<QTemporaryDir> m_folder;
  std::unique_ptr<FakeBackend> m_backend;
  std::unique_ptr<WindowDriver> m_driver;
};

QUIRE_UI_TEST_MAIN(MessageActionsTest)
#include "tst_message_actions.moc"
