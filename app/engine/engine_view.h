#pragma once

#include "app/engine/engine_report.h"
#include "engine/engine.h"

namespace quire {

/// What the engine counts, for the window; rate, requests and latencies are left open.
EngineReport reportOf(const EngineStats& stats);

BlockMapSnapshot snapshotOf(const Engine& engine);

/// What stands in a block; the message is left open.
BlockReading readBlock(const BlockText& text, int block);

/// How many turns stand before the messages of a chat that were sent.
struct LeftTurns {
  int systemTurns = 0;      ///< These were sent, and come first.
  int droppedMessages = 0;  ///< These were not, and come after them.
};
/// The message's number among all of the chat's; see BlockReading::message.
int messageInChat(int sentMessage, const LeftTurns& left);

}  // namespace quire
