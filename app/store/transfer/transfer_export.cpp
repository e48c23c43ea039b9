#include <QDateTime>
#include <QFile>
#include <QFileInfo>
#include <QSaveFile>
#include <QSet>

#include "app/store/chat_table.h"
#include "app/store/data_folder.h"
#include "app/store/json_values.h"
#include "app/store/model_setting_table.h"
#include "app/store/record_rows.h"
#include "app/store/setting_keys.h"
#include "app/store/store_strings.h"
#include "app/store/system_reason.h"
#include "app/store/transfer/chat_bundle.h"
#include "app/store/transfer/export_json.h"
#include "app/store/transfer/markdown.h"
#include "app/store/transfer/transfer.h"

namespace quire {
namespace {

/// A file, readable by its owner only, that appears under its name when it is complete.
/// Errors: kIo with the path and the reason.
class ExportFile {
 public:
  explicit ExportFile(const QString& path) : m_file(path) {}

  Result<void> open() {
    const bool isOpen = m_file.open(QIODevice::WriteOnly);
    if (isOpen) m_file.setPermissions(QFile::ReadOwner | QFile::WriteOwner);
    return check(isOpen);
  }
  Result<void> write(const QByteArray& piece) { return check(m_file.write(piece) == piece.size()); }
  Result<void> commit() {
    const bool isCommitted = m_file.commit();
    // The file is there whether or not its name is durable; some file systems cannot sync folders.
    if (isCommitted) syncPath(QFileInfo(m_file.fileName()).canonicalPath());
    return check(isCommitted);
  }

 private:
  Result<void> check(bool succeeded) const {
    if (succeeded) return {};
    return storeError(ErrorCode::kIo,
                      StoreWords::tr("The file \"%1\" could not be written: %2. Choose another "
                                     "place, or make room.")
                          .arg(m_file.fileName(), systemReason(m_file.errorString())));
  }

  QSaveFile m_file;
};

Error exportGivenUp() {
  return {ErrorCode::kInternal, "The export was given up."};
}

/// Within a transaction, which reads one state of the store, whatever other connections write.
Result<std::unique_ptr<Database>> openForExport(const QString& folder) {
  auto database = openStoreForReading(folder);
  if (!database) return database.error();
  if (auto begun = (*database)->exec("BEGIN"); !begun) return begun.error();
  return database;
}

/// The chats with these ids, or all for none, oldest first.
Result<QList<ChatRecord>> chatsToExport(const Database& database, const QList<RecordId>& ids) {
  auto chats = chat_table::readAll(database);
  if (!chats) return chats.error();
  const QSet<RecordId> chosen(ids.begin(), ids.end());
  QList<ChatRecord> wanted;
  for (const ChatRecord& chat : *chats) {
    if (chosen.isEmpty() || chosen.contains(chat.id)) wanted.prepend(chat);
  }
  if (chosen.isEmpty() || !wanted.isEmpty()) return wanted;
  return Error{ErrorCode::kNotFound, "The chat to be exported is not there any more."};
}

/// Whether a setting holds a secret, which is not exported.
bool isSecret(const QString& key) {
  for (const char* part : {"key", "token", "secret", "password"}) {
    if (key.contains(QLatin1String(part), Qt::CaseInsensitive)) return true;
  }
  return false;
}

/// Writes a JSON document piece by piece; keeps the first error.
class JsonWriter {
 public:
  explicit JsonWriter(ExportFile& file) : m_file(file) {}

  void begin(const char* name) { piece(QByteArray(",\n\"") + name + "\": ["), m_isFirst = true; }
  void record(const Json& json) {
    piece(m_isFirst ? "\n" : ",\n");
    m_isFirst = false;
    piece(QByteArray::fromStdString(dumpJson(json)));
  }
  void end() { piece("]"); }
  void piece(const QByteArray& bytes) {
    if (m_result) m_result = m_file.write(bytes);
  }
  const Result<void>& result() const { return m_result; }

 private:
  ExportFile& m_file;
  bool m_isFirst = true;
  Result<void> m_result;
};

template <typename Record>
void writeAll(JsonWriter& writer, const char* name, const QList<Record>& records) {
  writer.begin(name);
  for (const Record& record : records) writer.record(export_json::toJson(record));
  writer.end();
}

Result<void> writeSettings(const Database& database, JsonWriter& writer) {
  const auto models = model_setting_table::readAll(database);
  if (!models) return models.error();
  writeAll(writer, "models", *models);
  Json settings = Json::object();
  Statement select(database, "SELECT key, value FROM setting");
  auto read = select.forEach([&](const Statement& row) {
    const QString key = row.get<QString>(0);
    if (!isSecret(key) && !setting_keys::isOfOneStore(key))
      settings[std::string(row.text(0))] = row.text(1);
  });
  if (!read) return read;
  writer.piece(",\n\"settings\": " + QByteArray::fromStdString(dumpJson(settings)));
  return {};
}

/// Writes all personas, folders and settings, or only the personas and folders of the chats.
Result<void> writeSurroundings(const Database& database, const QList<ChatRecord>& chats, bool all,
                               JsonWriter& writer) {
  auto personas = readWholeRecords<PersonaRecord>(database, "ORDER BY position, id");
  if (!personas) return personas.error();
  auto folders = readWholeRecords<FolderRecord>(database, "ORDER BY position, id");
  if (!folders) return folders.error();
  if (!all) {
    QSet<RecordId> named;
    for (const ChatRecord& chat : chats) named << chat.personaId << chat.folderId;
    personas->removeIf([&](const PersonaRecord& persona) { return !named.contains(persona.id); });
    folders->removeIf([&](const FolderRecord& folder) { return !named.contains(folder.id); });
  }
  writeAll(writer, "personas", *personas);
  writeAll(writer, "folders", *folders);
  return all ? writeSettings(database, writer) : Result<void>();
}

Result<void> writeChat(const Database& database, const ChatRecord& chat, JsonWriter& writer) {
  const auto bundle = readBundle(database, chat);
  if (!bundle) return bundle.error();
  // The messages are written one by one, because a whole chat may be large.
  QByteArray head = QByteArray::fromStdString(dumpJson(export_json::toJson(*bundle)));
  head.chop(1);
  writer.piece(head);
  writer.begin("messages");
  for (const BundledMessage& message : bundle->messages) {
    writer.record(export_json::toJson(message));
  }
  writer.piece("]}");
  return writer.result();
}

Result<void> writeChats(const Database& database, const QList<ChatRecord>& chats,
                        JsonWriter& writer, const Progress& progress) {
  writer.piece(",\n\"chats\": [");
  for (qsizetype i = 0; i < chats.size(); ++i) {
    if (!progress(i, chats.size())) return exportGivenUp();
    writer.piece(i == 0 ? "\n" : ",\n");
    if (auto done = writeChat(database, chats[i], writer); !done) return done;
  }
  writer.piece("]\n}\n");
  progress(chats.size(), chats.size());
  return writer.result();
}

}  // namespace

Result<void> exportJson(const QString& folder, const QList<RecordId>& chatIds, const QString& path,
                        const Progress& progress) {
  const auto database = openForExport(folder);
  if (!database) return database.error();
  const auto chats = chatsToExport(**database, chatIds);
  if (!chats) return chats.error();
  ExportFile file(path);
  if (auto opened = file.open(); !opened) return opened;
  JsonWriter writer(file);
  writer.piece(QStringLiteral("{\"format\": \"%1\", \"version\": %2, \"created\": \"%3\"")
                   .arg(QLatin1String(export_json::kFormat))
                   .arg(export_json::kVersion)
                   .arg(QDateTime::currentDateTimeUtc().toString(Qt::ISODate))
                   .toUtf8());
  auto done = writeSurroundings(**database, *chats, chatIds.isEmpty(), writer);
  if (done) done = writeChats(**database, *chats, writer, progress);
  if (!done) return done;
  return file.commit();
}

Result<void> exportMarkdown(const QString& folder, const QList<RecordId>& chatIds,
                            const QString& path, const Progress& progress) {
  const auto database = openForExport(folder);
  if (!database) return database.error();
  const auto chats = chatsToExport(**database, chatIds);
  if (!chats) return chats.error();
  ExportFile file(path);
  if (auto opened = file.open(); !opened) return opened;
  for (qsizetype i = 0; i < chats->size(); ++i) {
    if (!progress(i, chats->size())) return exportGivenUp();
    const auto bundle = readBundle(**database, (*chats)[i]);
    if (!bundle) return bundle.error();
    if (auto done = file.write(toMarkdown(*bundle).toUtf8()); !done) return done;
  }
  progress(chats->size(), chats->size());
  return file.commit();
}

}  // namespace quire
