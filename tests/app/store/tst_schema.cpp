#include <QCryptographicHash>
#include <QFile>
#include <QSet>
#include <QTemporaryDir>
#include <QtTest>

#include <array>
#include <limits>
#include <vector>

#include "app/store/conversation_store.h"
#include "app/store/database.h"
#include "app/store/schema.h"
#include "tests/app/store/sample_records.h"
#include "tests/support/fault_vfs.h"

using namespace quire;

namespace {

std::unique_ptr<Database> mustOpen(const QString& folder) {
  auto opened = openStore(folder);
  if (!opened) qFatal("%s", opened.error().message.c_str());
  return std::move(*opened);
}

int64_t versionOf(const Database& database) {
  return database.number("PRAGMA user_version").value();
}

std::vector<Migration> withMore(std::span<const char* const> statements) {
  const auto known = schemaMigrations();
  std::vector<Migration> all(known.begin(), known.end());
  all.push_back({statements});
  return all;
}

qsizetype unsyncedFiles(const std::vector<Operation>& operations) {
  QSet<int> unsynced;
  for (const Operation& operation : operations) {
    if (operation.kind == Operation::Kind::kWrite) unsynced.insert(operation.file);
    if (operation.kind == Operation::Kind::kSync) unsynced.remove(operation.file);
  }
  return unsynced.size();
}

}  // namespace

class TestSchema : public QObject {
  Q_OBJECT

 private slots:
  void init() { m_folder = std::make_unique<QTemporaryDir>(); }

  void newFile_isOfTheNewestVersionAndMarked() {
    const auto database = mustOpen(m_folder->path());
    QCOMPARE(versionOf(*database), static_cast<int>(schemaMigrations().size()));
    QCOMPARE(database->number("PRAGMA application_id").value(), kApplicationId);
  }

  void pragmas_areSet() {
    const auto database = mustOpen(m_folder->path());
    QCOMPARE(database->text("PRAGMA journal_mode").value(), std::string("wal"));
    QCOMPARE(database->number("PRAGMA foreign_keys").value(), 1);
    QCOMPARE(database->number("PRAGMA secure_delete").value(), 1);
    QCOMPARE(database->number("PRAGMA busy_timeout").value(), 5000);
  }

  /// Synchronous FULL, by what it does: nothing that a commit wrote awaits a sync.
  void commit_isSyncedBeforeItReturns() {
    const QString folder = m_folder->path() + "/data";
    FaultVfs vfs(m_folder->path().toStdString());
    auto store = ConversationStore::open(folder);
    QVERIFY(store);
    for (RecordId id = 1; id < 20; id += 3) {
      const size_t before = vfs.log().size();
      QVERIFY((*store)->beginTurn(samples::chat(id, id + 2), samples::question(id + 1, id),
                                  samples::emptyAnswer(id + 2, id, id + 1)));
      QVERIFY(vfs.log().size() > before);
      QCOMPARE(unsyncedFiles(vfs.log().recorded()), 0);
    }
  }

  void creationCutShort_isDoneAgain() {
    // A kill between making the file and the first migration leaves an empty one.
    QVERIFY(QFile(m_folder->path() + "/quire.db").open(QIODevice::WriteOnly));
    QVERIFY(versionOf(*mustOpen(m_folder->path())) > 0);
  }

  void openingAgain_changesNothing() {
    mustOpen(m_folder->path()).reset();
    const auto database = mustOpen(m_folder->path());
    const auto version = database->number("PRAGMA schema_version").value();
    QVERIFY(migrate(*database));
    QCOMPARE(database->number("PRAGMA schema_version").value(), version);
  }

  void version1_madeByHandKeepsItsData() {
    QVERIFY(makeVersion(1));
    auto store = ConversationStore::open(m_folder->path());
    QVERIFY2(store, store ? "" : store.error().message.c_str());
    QCOMPARE((*store)->personas().value()[0].name, QString("Pirate"));
    QCOMPARE((*store)->chats().value()[0].headMessageId, RecordId{4});
    QCOMPARE((*store)->chats().value()[0].personaId, RecordId{1});
    const auto messages = (*store)->messages(2).value();
    QCOMPARE(messages.size(), 2);
    QCOMPARE(messages[0].text(), QString("Ahoy?"));
    QCOMPARE(messages[1].status, MessageStatus::Interrupted);
    QCOMPARE(messages[1].tokens, (QList<qint32>{1, 258}));
    QCOMPARE((*store)->setting("theme").value(), std::optional<QString>("dark"));
    QCOMPARE((*store)->integrityCheck().value(), QString());
    QCOMPARE(messages[1].seed, std::numeric_limits<quint64>::max());
    QCOMPARE(messages[1].modelFingerprint, QString("f00"));
  }

  void version1_takesOriginsOnceItIsMigrated() {
    QVERIFY(makeVersion(1));
    auto store = ConversationStore::open(m_folder->path());
    QVERIFY(!(*store)->origin(4).value());
    const MessageRecord answer = samples::finishedAnswer(5, 2, 3);
    QVERIFY((*store)->beginTurn(samples::chat(2, 5), {}, samples::emptyAnswer(5, 2, 3)));
    OriginRecord origin;
    origin.promptTokens = {1, 2, 3};
    QVERIFY((*store)->finishAnswer(answer, origin));
    QCOMPARE((*(*store)->origin(5))->promptTokens, origin.promptTokens);
  }

  void version1_onlyReadStaysWhatItIs() {
    QVERIFY(makeVersion(1));
    {
      const auto store = ConversationStore::openForReading(m_folder->path());
      QVERIFY2(store, store ? "" : store.error().message.c_str());
      QCOMPARE((*store)->messages(2).value().size(), 2);
      QCOMPARE((*store)->message(4).value()->status, MessageStatus::Streaming);
      QVERIFY((*store)->origin(4));
      QVERIFY(!(*store)->origin(4).value());
    }
    QCOMPARE(versionOnDisk(), 1);
  }

  void version2_keepsItsData() {
    QVERIFY(makeVersion(2));
    const auto store = ConversationStore::open(m_folder->path());
    QVERIFY2(store, store ? "" : store.error().message.c_str());
    checkVersion2(**store);
    QCOMPARE((*store)->integrityCheck().value(), QString());
    // And it takes what only the new version has.
    QVERIFY((*store)->putFolder({.id = 20, .name = "F"}));
    ChatRecord chat = (*store)->chats().value()[0];
    chat.folderId = 20;
    QVERIFY((*store)->putChat(chat));
    QCOMPARE((*store)->chats().value()[0].folderId, RecordId{20});
  }

  void version2_canBeReadAsItIs() {
    QVERIFY(makeVersion(2));
    {
      const auto store = ConversationStore::openForReading(m_folder->path());
      QVERIFY2(store, store ? "" : store.error().message.c_str());
      checkVersion2(**store);
      QVERIFY((*store)->folders().value().isEmpty());
      QVERIFY((*store)->allModelSettings().value().isEmpty());
      QVERIFY(!(*store)->putChat(samples::chat(2)));
    }
    QCOMPARE(versionOnDisk(), 2);
  }

  void version8_getsPersonasWithoutAdapters_data() {
    QTest::addColumn<bool>("onlyRead");
    QTest::newRow("migrated") << false;
    QTest::newRow("as it is") << true;
  }
  void version8_getsPersonasWithoutAdapters() {
    QFETCH(bool, onlyRead);
    {
      const auto database = samples::openAnyFile(m_folder->path() + "/quire.db");
      QVERIFY(database->exec("PRAGMA foreign_keys=OFF"));
      QVERIFY(migrate(*database, schemaMigrations().first(8)));
      QVERIFY(database->exec(
          "INSERT INTO persona (id, name, system_prompt, color, preset_id, created_ms) "
          "VALUES (1, 'P', 'S', 2, '', 5);"
          "INSERT INTO chat (id, title, title_is_automatic, persona_id, head_message_id, color, "
          "draft, created_ms, active_ms) VALUES (2, 'T', 0, 1, 4, 0, '', 5, 5);"
          "INSERT INTO message VALUES (4, 2, NULL, 'assistant', 0, x'01000000', '', 'm', 'f', 1, "
          "0.5, 1, 0, 0, 0, 0, 1, 1.0, 2.0, 0.0, 5, 0);"
          "INSERT INTO answer_origin VALUES (4, 'h', '{\"temperature\": 0.5}', 0, 'CPU', NULL, 0, "
          "x'07000000', x'" +
          QCryptographicHash::hash(QByteArray("\7\0\0\0", 4), QCryptographicHash::Sha256)
              .toHex()
              .toStdString() +
          "')"));
    }
    const auto store = onlyRead ? ConversationStore::openForReading(m_folder->path())
                                : ConversationStore::open(m_folder->path());
    QVERIFY2(store, store ? "" : store.error().message.c_str());
    const auto personas = (*store)->personas().value();
    QCOMPARE(personas.size(), 1);
    QCOMPARE(personas[0].name, QString("P"));
    QCOMPARE(personas[0].adapterPath, QString());
    const auto origin = (*store)->origin(4);
    QVERIFY2(origin && *origin, origin ? "none" : origin.error().message.c_str());
    QCOMPARE((*origin)->promptTokens, (QList<qint32>{7}));
    QCOMPARE((*origin)->adapterPath, QString());
    if (onlyRead) return;
    PersonaRecord persona = personas[0];
    persona.adapterPath = "/models/formal.gguf";
    QVERIFY((*store)->putPersona(persona));
    QCOMPARE((*store)->personas().value()[0].adapterPath, persona.adapterPath);
  }

  void version9_getsAnswersWithoutGuesses_data() {
    QTest::addColumn<bool>("onlyRead");
    QTest::newRow("migrated") << false;
    QTest::newRow("as it is") << true;
  }
  void version9_getsAnswersWithoutGuesses() {
    QFETCH(bool, onlyRead);
    {
      const auto database = samples::openAnyFile(m_folder->path() + "/quire.db");
      QVERIFY(database->exec("PRAGMA foreign_keys=OFF"));
      QVERIFY(migrate(*database, schemaMigrations().first(9)));
      QVERIFY(database->exec(
          "INSERT INTO chat (id, title, title_is_automatic, persona_id, head_message_id, color, "
          "draft, created_ms, active_ms) VALUES (2, 'T', 0, NULL, 4, 0, '', 5, 5);"
          "INSERT INTO message VALUES (4, 2, NULL, 'assistant', 0, x'01000000', '', 'm', 'f', 1, "
          "0.5, 11, 7, 3, 0, 0, 1, 1.0, 2.0, 0.0, 5, 1)"));
    }
    const auto store = onlyRead ? ConversationStore::openForReading(m_folder->path())
                                : ConversationStore::open(m_folder->path());
    QVERIFY2(store, store ? "" : store.error().message.c_str());
    const auto answer = (*store)->message(4).value();
    QVERIFY(answer);
    QCOMPARE(answer->tokens, (QList<qint32>{1}));
    QCOMPARE(answer->cachedTokens, 7);
    QVERIFY(answer->imported);
    QCOMPARE(answer->draftedTokens, 0);
    QCOMPARE(answer->acceptedTokens, 0);
    if (onlyRead) return;
    QVERIFY((*store)->beginTurn(samples::chat(2, 5), {}, samples::emptyAnswer(5, 2, 4)));
    QVERIFY((*store)->finishAnswer(samples::finishedAnswer(5, 2, 4), {}));
    QCOMPARE((*store)->message(5).value()->draftedTokens, 41);
    QCOMPARE((*store)->message(5).value()->acceptedTokens, 30);
  }

  void version10_getsNoEdits_data() {
    QTest::addColumn<bool>("onlyRead");
    QTest::newRow("migrated") << false;
    QTest::newRow("as it is") << true;
  }
  void version10_getsNoEdits() {
    QFETCH(bool, onlyRead);
    {
      const auto database = samples::openAnyFile(m_folder->path() + "/quire.db");
      QVERIFY(migrate(*database, schemaMigrations().first(10)));
    }
    const auto store = onlyRead ? ConversationStore::openForReading(m_folder->path())
                                : ConversationStore::open(m_folder->path());
    QVERIFY2(store, store ? "" : store.error().message.c_str());
    QCOMPARE((*store)->edit(1).value().messageId, RecordId{0});
    if (onlyRead) return;
    QVERIFY((*store)->beginTurn(samples::chat(1, 3), samples::question(2, 1),
                                samples::emptyAnswer(3, 1, 2)));
    QVERIFY((*store)->putEdit(1, {.messageId = 2, .text = "Edited ✓"}));
    QCOMPARE((*store)->edit(1).value().text, QString("Edited ✓"));
  }

  void nextMigration_keepsData() {
    {
      auto store = std::move(*ConversationStore::open(m_folder->path()));
      QVERIFY(store->beginTurn(samples::chat(1, 3), samples::question(2, 1),
                               samples::emptyAnswer(3, 1, 2)));
    }
    const auto database = mustOpen(m_folder->path());
    static constexpr std::array kNext = {
        "ALTER TABLE chat ADD COLUMN shiny INTEGER NOT NULL DEFAULT 0",
        "UPDATE chat SET shiny = 1 WHERE id = 1"};
    QVERIFY(migrate(*database, withMore(kNext)));
    QCOMPARE(versionOf(*database), static_cast<int>(schemaMigrations().size()) + 1);
    QCOMPARE(database->number("SELECT shiny FROM chat WHERE title = 'Chat 1 ✓'").value(), 1);
    QCOMPARE(database->number("SELECT count(*) FROM message").value(), 2);
  }

  void failingMigration_leavesTheVersionBefore() {
    const auto database = mustOpen(m_folder->path());
    static constexpr std::array kBroken = {"ALTER TABLE chat ADD COLUMN shiny INTEGER",
                                           "INSERT INTO nowhere VALUES (1)"};
    const auto migrated = migrate(*database, withMore(kBroken));
    QVERIFY(!migrated);
    QCOMPARE(versionOf(*database), static_cast<int>(schemaMigrations().size()));
    QVERIFY(!database->number("SELECT shiny FROM chat"));
  }

  void migrationThatBreaksReferences_isUndone() {
    {
      auto store = std::move(*ConversationStore::open(m_folder->path()));
      QVERIFY(store->beginTurn(samples::chat(1, 3), samples::question(2, 1),
                               samples::emptyAnswer(3, 1, 2)));
    }
    const auto database = mustOpen(m_folder->path());
    QVERIFY(database->exec("PRAGMA foreign_keys=OFF"));
    static constexpr std::array kBroken = {"DELETE FROM message WHERE id = 2"};
    const auto migrated = migrate(*database, withMore(kBroken));
    QVERIFY(!migrated);
    QCOMPARE(migrated.error().code, ErrorCode::kCorruptFile);
    QCOMPARE(database->number("SELECT count(*) FROM message").value(), 2);
  }

  void newerVersion_isRefusedUntouched() {
    {
      const auto database = mustOpen(m_folder->path());
      QVERIFY(database->exec("PRAGMA user_version=99"));
    }
    QFile file(m_folder->path() + "/quire.db");
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray before = file.readAll();
    const auto opened = ConversationStore::open(m_folder->path());
    QVERIFY(!opened);
    QCOMPARE(opened.error().code, ErrorCode::kUnsupported);
    const QString sentence = QString::fromStdString(opened.error().message);
    QVERIFY2(sentence.contains("newer Quire") && sentence.contains("99"), qPrintable(sentence));
    QVERIFY2(sentence.contains(m_folder->path()), qPrintable(sentence));
    QVERIFY(file.seek(0));
    QCOMPARE(file.readAll(), before);
  }

 private:
  static void checkVersion2(const ConversationStore& store) {
    const auto personas = store.personas().value();
    QCOMPARE(personas.size(), 2);
    QVERIFY(!personas[0].settings.temperature);
    QCOMPARE(personas[1].settings.temperature, std::optional<double>(0.7));
    QCOMPARE(personas[1].presetId, QString("preset"));
    const auto chats = store.chats().value();
    QCOMPARE(chats.size(), 1);
    QCOMPARE(chats[0].personaId, RecordId{1});
    QCOMPARE(chats[0].draft, QString("half a"));
    QVERIFY(!chats[0].pinned && chats[0].folderId == 0 && chats[0].modelPath.isEmpty());
    const auto messages = store.messages(2).value();
    QCOMPARE(messages.size(), 2);
    QCOMPARE(messages[1].text(), QString("Aye"));
    QCOMPARE(messages[1].createdMs, qint64{1700000000000});
    QCOMPARE(messages[1].thinkingMs, 0.0);
    const auto origin = store.origin(4).value();
    QVERIFY(origin.has_value());
    QCOMPARE(origin->promptTokens, (QList<qint32>{7, 8, 9}));
  }

  int64_t versionOnDisk() const {
    return versionOf(*samples::openAnyFile(m_folder->path() + "/quire.db"));
  }

  /// Made by hand as that version wrote it; must stay readable for ever. Do not regenerate.
  bool makeVersion(int version) const {
    const QString script = QUIRE_SOURCE_DIR "/tests/app/store/version_%1.sql";
    return samples::runScript(m_folder->path() + "/quire.db", script.arg(version)).has_value();
  }

  std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_GUILESS_MAIN(TestSchema)
#include "tst_schema.moc"
