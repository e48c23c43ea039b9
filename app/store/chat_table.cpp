#include "app/store/chat_table.h"

#include "app/store/search/search_index.h"

namespace quire::chat_table {
namespace {

const QString kColumns = QStringLiteral(
    "id, title, title_is_automatic, persona_id, head_message_id, color, draft, created_ms, "
    "active_ms, pinned, archived, folder_id, unread, forked_from, model_path, settings");

ChatRecord fromRow(const QSqlQuery& row) {
  ChatRecord chat;
  chat.id = row.value(0).toLongLong();
  chat.title = row.value(1).toString();
  chat.titleIsAutomatic = row.value(2).toBool();
  chat.personaId = row.value(3).toLongLong();
  chat.headMessageId = row.value(4).toLongLong();
  chat.color = row.value(5).toInt();
  chat.draft = row.value(6).toString();
  chat.createdMs = row.value(7).toLongLong();
  chat.activeMs = row.value(8).toLongLong();
  chat.pinned = row.value(9).toBool();
  chat.archived = row.value(10).toBool();
  chat.folderId = row.value(11).toLongLong();
  chat.unread = row.value(12).toBool();
  chat.forkedFrom = row.value(13).toLongLong();
  chat.modelPath = row.value(14).toString();
  chat.settings = generationSettingsFromJson(row.value(15).toString());
  return chat;
}

}  // namespace

Result<QList<ChatRecord>> readAll(const Database& database) {
  QList<ChatRecord> chats;
  Statement select(
      database,
      QStringLiteral("SELECT %1 FROM chat ORDER BY active_ms DESC, id DESC").arg(kColumns));
  auto read = select.forEach([&](const QSqlQuery& row) { chats.append(fromRow(row)); });
  if (!read) return read.error();
  return chats;
}

Result<std::optional<ChatRecord>> readOne(const Database& database, RecordId id) {
  std::optional<ChatRecord> chat;
  Statement select(database, QStringLiteral("SELECT %1 FROM chat WHERE id = ?").arg(kColumns));
  select.bind(id);
  auto read = select.forEach([&](const QSqlQuery& row) { chat = fromRow(row); });
  if (!read) return read.error();
  return chat;
}

Result<void> put(const Database& database, const ChatRecord& chat) {
  auto written =
      Statement(database,
                QStringLiteral(
                    "INSERT INTO chat (%1) VALUES (?, ?, ?, (SELECT id FROM persona WHERE id = ?), "
                    "?, ?, ?, ?, ?, ?, ?, (SELECT id FROM folder WHERE id = ?), ?, ?, ?, ?) "
                    "ON CONFLICT (id) DO UPDATE SET title = excluded.title, "
                    "title_is_automatic = excluded.title_is_automatic, "
                    "persona_id = excluded.persona_id, head_message_id = excluded.head_message_id, "
                    "color = excluded.color, draft = excluded.draft, "
                    "created_ms = excluded.created_ms, active_ms = excluded.active_ms, "
                    "pinned = excluded.pinned, archived = excluded.archived, "
                    "folder_id = excluded.folder_id, unread = excluded.unread, "
                    "forked_from = excluded.forked_from, model_path = excluded.model_path, "
                    "settings = excluded.settings")
                    .arg(kColumns))
          .bind(chat.id)
          .bind(chat.title)
          .bind(chat.titleIsAutomatic)
          .bindReference(chat.personaId)
          .bindReference(chat.headMessageId)
          .bind(chat.color)
          .bind(chat.draft)
          .bind(chat.createdMs)
          .bind(chat.activeMs)
          .bind(chat.pinned)
          .bind(chat.archived)
          .bindReference(chat.folderId)
          .bind(chat.unread)
          .bindReference(chat.forkedFrom)
          .bind(chat.modelPath)
          .bind(toJson(chat.settings))
          .run();
  if (!written) return written;
  return search_index::putTitle(database, chat.id, chat.title);
}

Result<void> remove(const Database& database, RecordId id) {
  if (auto done = search_index::markChatStale(database, id); !done) return done;
  Statement remove(database, QStringLiteral("DELETE FROM chat WHERE id = ?"));
  if (auto done = remove.bind(id).run(); !done) return done;
  return search_index::clearSomeStale(database);
}

}  // namespace quire::chat_table
