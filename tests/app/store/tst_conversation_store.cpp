#include <sys/stat.h>

#include <QDir>
#include <QDirIterator>
#include <QElapsedTimer>
#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QtTest>

#include <limits>

#include "app/store/backup/backups.h"
#include "app/store/conversation_store.h"
#include "app/store/database.h"
#include "app/store/id_source.h"
#include "tests/app/store/sample_records.h"

using namespace quire;

namespace {

std::unique_ptr<ConversationStore> mustOpen(const QString& folder, bool recover = true) {
  auto opened = ConversationStore::open(folder, recover);
  if (!opened) qFatal("%s", opened.error().message.c_str());
  return std::move(*opened);
}

template <typename T>
QString errorOf(const Result<T>& result) {
  return result ? QString() : QString::fromStdString(result.error().message);
}

QByteArray contentOf(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

void compareMessages(const MessageRecord& a, const MessageRecord& b) {
  QCOMPARE(a.id, b.id);
  QCOMPARE(a.chatId, b.chatId);
  QCOMPARE(a.parentId, b.parentId);
  QCOMPARE(a.role, b.role);
  QCOMPARE(a.status, b.status);
  QCOMPARE(a.parts, b.parts);
  QCOMPARE(a.tokens, b.tokens);
  QCOMPARE(a.error, b.error);
  QCOMPARE(a.modelName, b.modelName);
  QCOMPARE(a.modelFingerprint, b.modelFingerprint);
  QCOMPARE(a.seed, b.seed);
  QCOMPARE(a.temperature, b.temperature);
  QCOMPARE(a.promptTokens, b.promptTokens);
  QCOMPARE(a.cachedTokens, b.cachedTokens);
  QCOMPARE(a.outputTokens, b.outputTokens);
  QCOMPARE(a.firstTokenMs, b.firstTokenMs);
  QCOMPARE(a.totalMs, b.totalMs);
  QCOMPARE(a.createdMs, b.createdMs);
  QCOMPARE(a.thinkingMs, b.thinkingMs);
  QCOMPARE(a.diskTokens, b.diskTokens);
  QCOMPARE(a.reusedTokens, b.reusedTokens);
  QCOMPARE(a.draftedTokens, b.draftedTokens);
  QCOMPARE(a.acceptedTokens, b.acceptedTokens);
}

}  // namespace

class TestConversationStore : public QObject {
  Q_OBJECT

 private slots:
  void init() { m_folder = std::make_unique<QTemporaryDir>(); }

  void open_createsAPrivateFolderAndFile() {
    const QString folder = path() + "/deep/quire";
    auto store = mustOpen(folder);
    const auto others = QFile::ReadGroup | QFile::WriteGroup | QFile::ExeGroup | QFile::ReadOther |
                        QFile::WriteOther | QFile::ExeOther;
    QCOMPARE(QFileInfo(folder).permissions() & others, QFile::Permissions());
    for (const char* name : {"/quire.db", "/quire.db-wal"}) {
      QVERIFY2(QFileInfo::exists(folder + name), name);
      QCOMPARE(QFileInfo(folder + name).permissions() & others, QFile::Permissions());
    }
  }

  void open_narrowsThePermissionsOfAnExistingFile() {
    mustOpen(path()).reset();
    QFile::setPermissions(databasePath(), QFile::ReadOwner | QFile::WriteOwner | QFile::ReadOther);
    mustOpen(path());
    QVERIFY(!(QFileInfo(databasePath()).permissions() & QFile::ReadOther));
  }

  void personas_roundTrip() {
    auto store = mustOpen(path());
    const PersonaRecord first = samples::persona(1);
    PersonaRecord second = samples::persona(2);
    second.settings = {};
    second.position = 1;
    second.pinned = true;
    second.presetId = QString();
    QVERIFY(store->putPersona(first));
    QVERIFY(store->putPersona(second));
    store = mustOpen(path());
    const auto personas = store->personas().value();
    QCOMPARE(personas.size(), 2);
    QCOMPARE(personas[0].name, first.name);
    QCOMPARE(personas[0].systemPrompt, first.systemPrompt);
    QCOMPARE(personas[0].color, first.color);
    QCOMPARE(personas[0].settings, first.settings);
    QCOMPARE(personas[0].icon, first.icon);
    QCOMPARE(personas[0].description, first.description);
    QCOMPARE(personas[0].pinned, false);
    QCOMPARE(personas[1].pinned, true);
    QCOMPARE(personas[1].position, 1);
    QCOMPARE(personas[0].presetId, first.presetId);
    QCOMPARE(personas[0].createdMs, first.createdMs);
    QVERIFY(personas[1].settings == GenerationSettings());
    QCOMPARE(personas[1].presetId, QString());

    second.name = "Renamed";
    QVERIFY(store->putPersona(second));
    QCOMPARE(store->personas().value()[1].name, QString("Renamed"));
  }

  void chats_roundTripLastActiveFirst() {
    auto store = mustOpen(path());
    QVERIFY(store->putPersona(samples::persona(1)));
    ChatRecord old = samples::chat(2);
    old.personaId = 1;
    QVERIFY(store->putChat(old));
    QVERIFY(store->putChat(samples::chat(3)));
    store = mustOpen(path());
    auto chats = store->chats().value();
    QCOMPARE(chats.size(), 2);
    QCOMPARE(chats[0].id, RecordId{3});
    QCOMPARE(chats[1].id, old.id);
    QCOMPARE(chats[1].title, old.title);
    QCOMPARE(chats[1].titleIsAutomatic, old.titleIsAutomatic);
    QCOMPARE(chats[1].personaId, old.personaId);
    QCOMPARE(chats[1].headMessageId, old.headMessageId);
    QCOMPARE(chats[1].color, old.color);
    QCOMPARE(chats[1].draft, old.draft);
    QCOMPARE(chats[1].createdMs, old.createdMs);
    QCOMPARE(chats[1].activeMs, old.activeMs);
    QCOMPARE(chats[1].pinned, old.pinned);
    QCOMPARE(chats[1].archived, old.archived);
    QCOMPARE(chats[1].folderId, old.folderId);
    QCOMPARE(chats[1].unread, old.unread);
    QCOMPARE(chats[1].forkedFrom, old.forkedFrom);
    QCOMPARE(chats[1].modelPath, old.modelPath);
    QCOMPARE(chats[1].settings, old.settings);

    old.activeMs += 1000;
    old.draft.clear();
    QVERIFY(store->putChat(old));
    chats = store->chats().value();
    QCOMPARE(chats[0].id, old.id);
    QCOMPARE(chats[0].draft, QString());
  }

  void removePersona_leavesItsChats() {
    auto store = mustOpen(path());
    QVERIFY(store->putPersona(samples::persona(1)));
    ChatRecord chat = samples::chat(2);
    chat.personaId = 1;
    QVERIFY(store->putChat(chat));
    QVERIFY(store->removePersona(1));
    QVERIFY(store->personas().value().isEmpty());
    QCOMPARE(store->chats().value()[0].personaId, RecordId{0});
    // A window that has not heard of it yet may still name the persona.
    QVERIFY(store->putChat(chat));
    QCOMPARE(store->chats().value()[0].personaId, RecordId{0});
  }

  void turn_roundTrips() {
    auto store = mustOpen(path());
    QVERIFY(store->beginTurn(samples::chat(1, 3), samples::question(2, 1),
                             samples::emptyAnswer(3, 1, 2)));
    QVERIFY(store->checkpointAnswer(3, "so far", {7, 8}));
    auto messages = store->messages(1).value();
    QCOMPARE(messages.size(), 2);
    compareMessages(messages[0], samples::question(2, 1));
    QCOMPARE(messages[1].status, MessageStatus::Streaming);
    QCOMPARE(messages[1].text(), QString("so far"));
    QCOMPARE(messages[1].tokens, (QList<qint32>{7, 8}));

    QVERIFY(store->finishAnswer(samples::finishedAnswer(3, 1, 2)));
    store = mustOpen(path());
    messages = store->messages(1).value();
    compareMessages(messages[1], samples::finishedAnswer(3, 1, 2));
    QCOMPARE(store->chats().value()[0].headMessageId, RecordId{3});
    QCOMPARE(store->highestId().value(), RecordId{3});
  }

  void failedAnswer_keepsItsError() {
    auto store = mustOpen(path());
    QVERIFY(store->beginTurn(samples::chat(1, 2), std::nullopt, samples::emptyAnswer(2, 1)));
    MessageRecord failed = samples::emptyAnswer(2, 1);
    failed.status = MessageStatus::Failed;
    failed.error = "The device is gone.";
    QVERIFY(store->finishAnswer(failed));
    compareMessages(store->messages(1).value()[0], failed);
  }

  void text_survivesWithAnyCharacters() {
    auto store = mustOpen(path());
    MessageRecord question = samples::question(2, 1);
    question.setText(QString("nul:") + QChar(0) +
                     QString::fromUtf8("'); DROP TABLE chat; -- \r\n\t🎈̈ עברית"));
    QVERIFY(store->beginTurn(samples::chat(1, 3), question, samples::emptyAnswer(3, 1, 2)));
    QCOMPARE(mustOpen(path())->messages(1).value()[0].text(), question.text());
  }

  void tree_keepsSiblings() {
    auto store = mustOpen(path());
    QVERIFY(store->beginTurn(samples::chat(1, 3), samples::question(2, 1),
                             samples::emptyAnswer(3, 1, 2)));
    // Regenerated: a second answer to the same question; edited: a second first message.
    QVERIFY(store->beginTurn(samples::chat(1, 4), std::nullopt, samples::emptyAnswer(4, 1, 2)));
    QVERIFY(store->beginTurn(samples::chat(1, 6), samples::question(5, 1),
                             samples::emptyAnswer(6, 1, 5)));
    QList<QPair<RecordId, RecordId>> tree;
    const auto messages = store->messages(1).value();
    for (const auto& message : messages) tree.append({message.id, message.parentId});
    const QList<QPair<RecordId, RecordId>> expected{{2, 0}, {3, 2}, {4, 2}, {5, 0}, {6, 5}};
    QCOMPARE(tree, expected);
  }

  void beginTurn_thatFailsChangesNothing() {
    auto store = mustOpen(path());
    QVERIFY(store->beginTurn(samples::chat(1, 3), samples::question(2, 1),
                             samples::emptyAnswer(3, 1, 2)));
    QVERIFY(store->putChat(samples::chat(10)));
    ChatRecord changed = samples::chat(10, 12);
    changed.title = "Changed";
    // The parent stands in another chat.
    const auto foreign =
        store->beginTurn(changed, samples::question(11, 10, 2), samples::emptyAnswer(12, 10, 11));
    QVERIFY(!foreign);
    QCOMPARE(foreign.error().code, ErrorCode::kInvalidArgument);
    // The head is no message of the chat.
    changed.headMessageId = 3;
    QVERIFY(
        !store->beginTurn(changed, samples::question(11, 10), samples::emptyAnswer(12, 10, 11)));
    // The answer's id is taken.
    changed.headMessageId = 11;
    QVERIFY(!store->beginTurn(changed, samples::question(11, 10), samples::emptyAnswer(3, 10, 11)));
    QVERIFY(store->messages(10).value().isEmpty());
    QVERIFY(store->chats().value()[0].title != "Changed");
    // And the store still works.
    changed.headMessageId = 12;
    QVERIFY(store->beginTurn(changed, samples::question(11, 10), samples::emptyAnswer(12, 10, 11)));
  }

  void removeChat_takesALongChatWithIt() {
    auto store = mustOpen(path());
    constexpr int kTurns = 1500;  // 3,000 messages deep: more than SQLite's trigger recursion.
    QVERIFY(store->putChat(samples::chat(1)));
    const auto inserted = store->database().transaction([&]() -> Result<void> {
      Statement insert(
          store->database(),
          "INSERT INTO message VALUES (?,1,?,'user',0,x'','','','',0,0,0,0,0,0,0,0,0,0,0,0,0,0,0)");
      for (int i = 0; i < 2 * kTurns; ++i) {
        insert.bind(10 + i).bind(Reference{i == 0 ? 0 : 9 + i});
        if (auto done = insert.run(); !done) return done;
      }
      return {};
    });
    QVERIFY2(inserted, qPrintable(errorOf(inserted)));
    QVERIFY(store->putChat(samples::chat(1, 9 + 2 * kTurns)));
    QVERIFY(store->beginTurn(samples::chat(2, 9002), samples::question(9001, 2),
                             samples::emptyAnswer(9002, 2, 9001)));
    QCOMPARE(store->messages(1).value().size(), 2 * kTurns);
    const auto removed = store->removeChat(1);
    QVERIFY2(removed, qPrintable(errorOf(removed)));
    QVERIFY(store->messages(1).value().isEmpty());
    QCOMPARE(store->messages(2).value().size(), 2);
    QCOMPARE(store->chats().value().size(), 1);
    QCOMPARE(store->integrityCheck().value(), QString());
  }

  void removedData_leavesTheDisk() {
    const QByteArray secret = "SECRET-73ac11-words";
    auto store = mustOpen(path());
    auto window = mustOpen(path(), false);  // A second connection, as in the program.
    MessageRecord question = samples::question(2, 1);
    question.setText(QString::fromUtf8(secret + QByteArray(20000, 'x') + secret));
    MessageRecord answer = samples::finishedAnswer(3, 1, 2);
    answer.setText(QString::fromUtf8(secret));
    QVERIFY(store->beginTurn(samples::chat(1, 3), question, samples::emptyAnswer(3, 1, 2)));
    QVERIFY(store->finishAnswer(answer));
    QCOMPARE(window->messages(1).value().size(), 2);
    const QStringList before = filesWith(secret);
    QVERIFY2(before.contains("quire.db") || before.contains("quire.db-wal"), "nothing is found");
    QVERIFY(store->removeChat(1));
    QCOMPARE(filesWith(secret), QStringList());
  }

  void removedData_isFoundInABackup() {
    // What filesWith() finds in a folder below, so that the test above proves something.
    const QByteArray secret = "SECRET-73ac11-words";
    auto store = mustOpen(path());
    MessageRecord question = samples::question(2, 1);
    question.setText(QString::fromUtf8(secret));
    QVERIFY(store->beginTurn(samples::chat(1, 3), question, samples::emptyAnswer(3, 1, 2)));
    const auto backup = backUpDaily(path(), {}, QDateTime::currentDateTime());
    QVERIFY(backup && *backup);
    QVERIFY(store->removeChat(1));
    QCOMPARE(filesWith(secret), QStringList("backups/" + QFileInfo(**backup).fileName()));
  }

  void settings_roundTrip() {
    auto store = mustOpen(path());
    QVERIFY(!store->setting("theme").value().has_value());
    QVERIFY(store->putSetting("theme", "dark"));
    QVERIFY(store->putSetting("theme", "light"));
    QVERIFY(store->putSetting("empty", QString()));
    store = mustOpen(path());
    QCOMPARE(store->setting("theme").value(), std::optional<QString>("light"));
    QCOMPARE(store->setting("empty").value(), std::optional<QString>(""));
  }

  void recovery_interruptsWhatWasStreaming() {
    auto store = mustOpen(path());
    QVERIFY(store->beginTurn(samples::chat(1, 3), samples::question(2, 1),
                             samples::emptyAnswer(3, 1, 2)));
    QVERIFY(store->checkpointAnswer(3, "kept", {5}));
    store.reset();
    store = mustOpen(path(), /*recover=*/false);
    QCOMPARE(store->messages(1).value()[1].status, MessageStatus::Streaming);
    store = mustOpen(path());
    const auto answer = store->messages(1).value()[1];
    QCOMPARE(answer.status, MessageStatus::Interrupted);
    QCOMPARE(answer.text(), QString("kept"));
    QCOMPARE(answer.tokens, QList<qint32>{5});
  }

  void checkpoint_neverReopensAFinishedAnswer() {
    auto store = mustOpen(path());
    QVERIFY(store->beginTurn(samples::chat(1, 3), samples::question(2, 1),
                             samples::emptyAnswer(3, 1, 2)));
    QVERIFY(store->finishAnswer(samples::finishedAnswer(3, 1, 2)));
    const auto late = store->checkpointAnswer(3, "late", {});
    QVERIFY(!late);
    QCOMPARE(late.error().code, ErrorCode::kNotFound);
    compareMessages(store->messages(1).value()[1], samples::finishedAnswer(3, 1, 2));
    QCOMPARE(store->finishAnswer(samples::finishedAnswer(99, 1)).error().code,
             ErrorCode::kNotFound);
  }

  void idSource_goesOnAboveTheStore() {
    auto store = mustOpen(path());
    QCOMPARE(store->highestId().value(), RecordId{0});
    QCOMPARE(IdSource(store->highestId().value()).next(), RecordId{1});
    QVERIFY(store->putChat(samples::chat(41)));
    IdSource ids(store->highestId().value());
    QCOMPARE(ids.next(), RecordId{42});
    QCOMPARE(ids.next(), RecordId{43});
  }

  void highestId_leavesRoom_data() {
    QTest::addColumn<qint64>("forged");
    QTest::newRow("the last one") << std::numeric_limits<qint64>::max();
    QTest::newRow("one with more than 53 bits") << (qint64{1} << 53) + 1;
  }
  void highestId_leavesRoom() {
    QFETCH(qint64, forged);
    auto store = mustOpen(path());
    QVERIFY(store->putChat(samples::chat(41)));
    QVERIFY(store->putChat(samples::chat(forged)));
    IdSource ids(store->highestId().value());
    const RecordId chat = ids.next(), question = ids.next(), answer = ids.next();
    QCOMPARE(chat, RecordId{42});
    QVERIFY(store->beginTurn(samples::chat(chat, answer), samples::question(question, chat),
                             samples::emptyAnswer(answer, chat, question)));
    store = mustOpen(path());
    const auto messages = store->messages(chat).value();
    QCOMPARE(messages.size(), 2);
    QVERIFY(messages[0].id > 0 && messages[1].id > messages[0].id);
    QCOMPARE(IdSource(store->highestId().value()).next(), answer + 1);
  }

  /// Ids just below a limit were followed by ids above it, which were made again after a start.
  void highestId_makesNoIdTwice() {
    constexpr qint64 kEnd = qint64{1} << 52, kRoom = qint64{1} << 40;
    auto store = mustOpen(path());
    QSet<RecordId> made = {41, kEnd / 2 - 1, kEnd - kRoom - 2, kEnd - 2, kEnd};
    for (const RecordId id : std::as_const(made)) QVERIFY(store->putChat(samples::chat(id)));
    for (int start = 0; start < 3; ++start) {
      IdSource ids(store->highestId().value());
      for (int i = 0; i < 3; ++i) {
        const RecordId id = ids.next();
        QVERIFY2(!made.contains(id), qPrintable(QString::number(id)));
        made.insert(id);
        QVERIFY(store->putChat(samples::chat(id)));
      }
    }
  }

  /// Opening a pipe would wait for its other end.
  void pipesBesideAStore_areNamed_data() {
    QTest::addColumn<QString>("suffix");
    for (const char* suffix : {"", "-journal", "-wal", "-shm"}) {
      QTest::addRow("quire.db%s", suffix) << QString(suffix);
    }
  }
  void pipesBesideAStore_areNamed() {
    QFETCH(QString, suffix);
    mustOpen(path()).reset();
    const QString pipe = databasePath() + suffix;
    QFile::remove(pipe);
    QCOMPARE(mkfifo(QFile::encodeName(pipe).constData(), 0600), 0);
    checkRefused(path(), ErrorCode::kIo, {pipe, "no file", "--data"});
    const auto read = ConversationStore::openForReading(path());
    QVERIFY(!read);
    QVERIFY2(errorOf(read).contains(pipe), qPrintable(errorOf(read)));
  }

  /// A kill during the first backup leaves a copy of the chats beside no backup at all.
  void leftoverOfABackup_goesWithTheChats() {
    const QString folder = path() + "/backups";
    const auto leave = [&] {
      for (const char* name : {"/unfinished.part", "/unfinished.part-journal", "/erasing.part"}) {
        QVERIFY(QFile(folder + name).open(QIODevice::WriteOnly));
      }
    };
    auto store = mustOpen(path());
    QVERIFY(store->putChat(samples::chat(1)));
    QVERIFY(QDir().mkpath(folder));
    leave();
    QVERIFY(store->removeChat(1));
    QCOMPARE(removeFromBackups(path(), {{1, samples::chat(1).createdMs}}).value(), 0);
    QVERIFY(QDir(folder).isEmpty());
    leave();
    store.reset();
    store = mustOpen(path());
    QVERIFY(QDir(folder).isEmpty());
  }

  void open_refusesAFolderThatIsAFile() {
    const QString file = path() + "/occupied";
    QVERIFY(QFile(file).open(QIODevice::WriteOnly));
    checkRefused(file, ErrorCode::kIo, {file, "not a folder", "--data"});
    checkRefused(file + "/below", ErrorCode::kIo, {file + "/below", "Not a directory", "--data"});
  }

  void open_refusesAFolderThatCannotBeMadeOrWritten() {
    // Nobody, root included, can make files in /proc.
    if (!QFileInfo("/proc/self").isDir()) QSKIP("There is no /proc here.");
    checkRefused("/proc/quire", ErrorCode::kIo, {"/proc/quire", "--data"});
    checkRefused("/proc", ErrorCode::kIo, {"/proc/quire.db", "cannot be written", "--data"});
  }

  void open_refusesWhatIsNoDatabase() {
    QFile file(databasePath());
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(QByteArray(8192, 'q'));
    file.close();
    checkRefused(path(), ErrorCode::kCorruptFile, {databasePath(), "not a database", "backup"});
    QCOMPARE(contentOf(databasePath()), QByteArray(8192, 'q'));
  }

  void open_findsDamageAfterAnUncleanStop() {
    fillWithMessages();
    QFile file(databasePath());
    QVERIFY(file.open(QIODevice::ReadWrite));
    for (qint64 page = 4; page < file.size() / 4096 - 1; ++page) {
      QVERIFY(file.seek(page * 4096));
      file.write(QByteArray(2048, '\x5a'));
    }
    file.close();
    QFile log(databasePath() + "-wal");
    QVERIFY(log.open(QIODevice::WriteOnly));
    log.write("left by a crash");  // SQLite ignores a log without a valid header.
    log.close();
    checkRefused(path(), ErrorCode::kCorruptFile, {databasePath(), "damaged", "backup"});
  }

  void open_looksThroughTheFile_onlyForTheFirst() {
    fillWithMessages();
    QFile file(databasePath());
    QVERIFY(file.open(QIODevice::ReadWrite));
    const qint64 last = file.size() / 4096 - 2;
    QVERIFY(file.seek(last * 4096));
    file.write(QByteArray(2048, '\x5a'));
    file.close();
    QFile log(databasePath() + "-wal");
    QVERIFY(log.open(QIODevice::WriteOnly));
    log.write("of a program that runs");
    log.close();
    QVERIFY(ConversationStore::open(path(), /*recover=*/false));
    QVERIFY(openStore(path()));
    QVERIFY(log.open(QIODevice::WriteOnly));
    log.write("left by a crash");
    log.close();
    checkRefused(path(), ErrorCode::kCorruptFile, {databasePath(), "damaged"});
  }

  void reading_reportsDamage() {
    fillWithMessages();
    QFile file(databasePath());
    QVERIFY(file.open(QIODevice::ReadWrite));
    for (qint64 page = 4; page < file.size() / 4096 - 1; ++page) {
      QVERIFY(file.seek(page * 4096));
      file.write(QByteArray(4096, '\x5a'));
    }
    file.close();
    auto store = ConversationStore::open(path(), false);
    const auto messages =
        store ? (*store)->messages(1) : Result<QList<MessageRecord>>(store.error());
    QVERIFY(!messages);
    QCOMPARE(messages.error().code, ErrorCode::kCorruptFile);
  }

  void open_refusesAnotherProgramsDatabase() {
    QVERIFY(samples::openAnyFile(databasePath())->exec("CREATE TABLE recipe (id INTEGER)"));
    const QByteArray before = contentOf(databasePath());
    checkRefused(path(), ErrorCode::kUnsupported, {databasePath(), "another program", "--data"});
    QCOMPARE(contentOf(databasePath()), before);
  }

  void fullDisk_changesNothingAndSaysSo() {
    auto store = mustOpen(path());
    QVERIFY(store->beginTurn(samples::chat(1, 3), samples::question(2, 1),
                             samples::emptyAnswer(3, 1, 2)));
    setMaxPages(*store, 1);  // As many as there are: the next page does not fit.
    MessageRecord big = samples::question(4, 1, 3);
    big.setText(QString(100'000, 'x'));
    const auto refused = store->beginTurn(samples::chat(1, 5), big, samples::emptyAnswer(5, 1, 4));
    QVERIFY(!refused);
    QCOMPARE(refused.error().code, ErrorCode::kIo);
    QVERIFY2(errorOf(refused).contains("disk is full"), qPrintable(errorOf(refused)));
    QVERIFY2(errorOf(refused).contains(databasePath()), qPrintable(errorOf(refused)));
    QCOMPARE(store->messages(1).value().size(), 2);
    QCOMPARE(store->chats().value()[0].headMessageId, RecordId{3});

    setMaxPages(*store, 100'000);  // The user made room.
    QVERIFY(store->beginTurn(samples::chat(1, 5), big, samples::emptyAnswer(5, 1, 4)));
    QCOMPARE(store->messages(1).value().size(), 4);
    QCOMPARE(store->integrityCheck().value(), QString());
  }

  void stores_shareAFile() {
    auto reader = mustOpen(path());
    auto writer = mustOpen(path(), false);
    QVERIFY(writer->beginTurn(samples::chat(1, 3), samples::question(2, 1),
                              samples::emptyAnswer(3, 1, 2)));
    QCOMPARE(reader->messages(1).value().size(), 2);
    QVERIFY(reader->putSetting("a", "b"));
    QCOMPARE(writer->setting("a").value(), std::optional<QString>("b"));
  }

 private:
  QString path() const { return m_folder->path(); }
  QString databasePath() const { return path() + "/quire.db"; }

  static void checkRefused(const QString& folder, ErrorCode code, const QStringList& words) {
    const auto opened = ConversationStore::open(folder);
    QVERIFY(!opened);
    for (const QString& word : words) {
      QVERIFY2(errorOf(opened).contains(word), qPrintable(errorOf(opened)));
    }
    QCOMPARE(static_cast<int>(opened.error().code), static_cast<int>(code));
  }

  static void setMaxPages(const ConversationStore& store, int pages) {
    QVERIFY(store.database().exec("PRAGMA max_page_count=" + std::to_string(pages)));
  }

  void fillWithMessages() const {
    auto store = mustOpen(path());
    QVERIFY(store->beginTurn(samples::chat(1, 3), samples::question(2, 1),
                             samples::emptyAnswer(3, 1, 2)));
    for (RecordId id = 4; id < 204; id += 2) {
      MessageRecord question = samples::question(id, 1, id - 1);
      question.setText(QString(500, 'q'));
      QVERIFY(store->beginTurn(samples::chat(1, id + 1), question,
                               samples::emptyAnswer(id + 1, 1, id)));
    }
  }

  /// All files of the data folder, also those of backups and the prefix cache, that hold the bytes.
  QStringList filesWith(const QByteArray& bytes) const {
    QStringList found;
    QDirIterator files(path(), QDir::Files | QDir::Hidden, QDirIterator::Subdirectories);
    while (files.hasNext()) {
      const QString file = files.next();
      if (contentOf(file).contains(bytes)) found.append(QDir(path()).relativeFilePath(file));
    }
    return found;
  }

  std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_GUILESS_MAIN(TestConversationStore)
#include "tst_conversation_store.moc"
