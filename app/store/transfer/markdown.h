#pragma once

#include <QList>
#include <QString>

#include <functional>

#include "app/store/transfer/chat_bundle.h"

namespace quire {

/// The branch of a chat that is shown, as Markdown.
QString toMarkdown(const ChatBundle& bundle);

/// Asked with the number of chats and messages so far; false ends the reading.
using MarkdownGoOn = std::function<bool(qsizetype numRecords)>;

/// The chats of a Markdown file that Quire exported: one branch each, without versions, tokens or
/// times of day. Empty for other files, and if `goOn` ended it, which is asked every 1,024 lines
/// and at the end. The result depends only on the text, so that importing a file twice adds
/// nothing. Takes time in proportion to the text.
QList<ChatBundle> chatsFromMarkdown(const QString& text, const MarkdownGoOn& goOn = {});

}  // namespace quire
