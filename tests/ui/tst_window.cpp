#include <QInputMethodEvent>
#include <QTemporaryDir>
#include <QTest>

#include "tests/support/fake_backend.h"
#include "tests/support/watched_application.h"
#include "tests/support/watched_test.h"
#include "tests/ui/ui_test_main.h"
#include "tests/ui/window_driver.h"

using namespace quire;

namespace {

const QString kLong = QString(QStringLiteral("Many words, one after the other. ")).repeated(60);

RecordId idOf(WindowDriver& driver) {
  return driver.chat().chatId();
}

TimelineModel::Phase lastPhase(WindowDriver& driver) {
  const TimelineModel& rows = *driver.chat().timeline();
  return rows.data(rows.index(rows.rowCount() - 1), TimelineModel::kPhase)
      .value<TimelineModel::Phase>();
}

}  // namespace

/// The real window and the real store, driven by hand against a backend that answers on command.
class WindowTest : public WatchedTest {
  Q_OBJECT

 protected:
  void prepare() override {
    m_folder = std::make_unique<QTemporaryDir>();
    m_backend = std::make_unique<FakeBackend>();
    m_driver = std::make_unique<WindowDriver>(*m_backend, m_folder->path());
  }

  void tidyUp() override {
    m_driver.reset();
    m_backend.reset();
  }

 private slots:
  void return_sendsWhatWasTyped_andTheAnswerStreams() {
    m_backend->queueAnswer("Hello **you**.\n\n```py\nx = 1\n```");
    m_driver->type("Hi there");
    QVERIFY(m_driver->item("sendButton")->isEnabled());
    m_driver->press(Qt::Key_Return);
    QTRY_COMPARE(m_backend->requests.size(), 1);
    QCOMPARE(m_backend->requests[0].turns.last().text, QString("Hi there"));
    QVERIFY(m_backend->requests[0].priority == kFocusedPriority);
    QCOMPARE(m_driver->composer()->property("text").toString(), QString());
    m_backend->advance();
    QCOMPARE(m_driver->shownTexts(), QStringList({"Hi there", "Hello <b>you</b>"}));
    QCOMPARE(lastPhase(*m_driver), TimelineModel::Phase::Writing);
    m_backend->advance(100);
    QCOMPARE(m_driver->shownTexts(), QStringList({"Hi there", "Hello <b>you</b>.", "x = 1"}));
    QCOMPARE(lastPhase(*m_driver), TimelineModel::Phase::Complete);
    QCOMPARE(m_driver->chat().title(), QString("Hi there"));
    QCOMPARE(m_driver->window()->title(), QString("Hi there — Quire"));
    m_driver->app().navigation()->newChat();
    QCOMPARE(m_driver->window()->title(), QString("Quire"));
  }

  void return_withShift_breaksTheLine() {
    m_driver->type("one");
    m_driver->press(Qt::Key_Return, Qt::ShiftModifier);
    m_driver->type("two");
    QCOMPARE(m_driver->chat().composer()->draft(), QString("one\ntwo"));
    QVERIFY(m_backend->requests.isEmpty());
  }

  void return_duringComposition_doesNotSend() {
    m_driver->type("안");
    QInputMethodEvent composing(QStringLiteral("녕"), {});
    QCoreApplication::sendEvent(m_driver->composer(), &composing);
    QVERIFY(m_driver->composer()->property("inputMethodComposing").toBool());
    m_driver->press(Qt::Key_Return);
    QTest::qWait(50);
    QVERIFY(m_backend->requests.isEmpty());
    QVERIFY(m_driver->chat().isEmpty());
    QInputMethodEvent commit;
    commit.setCommitString(QStringLiteral("녕"));
    QCoreApplication::sendEvent(m_driver->composer(), &commit);
    m_driver->press(Qt::Key_Return);
    QTRY_COMPARE(m_backend->requests.size(), 1);
    QVERIFY(m_backend->requests[0].turns.last().text.startsWith(QStringLiteral("안녕")));
  }

  void emptyMessage_isNotSent() {
    m_driver->type("   ");
    QVERIFY(!m_driver->item("sendButton")->isEnabled());
    m_driver->press(Qt::Key_Return);
    QTest::qWait(50);
    QVERIFY(m_backend->requests.isEmpty());
  }

  void twoChats_streamAtOnce_andSwitchingStopsNeither() {
    m_backend->queueAnswer(kLong);
    m_backend->queueAnswer(kLong);
    m_driver->type("first");
    m_driver->press(Qt::Key_Return);
    QTRY_COMPARE(m_backend->numRunning(), 1);
    const RecordId first = idOf(*m_driver);
    m_driver->press(Qt::Key_N, Qt::ControlModifier);
    QVERIFY(idOf(*m_driver) != first);
    m_driver->type("second");
    m_driver->press(Qt::Key_Return);
    QTRY_COMPARE(m_backend->numRunning(), 2);
    m_backend->advance(3);
    const QString second = m_driver->shownTexts().last();
    QVERIFY(!second.isEmpty());
    m_driver->app().navigation()->openChat(first);
    QCOMPARE(m_driver->shownTexts().first(), QString("first"));
    QCOMPARE(m_driver->shownTexts().last(),
             second);  // As far as the other, though it was not shown.
    QCOMPARE(m_backend->numRunning(), 2);
    m_backend->advance(1000);
    const ChatListModel& chats = *m_driver->app().chats();
    QVERIFY(chats.data(chats.index(0), ChatListModel::kIsUnread).toBool());
    QVERIFY(!chats.data(chats.index(1), ChatListModel::kIsUnread).toBool());
  }

  void escape_stops_andKeepsWhatIsThere() {
    m_backend->queueAnswer(kLong);
    m_driver->type("go");
    m_driver->press(Qt::Key_Return);
    QTRY_COMPARE(m_backend->numRunning(), 1);
    m_backend->advance(2);
    QVERIFY(m_driver->item("stopButton")->isVisible());
    m_driver->press(Qt::Key_Escape);
    QTRY_COMPARE(lastPhase(*m_driver), TimelineModel::Phase::Stopped);
    QVERIFY(kLong.startsWith(m_driver->shownTexts().last()));
    QVERIFY(m_driver->item("sendButton")->isVisible());
  }

  void fullChat_saysWhatSendingDrops_andWhatWasLeftOut() {
    m_backend->contextTokens = 400;
    m_backend->promptDetails.droppedMessages = 6;
    m_driver->type("first");
    QTRY_VERIFY(!m_backend->questions.isEmpty());
    QTest::qWait(20);
    QVERIFY(!m_driver->chat().composer()->warns());
    m_backend->foretold = {
        .promptTokens = 300, .contextTokens = 400, .droppedMessages = 6, .error = {}};
    m_driver->chat().composer()->setDraft(kLong);
    QTRY_VERIFY(m_driver->chat().composer()->warns());
    QCOMPARE(m_backend->questions.last().turns.last().text, kLong.trimmed());
    QCOMPARE(m_backend->questions.last().chatId, idOf(*m_driver));
    const QString note = m_driver->item("composerNote")->property("text").toString();
    QCOMPARE(note, m_driver->chat().composer()->note());
    QVERIFY2(note.contains("leave out 6 older message"), qPrintable(note));
    QVERIFY(m_driver->item("sendButton")->isEnabled());
    m_driver->press(Qt::Key_Return);
    QTRY_COMPARE(m_backend->numRunning(), 1);
    QVERIFY(!m_driver->chat().composer()->warns());
    QCOMPARE(m_backend->requests.last().chatId, idOf(*m_driver));
    m_backend->advance(1000);
    QTRY_VERIFY(m_driver->item("leftOutFact"));
    QTRY_COMPARE(m_driver->item("leftOutFact")->property("text").toString(),
                 QString("6 oldest messages left out"));
    // The next message drops no more: that is said, but is no warning.
    QTRY_VERIFY(m_driver->chat().composer()->note().contains("left out to fit"));
    QVERIFY(!m_driver->chat().composer()->warns());
  }

  /// The notice above the message field is the warning, and says what to do.
  void failedModel_isWarnedOfOnce() {
    m_backend->setState(ModelManager::State::Failed, "The file ends early.");
    QTRY_COMPARE(m_driver->app().engine()->failure(), QString("The file ends early."));
    QVERIFY(m_driver->chat().composer()->note().startsWith("No model loaded."));
    QVERIFY(!m_driver->chat().composer()->warns());
  }

  void tooLongMessage_cannotBeSent_untilItIsShortened() {
    m_backend->foretold = {.promptTokens = 12400, .contextTokens = 8192, .error = "Too long."};
    m_driver->type("far too long");
    QTRY_VERIFY(m_driver->chat().composer()->warns());
    QVERIFY(!m_driver->item("sendButton")->isEnabled());
    m_driver->press(Qt::Key_Return);
    QCOMPARE(m_backend->numRunning(), 0);
    m_backend->foretold = {.promptTokens = 60, .contextTokens = 8192};
    m_driver->press(Qt::Key_Backspace);
    QVERIFY(m_driver->item("sendButton")->isEnabled());
    m_driver->press(Qt::Key_Return);
    QTRY_COMPARE(m_backend->numRunning(), 1);
  }

  void restart_findsEverything() {
    m_backend->queueAnswer("whole");
    m_backend->queueAnswer(kLong);
    m_driver->type("first");
    m_driver->press(Qt::Key_Return);
    QTRY_COMPARE(m_backend->numRunning(), 1);
    m_backend->advance(10);
    m_driver->press(Qt::Key_N, Qt::ControlModifier);
    m_driver->type("second");
    m_driver->press(Qt::Key_Return);
    QTRY_COMPARE(m_backend->numRunning(), 1);
    m_backend->advance(2);
    m_driver->type("a draft");
    const RecordId last = idOf(*m_driver);
    const QString partial = m_driver->shownTexts().last();
    m_driver.reset();
    m_backend = std::make_unique<FakeBackend>();
    m_driver = std::make_unique<WindowDriver>(*m_backend, m_folder->path());
    QCOMPARE(idOf(*m_driver), last);
    QCOMPARE(m_driver->app().chats()->count(), 2);
    QCOMPARE(m_driver->shownTexts(), QStringList({"second", partial}));
    QCOMPARE(lastPhase(*m_driver), TimelineModel::Phase::Interrupted);
    QCOMPARE(m_driver->chat().composer()->draft(), QString("a draft"));
    m_driver->app().navigation()->openNeighbour(1);
    QCOMPARE(m_driver->shownTexts(), QStringList({"first", "whole"}));
  }

  void regenerate_andEdit_keepTheOlderVersions() {
    m_backend->queueAnswer("one");
    m_driver->chat().composer()->sendText("ask");
    QTRY_COMPARE(m_backend->numRunning(), 1);
    m_backend->advance(5);
    m_backend->queueAnswer("two");
    m_driver->chat().turns()->regenerate(m_driver->chat().conversation().head());
    QTRY_COMPARE(m_backend->numRunning(), 1);
    m_backend->advance(5);
    QCOMPARE(m_driver->shownTexts(), QStringList({"ask", "two"}));
    m_driver->chat().history()->showVersion(m_driver->chat().conversation().head(), -1);
    QCOMPARE(m_driver->shownTexts(), QStringList({"ask", "one"}));
    m_driver->chat().editor()->edit(m_driver->chat().conversation().path().first());
    QTRY_VERIFY(m_driver->item("editedText"));
    QTRY_VERIFY(m_driver->item("editedText")->hasActiveFocus());
    QCOMPARE(m_driver->item("editedText")->property("text").toString(), QString("ask"));
    m_driver->press(Qt::Key_Exclam);
    m_driver->press(Qt::Key_Return);
    QTRY_COMPARE(m_backend->numRunning(), 1);
    QCOMPARE(m_backend->requests.last().turns.size(), 1);
    QCOMPARE(m_driver->chat()
                 .conversation()
                 .version(m_driver->chat().conversation().path().first())
                 .count,
             2);
  }

  void error_isShownWhereTheAnswerWouldBe_andTheTextIsKept() {
    m_backend->failNext("This prompt has 9,412 tokens; the model reads 8,192.");
    m_driver->type("too long");
    m_driver->press(Qt::Key_Return);
    QTRY_COMPARE(lastPhase(*m_driver), TimelineModel::Phase::Failed);
    const TimelineModel& rows = *m_driver->chat().timeline();
    QCOMPARE(rows.data(rows.index(rows.rowCount() - 1), TimelineModel::kPhaseText).toString(),
             QString("This prompt has 9,412 tokens; the model reads 8,192."));
    QCOMPARE(m_driver->shownTexts(), QStringList({"too long"}));
  }

  void loadingModel_lettersCanBeTyped_butNotSent() {
    m_backend->setState(ModelManager::State::Loading, "Loading…", 0.4);
    m_driver->type("early");
    QVERIFY(!m_driver->item("sendButton")->isEnabled());
    m_backend->setState(ModelManager::State::Ready);
    QVERIFY(m_driver->item("sendButton")->isEnabled());
  }

  void tab_leavesTheComposer_andComesBack() {
    m_driver->type("a");
    m_driver->press(Qt::Key_Tab);
    QVERIFY(!m_driver->composer()->hasActiveFocus());
    QCOMPARE(m_driver->chat().composer()->draft(), QString("a"));
    m_driver->press(Qt::Key_Tab, Qt::ShiftModifier);
    QVERIFY(m_driver->composer()->hasActiveFocus());
  }

  void f2_renamesInPlace_andEscapeDoesNot() {
    m_driver->chat().composer()->sendText("first words");
    QTRY_COMPARE(m_backend->numRunning(), 1);
    m_backend->advance(20);
    const auto rename = [&](const QString& name, Qt::Key last) {
      m_driver->press(Qt::Key_F2);
      // The field selects its text a moment after it has come.
      const auto selected = [&] {
        const QQuickItem* field = m_driver->window()->activeFocusItem();
        const bool isThere = field && field != m_driver->composer();
        return isThere ? field->property("selectedText").toString() : QString();
      };
      QTRY_COMPARE(selected(), m_driver->chat().title());
      for (QChar c : name) m_driver->press(static_cast<Qt::Key>(c.toUpper().unicode()));
      m_driver->press(last);
      QTRY_VERIFY(m_driver->composer()->hasActiveFocus());
    };
    rename("xyz", Qt::Key_Return);
    QCOMPARE(m_driver->chat().title(), QString("xyz"));
    rename("abc", Qt::Key_Escape);
    QCOMPARE(m_driver->chat().title(), QString("xyz"));
  }

  void deletedChat_comesBackWithUndo() {
    m_backend->queueAnswer("kept");
    m_driver->chat().composer()->sendText("keep me");
    QTRY_COMPARE(m_backend->numRunning(), 1);
    m_backend->advance(5);
    const RecordId id = idOf(*m_driver);
    m_driver->app().library()->remove(id);
    QCOMPARE(m_driver->app().chats()->count(), 0);
    QVERIFY(!m_driver->app().library()->undoText().isEmpty());
    m_driver->app().library()->undo();
    QCOMPARE(idOf(*m_driver), id);
    QCOMPARE(m_driver->shownTexts(), QStringList({"keep me", "kept"}));
  }

  void reader_whoScrolledUp_isLeftAlone() {
    m_backend->queueAnswer(QString("A paragraph of some words.\n\n").repeated(80));
    m_driver->chat().composer()->sendText("long");
    QTRY_COMPARE(m_backend->numRunning(), 1);
    m_backend->advance(120);
    QQuickItem* list = m_driver->item("timeline");
    const auto toEnd = [&] {
      return list->property("originY").toDouble() + list->property("contentHeight").toDouble() -
             list->property("contentY").toDouble() - list->height();
    };
    QTRY_VERIFY(list->property("contentHeight").toDouble() > 1500 && toEnd() < 30);
    const double y = list->property("contentY").toDouble() - 400;
    list->setProperty("contentY", y);
    m_backend->advance(30);
    QTest::qWait(80);
    QVERIFY(std::abs(list->property("contentY").toDouble() - y) < 1.0);
    QMetaObject::invokeMethod(list, "showLatest");
    QTRY_VERIFY(toEnd() < 30);
  }

  void window_isShownWhileTheStoreIsOpened_andFitsItsScreen() {
    m_driver->app().appearance()->saveWindowSize({1400, 900});
    m_driver.reset();
    const WatchedApplication::Uncounted opening;
    AppModel app(*m_backend, m_folder->path(), {});
    app.store()->open();
    const auto engine = openWindow(app, {1280, 760});
    const auto* window = qobject_cast<QQuickWindow*>(engine->rootObjects().constFirst());
    QVERIFY(window->isVisible());
    QCOMPARE(window->size(), QSize(1200, 720));
    QVERIFY(findItem(*window, "openingNote")->isVisible());
    QVERIFY(!findItem(*window, "composerText"));
    QTRY_VERIFY(app.store()->isOpen());
    QTRY_VERIFY(findItem(*window, "composerText"));
    QVERIFY(!findItem(*window, "openingNote")->isVisible());
    QTRY_COMPARE(window->size(), QSize(1280, 720));
  }

  void unwritableFolder_isSaid_andCanBeTriedAgain() {
    m_driver.reset();
    QFile file(m_folder->filePath("file"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    AppModel app(*m_backend, m_folder->filePath("file/below"), {});
    app.open();
    QVERIFY(!app.store()->isOpen());
    QVERIFY(app.store()->error().contains("file/below"));
    file.close();
    QVERIFY(file.remove());
    app.open();
    QVERIFY(app.store()->isOpen());
    QVERIFY(app.store()->error().isEmpty());
  }

 private:
  std::unique_ptr<QTemporaryDir> m_folder;
  std::unique_ptr<FakeBackend> m_backend;
  std::unique_ptr<WindowDriver> m_driver;
};

QUIRE_UI_TEST_MAIN(WindowTest)
#include "tst_window.moc"
