#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QtTest>

#include "app/store/backup/backups.h"
#include "app/store/conversation_store.h"
#include "app/store/id_source.h"
#include "app/store/transfer/transfer.h"
#include "tests/support/must.h"

using namespace quire;
using test::must;

namespace {

QByteArray fixture(const QString& name) {
  QFile file(QStringLiteral(QUIRE_SOURCE_DIR "/tests/data/store_version_6/") + name);
  if (!file.open(QIODevice::ReadOnly)) qFatal("%s is missing", qPrintable(file.fileName()));
  return qUncompress(file.readAll());
}

void write(const QString& path, const QByteArray& content) {
  QFile file(path);
  if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size()) qFatal("write");
}

bool always(qint64, qint64) {
  return true;
}

// The form in which the fixture keeps what must survive: references are places in a list.

QJsonArray toJson(const QList<qint32>& tokens) {
  QJsonArray array;
  for (const qint32 token : tokens) array.append(token);
  return array;
}

QJsonObject toJson(const AttachmentRecord& file) {
  return {{"name", file.name},
          {"media_type", file.mediaType},
          {"bytes", file.bytes},
          {"text", file.text},
          {"tokens", file.tokens}};
}

QJsonArray toJson(const QList<AttachmentRecord>& files) {
  QJsonArray array;
  for (const AttachmentRecord& file : files) array.append(toJson(file));
  return array;
}

QJsonObject toJson(const OriginRecord& origin) {
  return {{"template_hash", origin.templateHash},
          {"prompt", toJson(origin.promptTokens)},
          {"end", static_cast<int>(origin.end)},
          {"device", origin.deviceName},
          {"seed", QString::number(origin.sampling.seed)},
          {"top_p", static_cast<double>(origin.sampling.top_p)},
          {"stop", QString::fromStdString(origin.sampling.stop.at(1))}};
}

QJsonObject toJson(const ConversationStore& store, const MessageRecord& message,
                   const QHash<RecordId, int>& indexOf) {
  QJsonObject object{
      {"parent", indexOf.value(message.parentId, -1)},
      {"role", message.role == MessageRole::User ? 0 : 1},
      {"status", static_cast<int>(message.status)},
      {"text", message.text()},
      {"tokens", toJson(message.tokens)},
      {"error", message.error},
      {"model", message.modelName},
      {"fingerprint", message.modelFingerprint},
      {"seed", QString::number(message.seed)},
      {"temperature", message.temperature},
      {"counts", QJsonArray{message.promptTokens, message.cachedTokens, message.diskTokens,
                            message.reusedTokens, message.forkedTokens, message.outputTokens}},
      {"times", QJsonArray{message.firstTokenMs, message.totalMs, message.thinkingMs}},
      {"created_ms", message.createdMs},
      {"attachments", toJson(message.attachments())}};
  if (const auto origin = must(store.origin(message.id))) object["origin"] = toJson(*origin);
  return object;
}

QJsonObject toJson(const ConversationStore& store, const ChatRecord& chat) {
  const auto messages = must(store.messages(chat.id));
  QHash<RecordId, int> indexOf;
  for (const MessageRecord& message : messages) {
    indexOf.insert(message.id, static_cast<int>(indexOf.size()));
  }
  QJsonArray list;
  for (const MessageRecord& message : messages) list.append(toJson(store, message, indexOf));
  QJsonArray compared;
  for (const ComparedAnswer& answer : must(store.comparedAnswers(chat.id))) {
    compared.append(QJsonArray{indexOf.value(answer.messageId, -1), answer.label});
  }
  QString persona;
  for (const PersonaRecord& one : must(store.personas())) {
    if (one.id == chat.personaId) persona = one.name;
  }
  QString folder;
  for (const FolderRecord& one : must(store.folders())) {
    if (one.id == chat.folderId) folder = one.name;
  }
  return {{"title", chat.title},
          {"automatic", chat.titleIsAutomatic},
          {"persona", persona},
          {"folder", folder},
          {"head", indexOf.value(chat.headMessageId, -1)},
          {"color", chat.color},
          {"draft", chat.draft},
          {"created_ms", chat.createdMs},
          {"active_ms", chat.activeMs},
          {"pinned", chat.pinned},
          {"archived", chat.archived},
          {"unread", chat.unread},
          {"is_fork", chat.forkedFrom != 0},
          {"model_path", chat.modelPath},
          {"settings", toJson(chat.settings)},
          {"draft_files", toJson(must(store.draftFiles(chat.id)))},
          {"compared", compared},
          {"messages", list}};
}

QJsonArray personasOf(const ConversationStore& store) {
  QJsonArray array;
  for (const PersonaRecord& one : must(store.personas())) {
    array.append(QJsonObject{{"name", one.name},
                             {"system_prompt", one.systemPrompt},
                             {"description", one.description},
                             {"icon", one.icon},
                             {"color", one.color},
                             {"settings", toJson(one.settings)},
                             {"pinned", one.pinned},
                             {"position", one.position},
                             {"preset", one.presetId},
                             {"created_ms", one.createdMs}});
  }
  return array;
}

QJsonArray foldersOf(const ConversationStore& store) {
  QJsonArray array;
  for (const FolderRecord& one : must(store.folders())) {
    array.append(QJsonObject{{"name", one.name},
                             {"position", one.position},
                             {"is_open", one.isOpen},
                             {"created_ms", one.createdMs}});
  }
  return array;
}

QJsonArray modelsOf(const ConversationStore& store) {
  QJsonArray array;
  for (const ModelSettings& one : must(store.allModelSettings())) {
    array.append(QJsonObject{{"path", one.path},
                             {"context_length", one.contextLength.value_or(-1)},
                             {"device", one.device},
                             {"threads", one.threads.value_or(-1)},
                             {"kv_mib", one.kvMiB.value_or(-1)},
                             {"kv_type", one.kvType},
                             {"keep_loaded", one.keepLoaded.value_or(false)},
                             {"unload", one.unloadAfterMinutes.value_or(-1)},
                             {"generation", toJson(one.generation)},
                             {"unknown", QString::fromUtf8(one.unknown)},
                             {"last_used_ms", one.lastUsedMs}});
  }
  return array;
}

/// Chats by title and time: those that were imported are in another order among equals.
QMap<QString, QJsonObject> byName(const QJsonArray& chats) {
  QMap<QString, QJsonObject> named;
  for (const QJsonValue& chat : chats) {
    named.insert(chat["title"].toString() + chat["created_ms"].toVariant().toString(),
                 chat.toObject());
  }
  return named;
}

void compareRecords(const ConversationStore& store, const QJsonObject& expected) {
  QCOMPARE(personasOf(store), expected["personas"].toArray());
  QCOMPARE(foldersOf(store), expected["folders"].toArray());
  QCOMPARE(modelsOf(store), expected["models"].toArray());
  QCOMPARE(*must(store.setting("theme")), expected["theme"].toString());
  QCOMPARE(*must(store.setting("language")), expected["language"].toString());
  QJsonArray chats;
  for (const ChatRecord& chat : must(store.chats())) chats.append(toJson(store, chat));
  const auto actual = byName(chats);
  const auto wanted = byName(expected["chats"].toArray());
  QCOMPARE(actual.keys(), wanted.keys());
  int messages = 0;
  int origins = 0;
  for (const QString& name : wanted.keys()) {
    const QJsonArray is = actual[name]["messages"].toArray();
    const QJsonArray shouldBe = wanted[name]["messages"].toArray();
    QCOMPARE(is.size(), shouldBe.size());
    for (qsizetype i = 0; i < is.size(); ++i) {
      QCOMPARE(is[i].toObject(), shouldBe[i].toObject());
      ++messages;
      if (is[i].toObject().contains("origin")) ++origins;
    }
    QCOMPARE(actual[name], wanted[name]);
  }
  QVERIFY(messages > 100 && origins > 50);
}

}  // namespace

/// A store and an export of schema version 6 come through whole. The fixture was written by the
/// code of commit 49d575e, with make_version_6.cpp as it stood beside this test in commit 9ab978b.
/// It must stay readable for ever: do not generate it again.
class TestVersion6 : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    m_folder = std::make_unique<QTemporaryDir>();
    m_expected = QJsonDocument::fromJson(fixture("expected.json.z")).object();
  }

  void store_isMigratedWhole() {
    write(path() + "/quire.db", fixture("quire.db.z"));
    const auto store = must(ConversationStore::open(path()));
    compareRecords(*store, m_expected);
    QCOMPARE(toJson(must(store->draftFiles(0))), m_expected["draft_to_all"].toArray());
    QCOMPARE(must(store->integrityCheck()), QString());
    while (must(store->maintain())) {
    }
    QCOMPARE(must(store->integrityCheck()), QString());
    QCOMPARE(listBackups(path(), /*count=*/true).size(), 1);
    QVERIFY(listBackups(path(), /*count=*/true)[0].numMessages > 100);
  }

  void store_canBeReadAsItIs() {
    write(path() + "/quire.db", fixture("quire.db.z"));
    {
      auto store = must(ConversationStore::openForReading(path()));
      const auto chats = must(store->chats());
      for (const ChatRecord& chat : chats) QVERIFY(!must(store->messages(chat.id)).isEmpty());
    }
    QTemporaryDir other;
    auto to = must(ConversationStore::open(other.path()));
    IdSource ids(5000);
    const auto report = mergeStore(other.path(), path() + "/quire.db", ids, always);
    QVERIFY2(report, report ? "" : report.error().message.c_str());
    compareRecords(*to, m_expected);
  }

  void export_isImportedWhole() {
    write(path() + "/export.json", fixture("export.json.z"));
    unpinPersonas();
    auto store = must(ConversationStore::open(path()));
    IdSource ids(5000);
    const auto report = importJson(path(), path() + "/export.json", ids, always);
    QVERIFY2(report, report ? "" : report.error().message.c_str());
    compareRecords(*store, m_expected);
    // And once more by way of today's form.
    QVERIFY(exportJson(path(), {}, path() + "/again.json", always));
    QTemporaryDir other;
    auto again = must(ConversationStore::open(other.path()));
    QVERIFY(importJson(other.path(), path() + "/again.json", ids, always));
    compareRecords(*again, m_expected);
  }

 private:
  /// As an import leaves them.
  void unpinPersonas() {
    QJsonArray personas;
    for (const QJsonValue& persona : m_expected["personas"].toArray()) {
      QJsonObject unpinned = persona.toObject();
      unpinned["pinned"] = false;
      personas.append(unpinned);
    }
    m_expected["personas"] = personas;
  }

  QString path() const { return m_folder->path(); }

  std::unique_ptr<QTemporaryDir> m_folder;
  QJsonObject m_expected;
};

QTEST_GUILESS_MAIN(TestVersion6)
#include "tst_version_6.moc"
