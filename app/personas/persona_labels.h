#pragma once

#include <QString>
#include <QStringList>

#include "app/engine/engine_inspector.h"

namespace quire {

/// The icons that a persona may have; the first is the default.
const QStringList& personaIcons();
/// What the store says if it is one of them, else the first. An imported persona may name any.
QString personaIcon(const QString& stored);
/// "Ready · 1,024 tokens"; empty if nothing is known.
QString warmthText(const PersonaReport& report);
/// All of its full cache blocks are in memory.
bool isWarm(const PersonaReport& report);
/// "shared by 3 chats · saves 256 MB"; `numChats`: of the store, under this persona.
QString usageText(const PersonaReport& report, int numChats);
/// The cost of a system prompt of `tokens`; `contextLength` 0: not known.
QString promptCostText(int tokens, int contextLength);
/// What a change of the system prompt means for the chats with it; empty if there are none.
QString editWarning(int numChats, int tokens);

}  // namespace quire
