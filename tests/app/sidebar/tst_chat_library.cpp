#include "app/sidebar/chat_library.h"

#include <QPointer>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "tests/support/fake_backend.h"
#include "tests/support/growth.h"
#include "tests/support/thread_time.h"

using namespace quire;

namespace {

constexpr int kNumChats = 14;

struct Library {
  explicit Library(const QString& folder) : session(folder), generation(backend, session) {
    if (!session.open()) qFatal("The store does not open.");
    library =
        std::make_unique<ChatLibrary>(backend, backend, session, personas, engine, generation);
    library->setShown([this](RecordId id) { return id == shown; });
    if (!library->load()) qFatal("The list cannot be read.");
  }
  ~Library() {
    library->close();
    session.flush(5000);
    library.reset();
  }
  /// Opens and shows a chat like a pane does.
  ChatModel* show(RecordId id) {
    if (ChatModel* before = library->findOpen(shown)) before->setShown(false);
    shown = id;
    ChatModel* chat = library->open(id);
    chat->setShown(true);
    library->setCurrent(id);
    return chat;
  }
  ChatModel* showLoaded(RecordId id) {
    ChatModel* chat = show(id);
    if (!QTest::qWaitFor([&] { return chat->isLoaded(); }, 60'000)) qFatal("The chat is not read.");
    return chat;
  }

  FakeBackend backend;
  DataSession session;
  GenerationDefaults generation;
  PersonaListModel personas;
  EngineStatus engine{backend};
  RecordId shown = 0;
  std::unique_ptr<ChatLibrary> library;
};

/// Chats 1 to kNumChats of `numMessages` messages each.
void fill(const QString& folder, int numMessages) {
  const auto store = std::move(*ConversationStore::open(folder));
  for (RecordId id = 1; id <= kNumChats; ++id) {
    NewChat made;
    made.chat.id = id;
    made.chat.title = QStringLiteral("Chat %1").arg(id);
    made.chat.activeMs = made.chat.createdMs = 1'700'000'000'000 + id;
    for (int i = 0; i < numMessages; ++i) {
      MessageRecord message;
      message.id = id * 10'000 + i;
      message.chatId = id;
      message.parentId = i == 0 ? 0 : message.id - 1;
      message.role = i % 2 == 0 ? MessageRole::User : MessageRole::Assistant;
      message.setText(QStringLiteral("Message %1").arg(i));
      made.messages.append(message);
    }
    made.chat.headMessageId = made.messages.last().id;
    if (!store->createChat(made)) qFatal("The chat is not stored.");
  }
}

}  // namespace

class ChatLibraryTest : public QObject {
  Q_OBJECT

 private slots:
  void init() { m_folder = std::make_unique<QTemporaryDir>(); }

  void open_returnsBeforeALongChatIsRead() {
    fill(m_folder->path(), 4);
    Library room(m_folder->path());
    room.library->setMaxReadWait(std::chrono::milliseconds(0));
    ChatModel* chat = room.show(1);
    // A chat may already be read if this thread had to wait for the processor.
    for (RecordId id = 2; chat->isLoaded() && id <= kNumChats; ++id) chat = room.show(id);
    QVERIFY(!chat->isLoaded());
    const RecordId wanted = chat->record().headMessageId;
    QVERIFY(!chat->isEmpty());  // The welcome page is not shown meanwhile.
    QVERIFY(!chat->turns()->canAsk());
    QVERIFY(!chat->turns()->canChange());
    chat->history()->reveal(wanted);
    chat->composer()->setDraft("typed meanwhile");
    QTRY_VERIFY(chat->isLoaded());
    QCOMPARE(chat->conversation().path().size(), 4);
    QCOMPARE(chat->composer()->draft(), QString("typed meanwhile"));
    QVERIFY(chat->history()->canReveal());
    QVERIFY(chat->composer()->canSend());
  }

  void deletedChats_leaveTheBackupsWhenWanted_data() {
    QTest::addColumn<QString>("end");
    QTest::addColumn<int>("left");
    QTest::newRow("not chosen") << "finish" << kNumChats;
    QTest::newRow("dismissed") << "dismiss" << kNumChats;
    QTest::newRow("dismissed when it cannot be undone any more") << "dismiss late" << kNumChats;
    QTest::newRow("undone while asked") << "undo" << kNumChats;
    QTest::newRow("chosen") << "erase" << kNumChats - 1;
    QTest::newRow("chosen when it cannot be undone any more") << "late" << kNumChats - 1;
    QTest::newRow("chosen just before the program ends") << "quit" << kNumChats - 1;
  }
  void deletedChats_leaveTheBackupsWhenWanted() {
    QFETCH(QString, end);
    QFETCH(int, left);
    fill(m_folder->path(), 2);
    const auto chatsInBackup = [&] {
      return listBackups(m_folder->path(), /*count=*/true).value(0).numChats;
    };
    {
      Library room(m_folder->path());
      BackupEraser& eraser = *room.library->eraser();
      room.library->remove(2);
      QSignalSpy listed(&eraser, &BackupEraser::changed);
      QTRY_COMPARE(listed.count(), 1);
      QVERIFY(!eraser.isOffered());  // There is no backup.
      room.library->undo();
      QVERIFY(makeBackup(room.session.store().database(), Backup::Kind::Daily,
                         QDateTime::currentDateTime()));
      room.library->remove(3);
      QTRY_VERIFY(eraser.isOffered());
      if (end != "finish") eraser.ask();
      QCOMPARE(eraser.isAsking(), end != "finish");
      if (end == "undo") room.library->undo();
      if (end.endsWith("late")) room.library->setArchived(5, true);  // Ends what can be undone.
      if (end.startsWith("dismiss")) eraser.dismiss();
      QCOMPARE(eraser.isOffered(), end == "finish" || end == "dismiss");
      if (left < kNumChats) eraser.erase();
      QVERIFY(!eraser.isAsking());
      if (end == "erase") {
        QTRY_COMPARE(chatsInBackup(), left);
        QTRY_COMPARE(room.session.setting("backups.erasing"), QString());
      }
    }
    Library again(m_folder->path());
    QTRY_COMPARE(chatsInBackup(), left);
    QTRY_COMPARE(again.session.setting("backups.erasing"), QString());
    QCOMPARE(again.library->list()->find(3).has_value(), end == "undo");
  }

  void erasingThatWasCutOff_isFinishedByTheNextStart() {
    fill(m_folder->path(), 2);
    {
      Library room(m_folder->path());
      QVERIFY(makeBackup(room.session.store().database(), Backup::Kind::Daily,
                         QDateTime::currentDateTime()));
      // As a kill leaves it after the note: the chat is still in the store.
      const auto created = room.library->list()->find(3)->createdMs;
      room.session.putSetting("backups.erasing", QString("3:%1,4:17").arg(created));
      QFile half(m_folder->filePath("backups/erasing.part"));
      QVERIFY(half.open(QIODevice::WriteOnly) && half.write("text of chat 3") > 0);
    }
    Library again(m_folder->path());
    QTRY_COMPARE(listBackups(m_folder->path(), /*count=*/true).value(0).numChats, kNumChats - 1);
    QVERIFY(!again.library->list()->find(3));
    QVERIFY(again.library->list()->find(4));  // Another chat with the same id.
    QTRY_VERIFY(!QFile::exists(m_folder->filePath("backups/erasing.part")));
  }

  /// A forged or merged store may name so many; the window must not stand still for seconds.
  void veryManyErasedChats_areResumedInTime() {
    QVERIFY(test::grows_linearly(25'000, [](int count) {
      const QTemporaryDir folder;
      fill(folder.path(), 2);
      QString noted;
      for (int i = 1; i <= count; ++i) noted += QString("%1:17,").arg(1000 + i);
      {
        Library room(folder.path());
        room.session.putSetting("backups.erasing", noted);
      }
      const double begin = test::thread_ms();
      Library again(folder.path());
      const bool isResumed = QTest::qWaitFor(
          [&] { return again.session.setting("backups.erasing").isEmpty(); }, 60'000);
      return isResumed ? test::thread_ms() - begin : -1.0;
    }));
  }

  void backupThatCannotBeChanged_isNamed() {
    fill(m_folder->path(), 2);
    Library room(m_folder->path());
    const auto made = makeBackup(room.session.store().database(), Backup::Kind::Daily,
                                 QDateTime::currentDateTime());
    QVERIFY(made);
    QFile file(*made);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.close();
    QSignalSpy failed(room.library.get(), &ChatLibrary::failed);
    room.library->remove(3);
    QTRY_VERIFY(room.library->eraser()->isOffered());
    room.library->eraser()->ask();
    room.library->eraser()->erase();
    QTRY_COMPARE(failed.count(), 1);
    QVERIFY(failed[0][0].toString().contains(*made));
  }

  void backupsThatCannotBeChanged_areTriedAgainByTheNextStart() {
    fill(m_folder->path(), 2);
    QHash<QString, QByteArray> sound;
    {
      Library room(m_folder->path());
      for (int day = 0; day < 2; ++day) {
        const auto made = makeBackup(room.session.store().database(), Backup::Kind::Daily,
                                     QDateTime::currentDateTime().addDays(-day));
        QVERIFY(made);
        sound.insert(*made, replaceContent(*made, "unreadable"));
      }
      QSignalSpy failed(room.library.get(), &ChatLibrary::failed);
      for (const RecordId id : {3, 4}) {
        room.library->remove(id);
        QTRY_VERIFY(room.library->eraser()->isOffered());
        room.library->eraser()->ask();
        room.library->eraser()->erase();
        QTRY_COMPARE(failed.count(), id - 2);
        QVERIFY(failed.last()[0].toString().contains("2 backups"));
        QVERIFY(room.library->load());  // As after an import, which does not try again.
      }
      QCOMPARE(erasedChats(room.session.setting("backups.erasing")).size(), 2);
    }
    for (auto it = sound.cbegin(); it != sound.cend(); ++it) replaceContent(it.key(), it.value());
    Library again(m_folder->path());
    QTRY_COMPARE(again.session.setting("backups.erasing"), QString());
    const auto backups = listBackups(m_folder->path(), /*count=*/true);
    QCOMPARE(backups.size(), 2);
    for (const Backup& backup : backups) QCOMPARE(backup.numChats, kNumChats - 2);
  }

  void open_loadsAShortChatAtOnce() {
    fill(m_folder->path(), 4);
    Library room(m_folder->path());
    room.library->setMaxReadWait(std::chrono::seconds(20));
    QVERIFY(room.show(3)->isLoaded());
  }

  void open_reportsAChatThatCannotBeRead() {
    fill(m_folder->path(), 4);
    Library room(m_folder->path());
    room.library->setMaxReadWait(std::chrono::seconds(20));
    QSignalSpy failed(room.library.get(), &ChatLibrary::failed);
    QVERIFY(QFile::rename(m_folder->filePath("quire.db"), m_folder->filePath("away.db")));
    QVERIFY(!room.library->open(3));
    QCOMPARE(failed.count(), 1);
    QVERIFY(QFile::rename(m_folder->filePath("away.db"), m_folder->filePath("quire.db")));
    QVERIFY(room.library->open(3));
  }

  void hiddenChats_areReleasedWithoutLoss() {
    fill(m_folder->path(), 2);
    Library room(m_folder->path());
    room.showLoaded(1)->composer()->setDraft("unsent");
    const QPointer<ChatModel> answering = room.showLoaded(2);
    room.backend.queueAnswer("A long answer that takes its time.");
    answering->turns()->ask("Go");
    QTRY_COMPARE(room.backend.numRunning(), 1);
    for (RecordId id = 3; id <= kNumChats; ++id) room.showLoaded(id);
    QTRY_VERIFY_WITH_TIMEOUT(!room.library->findOpen(1), 20'000);
    QVERIFY(!room.library->findOpen(3));
    QVERIFY(answering);
    QVERIFY(room.library->findOpen(kNumChats));
    QVERIFY(room.library->findOpen(kNumChats - 1));  // It is one of the last opened chats.
    QVERIFY(room.library->openChats().size() <= 10);
    QCOMPARE(room.showLoaded(1)->composer()->draft(), QString("unsent"));
    room.backend.advance(100);
    QTRY_VERIFY(!answering->turns()->isGenerating());
    QTRY_VERIFY_WITH_TIMEOUT(!answering, 20'000);
    QCOMPARE(room.showLoaded(2)->conversation().path().size(), 4);
  }

  void hiddenChats_ignoreLoadingProgress() {
    fill(m_folder->path(), 2);
    Library room(m_folder->path());
    ChatModel* hidden = room.showLoaded(1);
    ChatModel* shown = room.showLoaded(2);
    QSignalSpy ofHidden(hidden, &ChatModel::stateChanged);
    QSignalSpy ofShown(shown, &ChatModel::stateChanged);
    for (int percent = 0; percent < 100; percent += 10) {
      room.backend.setState(ModelManager::State::Loading, "Loading", percent / 100.0);
    }
    QCOMPARE(ofHidden.count(), 0);
    QVERIFY(ofShown.count() >= 10);
    QVERIFY(!room.show(1)->composer()->canSend());
    QCOMPARE(ofHidden.count() > 0, true);
  }

  /// Encoding the text again may give other tokens.
  void cutOffAnswer_continuesFromItsTokens() {
    fill(m_folder->path(), 2);
    {
      const auto store = std::move(*ConversationStore::open(m_folder->path()));
      MessageRecord cutOff = *store->message(10'001).value();
      cutOff.status = MessageStatus::Interrupted;
      cutOff.tokens = {7, 8};
      QVERIFY(store->finishAnswer(cutOff));
    }
    Library room(m_folder->path());
    ChatModel* chat = room.showLoaded(1);
    QCOMPARE(chat->turns()->continuable(), RecordId{10'001});
    chat->turns()->continueAnswer(10'001);
    QTRY_COMPARE(room.backend.numRunning(), 1);
    const ChatRequest& request = room.backend.requests.last();
    QVERIFY(request.continueAnswer);
    QCOMPARE(request.turns.last().tokens, (QList<qint32>{7, 8}));
  }

  void requests_nameTheAdapterOfTheirPersona() {
    fill(m_folder->path(), 2);
    Library room(m_folder->path());
    room.personas.setPersonas({{.id = 5, .name = "P", .adapterPath = "/m/tone"}, {.id = 6}});
    ChatModel* chat = room.showLoaded(1);
    chat->setPersona(5);
    chat->turns()->ask("Hello", {AnswerPlan{}, AnswerPlan{.personaId = 6}});
    QTRY_COMPARE(room.backend.requests.size(), 2);
    QCOMPARE(room.backend.requests[0].adapterPath, QString("/m/tone"));
    QCOMPARE(room.backend.requests[1].adapterPath, QString());
  }

  void showVersion_refreshesRowsAtOnce() {
    constexpr int kNumMessages = 600;
    fill(m_folder->path(), kNumMessages);
    Library room(m_folder->path());
    ChatModel* chat = room.showLoaded(1);
    QTRY_VERIFY(!chat->timeline()->isLoading());
    const RecordId last = chat->conversation().head();
    room.backend.queueAnswer("Another answer.");
    chat->turns()->regenerate(last);
    QTRY_COMPARE(room.backend.numRunning(), 1);
    room.backend.advance(100);
    QTRY_VERIFY(!chat->turns()->isGenerating());
    QSignalSpy refreshed(chat->timeline(), &TimelineModel::dataChanged);
    chat->history()->showVersion(chat->conversation().head(), -1);
    QCOMPARE(chat->conversation().head(), last);
    QVERIFY2(refreshed.count() < 10, qPrintable(QString::number(refreshed.count())));
    for (const RecordId id : chat->conversation().path()) {
      const int row = chat->timeline()->firstRowOf(id);
      QCOMPARE(chat->timeline()->messageAt(row), double(id));
    }
    QCOMPARE(chat->timeline()->firstRowOf(1), -1);
  }

 private:
  /// Returns what the file held.
  static QByteArray replaceContent(const QString& path, const QByteArray& content) {
    QFile file(path);
    if (!file.open(QIODevice::ReadWrite)) qFatal("The file cannot be opened.");
    QByteArray before = file.readAll();
    if (!file.resize(0) || !file.seek(0) || file.write(content) != content.size()) {
      qFatal("The file cannot be written.");
    }
    return before;
  }

  std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_MAIN(ChatLibraryTest)
#include "tst_chat_library.moc"
