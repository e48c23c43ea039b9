#include "app/store/comparison_table.h"

namespace quire::comparison_table {

Result<QList<ComparedAnswer>> read(const Database& database, RecordId chatId) {
  QList<ComparedAnswer> answers;
  Statement select(database,
                   QStringLiteral("SELECT message_id, label FROM compared_answer WHERE chat_id = ? "
                                  "ORDER BY position, message_id"));
  select.bind(chatId);
  auto read = select.forEach([&](const QSqlQuery& row) {
    answers.append({row.value(0).toLongLong(), row.value(1).toString()});
  });
  if (!read) return read.error();
  return answers;
}

Result<void> put(const Database& database, RecordId chatId, const QList<ComparedAnswer>& answers) {
  Statement clear(database, QStringLiteral("DELETE FROM compared_answer WHERE chat_id = ?"));
  if (auto done = clear.bind(chatId).run(); !done) return done;
  Statement insert(database,
                   QStringLiteral("INSERT INTO compared_answer (message_id, chat_id, position, "
                                  "label) SELECT id, chat_id, ?, ? FROM message "
                                  "WHERE id = ? AND chat_id = ?"));
  for (qsizetype i = 0; i < answers.size(); ++i) {
    auto done = insert.bind(static_cast<int>(i))
                    .bind(answers[i].label)
                    .bind(answers[i].messageId)
                    .bind(chatId)
                    .run();
    if (!done) return done;
  }
  return {};
}

}  // namespace quire::comparison_table
