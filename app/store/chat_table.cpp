#include "app/store/chat_table.h"

namespace quire::chat_table {
namespace {

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
  return chat;
}

}  // namespace

Result<QList<ChatRecord>> readAll(const Database& database) {
  QList<ChatRecord> chats;
  Statement select(
      database, QStringLiteral("SELECT id, title, title_is_automatic, persona_id, head_message_id, "
                               "color, draft, created_ms, active_ms FROM chat "
                               "ORDER BY active_ms DESC, id DESC"));
  auto read = select.forEach([&](const QSqlQuery& row) { chats.append(fromRow(row)); });
  if (!read) return read.error();
  return chats;
}

Result<void> put(const Database& database, const ChatRecord& chat) {
  return Statement(
             database,
             QStringLiteral("INSERT INTO chat (id, title, title_is_automatic, persona_id, "
                            "head_message_id, color, draft, created_ms, active_ms) VALUES "
                            "(?, ?, ?, (SELECT id FROM persona WHERE id = ?), ?, ?, ?, ?, ?) "
                            "ON CONFLICT (id) DO UPDATE SET title = excluded.title, "
                            "title_is_automatic = excluded.title_is_automatic, "
                            "persona_id = excluded.persona_id, "
                            "head_message_id = excluded.head_message_id, color = excluded.color, "
                            "draft = excluded.draft, created_ms = excluded.created_ms, "
                            "active_ms = excluded.active_ms"))
      .bind(chat.id)
      .bind(chat.title)
      .bind(chat.titleIsAutomatic)
      .bindReference(chat.personaId)
      .bindReference(chat.headMessageId)
      .bind(chat.color)
      .bind(chat.draft)
      .bind(chat.createdMs)
      .bind(chat.activeMs)
      .run();
}

Result<void> remove(const Database& database, RecordId id) {
  return Statement(database, QStringLiteral("DELETE FROM chat WHERE id = ?")).bind(id).run();
}

}  // namespace quire::chat_table
