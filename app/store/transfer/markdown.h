#pragma once

#include <QList>
#include <QString>

#include "app/store/transfer/chat_bundle.h"

namespace quire {

/// For reading: of a chat the branch that is shown, from its first message on.
QString toMarkdown(const ChatBundle& bundle);

/// The chats of a Markdown file that Quire exported: what it says and nothing else, so one branch,
/// without versions, tokens or times of day. Empty: it is no such file. Read twice, a file gives
/// the very same, so that importing it twice adds nothing.
QList<ChatBundle> chatsFromMarkdown(const QString& text);

}  // namespace quire
