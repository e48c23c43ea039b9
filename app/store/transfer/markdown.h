#pragma once

#include <QList>
#include <QString>

#include "app/store/transfer/chat_bundle.h"

namespace quire {

/// The branch of a chat that is shown, as Markdown.
QString toMarkdown(const ChatBundle& bundle);

/// The chats of a Markdown file that Quire exported: one branch each, without versions, tokens or
/// times of day. Empty for other files. The result depends only on the text, so that importing a
/// file twice adds nothing.
QList<ChatBundle> chatsFromMarkdown(const QString& text);

}  // namespace quire
