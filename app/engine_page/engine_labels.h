#pragma once

#include <QString>

#include <functional>
#include <optional>

#include "app/engine/engine_inspector.h"
#include "app/size_text.h"

namespace quire {

/// The title and colour of a chat.
struct ChatLabel {
  QString title;
  int color = 0;
};
/// nullopt for a deleted chat.
using ChatLabels = std::function<std::optional<ChatLabel>(qint64 chatId)>;

// Numbers as text.

QString countText(qint64 count);     ///< "1,024".
QString durationText(double ms);     ///< "3.4 ms", "41 ms", "1.2 s".
QString percentText(double part);    ///< Of a part from 0 to 1: "97%", "1.1%".
QString rateText(double perSecond);  ///< "38.4", "1,204".
QString answersText(int count);      ///< "1 chat", "3 chats".
QString blocksText(int count);       ///< "1 block", "64 blocks".
QString titleOf(const ChatLabels& labels, qint64 chatId);

/// Explains the time of a prompt: which tokens were cached, why others were not, and how long it
/// waited.
QString promptStory(const PromptReport& report);

}  // namespace quire
