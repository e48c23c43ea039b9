#pragma once

#include <QList>
#include <QString>

#include "app/store/records.h"

namespace quire {

/// What the model reads of a message with files: each file with its name, in a fence that is longer
/// than any in the file, and the message itself after them.
///
///     File: prices.csv
///     ```csv
///     item,price
///     ```
///
///     Which is the cheapest?
///
/// The form is a part of stored chats: another one would make every kept prefix of such a chat
/// useless.
QString attachmentPrompt(const QList<AttachmentRecord>& files, const QString& message);

}  // namespace quire
