#pragma once

#include <QList>
#include <QString>

#include "app/store/records.h"
#include "kernels/base/result.h"

namespace quire {

class Database;

// What can still be read of a damaged store. Nothing is written, and a record that cannot be read
// does not hide the others. Reads anew at each call: for a thread that may wait.

/// Last active first.
Result<QList<ChatRecord>> readableChats(const QString& path);
QList<ChatRecord> readableChats(const Database& database);
/// All messages of a chat that are left, oldest first.
QList<MessageRecord> wholeMessages(const Database& database, RecordId chatId);
/// The branch that is shown; if that is broken, all messages that are left, oldest first.
Result<QList<MessageRecord>> readableMessages(const QString& path, const ChatRecord& chat);

}  // namespace quire
