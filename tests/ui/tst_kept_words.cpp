#include <QFile>
#include <QPointer>
#include <QTemporaryDir>
#include <QTest>

#include "app/store/conversation_store.h"
#include "app/store/database.h"
#include "tests/support/fake_backend.h"
#include "tests/support/plain_sqlite.h"
#include "tests/support/watched_test.h"
#include "tests/ui/ui_test_main.h"
#include "tests/ui/window_driver.h"

using namespace quire;

/// What someone wrote is neither lost nor does it come back deleted: when the disk refuses it,
/// while a message is edited, when the program ends.
class KeptWordsTest : public WatchedTest {
  Q_OBJECT

 protected:
  void prepare() override {
    m_folder = std::make_unique<QTemporaryDir>();
    start();
  }

  void tidyUp() override {
    m_driver.reset();
    m_backend.reset();
  }

 private slots:
  void refusedVersion_givesItsWordsBack_andTheChatGoesOn() {
    const RecordId id = ask("alpha", "one");
    chat().composer()->setDraft("my own draft");
    refuseMessages();
    chat().editor()->edit(chat().conversation().head());
    chat().editor()->setText("my own version");
    chat().editor()->save();
    QTRY_COMPARE(chat().composer()->draft(), QString("my own version\nmy own draft"));
    QVERIFY(!chat().notice().isEmpty());
    QCOMPARE(driver().shownTexts(), QStringList({"alpha", "one"}));
    takeMessages();
    chat().rename("new name");
    restart();
    driver().app().navigation()->openChat(id);
    QCOMPARE(chat().title(), QString("new name"));
    QCOMPARE(chat().composer()->draft(), QString("my own version\nmy own draft"));
    ask("go on", "two", false);
    restart();
    driver().app().navigation()->openChat(id);
    QCOMPARE(driver().shownTexts(), QStringList({"alpha", "one", "go on", "two"}));
  }

  void refusedVersion_takesBackWhatWasAskedAfterIt() {
    ask("alpha", "one");
    refuseMessages();
    chat().editor()->edit(chat().conversation().head());
    chat().editor()->setText("my own version");
    chat().editor()->save();
    chat().composer()->sendText("and then");
    QTRY_VERIFY(!chat().turns()->isGenerating());
    QTRY_COMPARE(driver().shownTexts(), QStringList({"alpha", "one"}));
    QTRY_VERIFY(chat().composer()->draft().contains("my own version"));
    QTRY_VERIFY(chat().composer()->draft().contains("and then"));
    takeMessages();
    QVERIFY(chat().turns()->canAsk());
  }

  void refusedTurn_isTheDraftAfterARestart() {
    const RecordId id = ask("alpha", "one");
    refuseMessages();
    chat().composer()->setDraft("my own long words");
    chat().composer()->send();
    QTRY_VERIFY(!chat().notice().isEmpty());
    takeMessages();
    restart();
    driver().app().navigation()->openChat(id);
    QCOMPARE(chat().composer()->draft(), QString("my own long words"));
    QCOMPARE(driver().shownTexts(), QStringList({"alpha", "one"}));
  }

  void ownDraft_outlivesAnEdit_data() {
    QTest::addColumn<int>("during");
    QTest::newRow("messages are deleted for good") << 0;
    QTest::newRow("a deletion is taken back") << 1;
    QTest::newRow("all panes are asked") << 2;
    QTest::newRow("all panes are asked, and the disk refuses") << 3;
  }
  void ownDraft_outlivesAnEdit() {
    QFETCH(const int, during);
    const RecordId id = ask("alpha", "one");
    ask("more", "two", false);
    chat().composer()->setDraft("my own draft");
    if (during < 2) {
      chat().history()->remove(chat().conversation().path()[2]);
    }
    chat().composer()->saveDraftNow();
    chat().editor()->edit(chat().conversation().path()[0]);
    chat().editor()->setText("my edit");
    if (during == 1) chat().history()->undoRemoval();
    if (during == 3) refuseMessages();
    if (during >= 2) chat().turns()->ask("to all");
    if (during == 2) QTRY_COMPARE(m_backend->numRunning(), 1);
    if (during == 3) QTRY_VERIFY(!chat().notice().isEmpty());
    if (during == 3) takeMessages();
    restart();
    driver().app().navigation()->openChat(id);
    QCOMPARE(chat().composer()->draft(),
             QString(during == 3 ? "to all\nmy own draft" : "my own draft"));
  }

  /// By it a merge tells which copy of a chat is the newer one. The clock was ahead, and is not
  /// now.
  void activityOfAChat_ascends() {
    const RecordId id = ask("alpha", "one");
    tidyUp();
    constexpr qint64 kFuture = 4'000'000'000'000;
    runPlainSql(m_folder->filePath("quire.db"),
                QStringLiteral("UPDATE chat SET active_ms = %1").arg(kFuture));
    start();
    driver().app().navigation()->openChat(id);
    ask("go on", "two", false);
    QCOMPARE(driver().app().session().store().chat(id).value()->activeMs, kFuture + 1);
    chat().editor()->edit(chat().conversation().head());
    chat().editor()->setText("my own version");
    chat().editor()->save();
    driver().app().session().flush(20'000);
    QCOMPARE(driver().app().session().store().chat(id).value()->activeMs, kFuture + 2);
  }

  /// An answer was cut off, and another copy of the store has all of it.
  void completedAnswer_isShown() {
    const RecordId id = ask("alpha", "one two");
    const RecordId head = chat().conversation().head();
    const QTemporaryDir other;
    const QString copy = other.filePath("quire.db");
    tidyUp();
    QVERIFY(QFile::copy(m_folder->filePath("quire.db"), copy));
    {
      const auto store = std::move(*ConversationStore::open(m_folder->path()));
      MessageRecord answer = store->messages(id).value().last();
      QCOMPARE(answer.id, head);
      answer.setText("one");
      answer.status = MessageStatus::Interrupted;
      QVERIFY(store->finishAnswer(answer));
    }
    start();
    driver().app().navigation()->openChat(id);
    QCOMPARE(driver().shownTexts(), QStringList({"alpha", "one"}));
    driver().app().transfer()->mergeStore(copy);
    QTRY_COMPARE(driver().shownTexts(), QStringList({"alpha", "one two"}));
    QCOMPARE(chat().conversation().find(head)->status, MessageStatus::Complete);
  }

  void fileThatIsBeingRead_isThereAfterAnEdit() {
    const RecordId id = ask("alpha", "one");
    QFile file(m_folder->filePath("note.txt"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("hello");
    file.close();
    chat().composer()->files()->add({QUrl::fromLocalFile(file.fileName())});
    QVERIFY(chat().composer()->files()->isReading());
    chat().editor()->edit(chat().conversation().path()[0]);
    QCOMPARE(chat().editor()->files()->rowCount(), 0);
    QTest::qWait(100);  // It is read meanwhile.
    chat().editor()->cancel();
    QTRY_VERIFY(!chat().composer()->files()->isReading());
    QCOMPARE(chat().composer()->files()->rowCount(), 1);
    QCOMPARE(chat().composer()->files()->find(0)->text, QString("hello"));
    restart();
    driver().app().navigation()->openChat(id);
    QCOMPARE(chat().composer()->files()->rowCount(), 1);
  }

  void chatDeletedWhileItAnswers_staysDeleted() {
    const RecordId a = ask("alpha", "one");
    m_backend->queueAnswer(QString("long ").repeated(500));
    chat().composer()->sendText("go on");
    QTRY_COMPARE(m_backend->numRunning(), 1);
    m_backend->advance(1);
    const RecordId b = ask("other", "x");
    library().remove(a);
    library().remove(b);  // There is no way back for the first one now.
    QVERIFY(!driver().app().chats()->contains(a));
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    QVERIFY(!library().findOpen(a));
    restart();
    QCOMPARE(driver().app().chats()->rowCount(), 0);
  }

  void deletedChat_leavesItsPane_whenTheNextOneCannotBeRead() {
    ask("alpha", "one");
    const RecordId b = ask("beta", "two");
    const RecordId c = ask("gamma", "three");
    restart();
    driver().app().navigation()->openChat(c);
    const QPointer<ChatModel> shown = &chat();
    execute("ALTER TABLE message_part RENAME TO hidden");
    library().remove(c);
    QVERIFY(driver().app().panes()->chatAt(0) != shown);
    QVERIFY(chat().isBlank());
    library().remove(b);  // There is no way back for the first one now.
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    QVERIFY(shown.isNull());
    QCOMPARE(chat().title(), QString("New chat"));
    execute("ALTER TABLE hidden RENAME TO message_part");
  }

 private:
  void start() {
    m_backend = std::make_unique<FakeBackend>();
    m_driver = std::make_unique<WindowDriver>(*m_backend, m_folder->path());
  }
  void restart() {
    tidyUp();
    start();
  }
  WindowDriver& driver() { return *m_driver; }
  ChatModel& chat() { return m_driver->chat(); }
  ChatLibrary& library() { return *m_driver->app().library(); }

  /// As another program would, in the same file.
  void execute(const QString& sql) {
    driver().app().session().flush(20'000);
    runPlainSql(m_folder->filePath("quire.db"), sql);
  }
  void refuseMessages() {
    execute(
        "CREATE TRIGGER refuse BEFORE INSERT ON message "
        "BEGIN SELECT RAISE(ABORT, 'refused'); END");
  }
  void takeMessages() { execute("DROP TRIGGER refuse"); }

  RecordId ask(const QString& text, const QString& answer, bool inNewChat = true) {
    if (inNewChat) driver().app().navigation()->newChat();
    m_backend->queueAnswer(answer);
    const int running = m_backend->numRunning();
    chat().composer()->sendText(text);
    if (!QTest::qWaitFor([&] { return m_backend->numRunning() == running + 1; }, kCommitMs))
      qFatal("Nothing was asked.");
    m_backend->advance(running == 0 ? 100 : 1);
    QTest::qWait(2);  // The next one is later, and stands above it.
    driver().app().session().flush(20'000);
    return chat().chatId();
  }

  std::unique_ptr<QTemporaryDir> m_folder;
  std::unique_ptr<FakeBackend> m_backend;
  std::unique_ptr<WindowDriver> m_driver;
};

QUIRE_UI_TEST_MAIN(KeptWordsTest)
#include "tst_kept_words.moc"
