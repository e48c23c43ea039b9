#include "app/engine/engine_view.h"

#include <algorithm>

namespace quire {
namespace {

BlockMapSnapshot::Kind kindOf(const BlockState& state) {
  if (state.ref_count > 1) return BlockMapSnapshot::Kind::Shared;
  if (state.ref_count == 1) return BlockMapSnapshot::Kind::Used;
  return state.num_tokens > 0 ? BlockMapSnapshot::Kind::Kept : BlockMapSnapshot::Kind::Free;
}

}  // namespace

EngineReport reportOf(const EngineStats& stats) {
  return {.waitingRequests = stats.waiting,
          .batchSequences = stats.batch_sequences,
          .batchTokens = stats.batch_tokens,
          .totalBlocks = stats.total_blocks,
          .usedBlocks = stats.used_blocks,
          .sharedBlocks = stats.shared_blocks,
          .keptBlocks = stats.cached_blocks,
          .freeBlocks = stats.free_blocks,
          .hostBlocks = stats.host_blocks,
          .bytesPerBlock = stats.bytes_per_block,
          .emptyPart = stats.kv_waste,
          .totalStates = stats.total_states,
          .usedStates = stats.used_states,
          .snapshotStates = stats.snapshot_states,
          .bytesPerState = stats.bytes_per_state,
          .snapshotStride = stats.snapshot_stride,
          .totalWindows = stats.total_windows,
          .usedWindows = stats.used_windows,
          .keptWindows = stats.cached_windows,
          .bytesPerWindow = stats.bytes_per_window,
          .adapters = stats.num_adapters,
          .adapterBytes = stats.adapter_bytes,
          .promptTokens = stats.prompt_tokens,
          .cachedTokens = stats.cached_tokens,
          .diskTokens = stats.disk_tokens,
          .cutTokens = stats.cut_tokens,
          .outputTokens = stats.output_tokens,
          .draftedTokens = stats.drafted_tokens,
          .acceptedTokens = stats.accepted_tokens,
          .preemptions = stats.preemptions,
          .storedBytes = stats.stored_bytes};
}

BlockReading readBlock(const BlockText& text, int block) {
  return {.block = block,
          .isHeld = text.is_held,
          .text = QString::fromStdString(text.text),
          .tokens = text.num_tokens,
          .chatIds = {text.chats.begin(), text.chats.end()},
          .firstToken = text.position};
}

BlockMapSnapshot snapshotOf(const Engine& engine) {
  const std::vector<BlockState> states = engine.block_map();
  BlockMapSnapshot snapshot;
  snapshot.bytesPerBlock = engine.stats().bytes_per_block;
  snapshot.blocks.reserve(static_cast<qsizetype>(states.size()));
  for (const BlockState& state : states) {
    snapshot.blocks.append({.chatId = state.chat,
                            .references = state.ref_count,
                            .chats = static_cast<quint16>(std::min(state.num_chats, 0xFFFF)),
                            .tokens = static_cast<quint8>(std::clamp(state.num_tokens, 0, 255)),
                            .kind = kindOf(state),
                            .onDisk = state.is_on_disk,
                            .inHostMemory = state.is_in_host,
                            .pinned = state.worth == BlockWorth::kPinned});
  }
  return snapshot;
}

int messageInChat(int sentMessage, const LeftTurns& left) {
  if (sentMessage < 0) return BlockReading::kUnknownMessage;
  if (sentMessage < left.systemTurns) return -1;
  return sentMessage - left.systemTurns + left.droppedMessages;
}

}  // namespace quire
