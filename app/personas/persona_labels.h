#pragma once

#include <QString>
#include <QStringList>

#include "app/engine/engine_inspector.h"

namespace quire {

/// The names of the icons for personas; the first is the default.
const QStringList& personaIcons();
/// `stored` if it is one of personaIcons(), else the first; an imported persona may have any name.
QString personaIcon(const QString& stored);
/// What the icon shows, for screen readers; empty for a name that is not one of personaIcons().
QString personaIconLabel(const QString& icon);
/// "Ready · 1,024 tokens"; empty while unknown.
QString warmthText(const PersonaReport& report);
/// Whether all full cache blocks of the persona are in memory.
bool isWarm(const PersonaReport& report);
/// "shared by 3 chats · saves 256 MB". `numChats`: stored chats with this persona.
QString usageText(const PersonaReport& report, int numChats);
/// "Adapter formal.gguf"; empty without one.
QString adapterText(const QString& path);
/// The cost of a system prompt of `tokens`; `contextLength`: 0 if unknown.
QString promptCostText(int tokens, int contextLength);
/// What must be computed again after a change of the system prompt; empty if no chat uses it.
QString editWarning(int numChats, int newTokens);

}  // namespace quire
