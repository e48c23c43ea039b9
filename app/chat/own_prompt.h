#pragma once

#include <QString>

#include "app/store/generation_settings.h"

namespace quire {

/// The longest system prompt of a single chat; a longer one is cut. Written as JSON it fits into a
/// chat's stored settings in any script.
inline constexpr qsizetype kMaxOwnPrompt = 40'000;

/// The system prompt of a single chat, which the model reads while the chat has no persona; empty:
/// none. It is the field "system_prompt" of the chat's stored settings, so that it is exported,
/// imported and forked with them, and older programs keep it.
QString ownPromptOf(const GenerationSettings& settings);
void setOwnPrompt(GenerationSettings& settings, const QString& prompt);

}  // namespace quire
