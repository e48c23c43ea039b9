#pragma once

#include <QList>
#include <QString>

#include <functional>

#include "app/store/transfer/chat_bundle.h"

namespace quire {

/// The branch of a chat that is shown, as Markdown.
QString toMarkdown(const ChatBundle& bundle);

/// A Markdown file that Quire exported, which is read chat by chat.
struct MarkdownInput {
  static constexpr qsizetype kMaxChatLength = 250'000'000;
  static constexpr qsizetype kMaxMessages = 200'000;

  /// The next piece of the text, divided anywhere; empty at the end. An error ends the reading.
  std::function<Result<QString>()> readMore;
  /// Receives a chat: one branch, without versions, tokens or times of day. An error ends the
  /// reading.
  std::function<Result<void>(const ChatBundle& chat)> take;
  /// Of the text of a message or of one of its files, in UTF-16 units.
  qsizetype maxTextLength = kMaxImportedText;
  /// Of one chat, in UTF-16 units. Reading a chat takes some ten bytes of memory for each. A
  /// message that Quire exports may have 20 files of 8 MiB each.
  qsizetype maxChatLength = kMaxChatLength;
  /// Of one chat. Each takes up to a kilobyte of memory beside its text.
  qsizetype maxMessages = kMaxMessages;
  /// The error of a file that has more.
  Error tooLarge = {ErrorCode::kUnsupported, "a chat is too large"};
};

/// Reads the chats of a file; other files have none. What is taken depends only on the text, so
/// that importing a file twice adds nothing. Takes time in proportion to the text.
Result<void> readMarkdown(const MarkdownInput& input);

/// The chats of a whole text; none if one of them is too large.
QList<ChatBundle> chatsFromMarkdown(const QString& text);

}  // namespace quire
