#pragma once

#include <QString>
#include <QStringList>

#include "app/engine/engine_inspector.h"

namespace quire {

// What is said of a persona in words.

/// The icons that a persona may have; the first is the usual one.
const QStringList& personaIcons();
/// One of them: what the store says if it is, else the usual one. An imported persona may name any.
QString personaIcon(const QString& stored);
/// "Warm · 1,024 tokens"; empty if nothing is known.
QString warmthText(const PersonaReport& report);
/// All of it, or all but what no block can hold, is in memory.
bool isWarm(const PersonaReport& report);
/// "shared by 3 chats · saves 256 MB"; `numChats`: of the store, under this persona.
QString usageText(const PersonaReport& report, int numChats);
/// What a system prompt of so many tokens costs; `contextLength` 0: not known.
QString promptCostText(int tokens, int contextLength);
/// What a change of the system prompt brings about for the chats under it; empty for none.
QString editWarning(int numChats, int tokens);
/// "256 MB", in powers of 1024 as the rest of the window counts memory.
QString memoryText(quint64 bytes);

}  // namespace quire
