#pragma once

#include <QList>
#include <QString>

#include "app/store/records.h"

namespace quire {

/// The prompt text of a message with files: each file with its name, in a fence that is longer than
/// any in the file, then the message.
///
///     File: prices.csv
///     ```csv
///     item,price
///     ```
///
///     Which is the cheapest?
///
/// Do not change this form: it would invalidate the cached prefixes of all chats with files.
QString attachmentPrompt(const QList<AttachmentRecord>& files, const QString& message);

}  // namespace quire
