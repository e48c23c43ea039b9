#pragma once

#include "app/engine/engine_report.h"
#include "engine/engine.h"

namespace quire {

/// Converts the engine's counters for the window; does not set the rate, requests and latencies.
EngineReport reportOf(const EngineStats& stats);

BlockMapSnapshot snapshotOf(const Engine& engine);

/// Converts the text of a block; does not set the message.
BlockReading readBlock(const BlockText& text, int block);

/// The turns of a chat that precede the sent messages.
struct LeftTurns {
  int systemTurns = 0;      ///< These were sent, and come first.
  int droppedMessages = 0;  ///< These were not, and come after them.
};
/// The message's number among all of the chat's; see BlockReading::message.
int messageInChat(int sentMessage, const LeftTurns& left);

}  // namespace quire
