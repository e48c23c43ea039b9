#pragma once

#include <QList>
#include <QString>

#include "app/store/records.h"
#include "kernels/base/result.h"

namespace quire {

class Database;

// Reads what is left of a damaged store and writes nothing; records that cannot be read are
// skipped. Thread: any that may wait, because each call reads the file again.

/// Last active first.
Result<QList<ChatRecord>> readableChats(const QString& path);
QList<ChatRecord> readableChats(const Database& database);
/// All readable messages of a chat, oldest first.
QList<MessageRecord> wholeMessages(const Database& database, RecordId chatId);
/// The branch that is shown; if part of it cannot be read, all readable messages, oldest first.
Result<QList<MessageRecord>> readableMessages(const QString& path, const ChatRecord& chat);

}  // namespace quire
