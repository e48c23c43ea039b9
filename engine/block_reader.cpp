#include "engine/block_reader.h"

#include <algorithm>

#include "engine/tokenizer/utf8.h"

namespace quire {

std::span<const TokenId> HeldBlock::tokens() const {
  const BlockTable& table = first->table;
  const int begin = index * kBlockSize;
  const int end = std::min(begin + kBlockSize, table.num_computed());
  if (begin >= end) return {};
  return std::span(table.tokens()).subspan(static_cast<size_t>(begin), end - begin);
}

HeldBlock find_holders(const Scheduler& scheduler, BlockId block) {
  HeldBlock held;
  for (const auto& sequence : scheduler.running()) {
    const std::vector<BlockId>& blocks = sequence->table.blocks();
    const auto it = std::ranges::find(blocks, block);
    if (it == blocks.end()) continue;
    const int64_t chat = sequence->table.owner().chat;
    if (chat != 0 && std::ranges::count(held.chats, chat) == 0) held.chats.push_back(chat);
    if (held.first != nullptr) continue;
    held.first = sequence.get();
    held.index = static_cast<int>(it - blocks.begin());
  }
  return held;
}

std::string spell_tokens(const Tokenizer& tokenizer, std::span<const TokenId> tokens) {
  std::string bytes;
  for (const TokenId id : tokens) {
    bytes += tokenizer.is_special(id) ? tokenizer.token_piece(id) : tokenizer.token_bytes(id);
  }
  const auto is_inside = [](char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
  };
  const auto begin = std::ranges::find_if_not(bytes, is_inside);
  std::string text;
  Utf8Stream().append({begin, bytes.end()}, text);  // What it holds at the end is cut, too.
  return text;
}

}  // namespace quire
