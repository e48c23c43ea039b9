#include "engine/block_report.h"

#include <algorithm>

#include "engine/tokenizer/utf8.h"

namespace quire {
namespace {

/// Records which chats hold the blocks. Sequences are sorted by chat, so that each counts once.
void set_holders(std::vector<BlockState>& blocks, const Scheduler& scheduler) {
  std::vector<const BlockTable*> tables;
  for (const auto& sequence : scheduler.running()) tables.push_back(&sequence->table);
  std::ranges::sort(tables, {}, [](const BlockTable* table) { return table->owner().chat; });
  for (const BlockTable* table : tables) {
    const int64_t chat = table->owner().chat;
    for (const BlockId block : table->blocks()) {
      BlockState& state = blocks[static_cast<size_t>(block)];
      if (chat == 0 || (state.num_chats > 0 && state.chat == chat)) continue;
      state.chat = chat;
      ++state.num_chats;
    }
  }
}

/// Records where else the content of a full block is.
void set_copies(BlockState& state, const PrefixIndex::Name& name, const BlockCache& cache,
                const PrefixStore* store) {
  state.is_on_disk = store != nullptr && store->count_stored({&name.key, 1}) == 1;
  const HostBlockStore* host = cache.host();
  state.is_in_host = host != nullptr && host->find(name.key, name.parent, name.tokens).has_value();
}

/// The index of the block in the table; -1 if the table does not hold it.
int index_of(const BlockTable& table, BlockId block) {
  const auto it = std::ranges::find(table.blocks(), block);
  return it == table.blocks().end() ? -1 : static_cast<int>(it - table.blocks().begin());
}

/// The text of tokens that may begin or end within a character: special tokens as they are spelt,
/// incomplete characters left out.
std::string spell_tokens(const Tokenizer& tokenizer, std::span<const TokenId> tokens) {
  std::string bytes;
  for (const TokenId id : tokens) {
    bytes += tokenizer.is_special(id) ? tokenizer.token_piece(id) : tokenizer.token_bytes(id);
  }
  const auto is_continuation = [](char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
  };
  const auto begin = std::ranges::find_if_not(bytes, is_continuation);
  std::string text;
  Utf8Stream().append({begin, bytes.end()}, text);  // Drops an incomplete last character.
  return text;
}

/// A sequence that holds the block; null if none does.
const Sequence* find_holder(const Scheduler& scheduler, BlockId block) {
  const auto& running = scheduler.running();
  const auto it = std::ranges::find_if(
      running, [&](const auto& sequence) { return index_of(sequence->table, block) >= 0; });
  return it == running.end() ? nullptr : it->get();
}

/// Describes a block that `holder` holds. Returns the tokens in it that have been computed.
std::span<const TokenId> describe_held(BlockId block, const Sequence& holder,
                                       const Scheduler& scheduler, BlockText& text) {
  const BlockTable& table = holder.table;
  text.is_held = true;
  text.position = index_of(table, block) * kBlockSize;
  text.message = message_holding(holder.message_starts, text.position);
  for (const auto& sequence : scheduler.running()) {
    const int64_t chat = sequence->table.owner().chat;
    const bool is_new = chat != 0 && std::ranges::count(text.chats, chat) == 0;
    if (is_new && index_of(sequence->table, block) >= 0) text.chats.push_back(chat);
  }
  const int count = std::clamp(table.num_computed() - text.position, 0, kBlockSize);
  return std::span(table.tokens()).subspan(std::min(text.position, table.num_tokens()), count);
}

}  // namespace

EngineStats BlockReport::stats(EngineStats stats) const {
  const BlockPool& pool = cache.pool();
  stats.bytes_per_block = bytes_per_block;
  stats.total_blocks = pool.size();
  const NamedPool& states = cache.states().pool();
  stats.bytes_per_state = bytes_per_state;
  stats.total_states = states.pool().size();
  stats.used_states = states.pool().size() - states.pool().num_free();
  stats.snapshot_states = static_cast<int>(states.index().num_full());
  stats.snapshot_stride = cache.states().sizes().stride;
  const WindowCache& windows = cache.windows();
  stats.bytes_per_window = bytes_per_window;
  stats.total_windows = std::max(0, windows.pool().size() - 1);
  stats.used_windows = stats.total_windows - windows.num_free();
  stats.cached_windows = windows.num_cached();
  for (BlockId block = 0; block < pool.size(); ++block) {
    const int references = pool.ref_count(block);
    if (references > 0) ++stats.used_blocks;
    if (references > 1) ++stats.shared_blocks;
    if (references == 0 && cache.index().contains(block)) ++stats.cached_blocks;
  }
  stats.free_blocks = stats.total_blocks - stats.used_blocks - stats.cached_blocks;
  if (cache.host() != nullptr) stats.host_blocks = cache.host()->num_blocks();
  if (store != nullptr) stats.stored_bytes = store->stored_bytes();
  stats.swapped_tokens = cache.num_restored() * kBlockSize;
  stats.running = static_cast<int>(scheduler.running().size());
  stats.waiting = static_cast<int>(scheduler.waiting().size());

  int64_t empty_slots = 0;
  for (const auto& running : scheduler.running()) {
    const BlockTable& table = running->table;
    empty_slots += static_cast<int64_t>(table.blocks().size()) * kBlockSize - table.num_computed();
  }
  const int64_t used_slots = int64_t{stats.used_blocks} * kBlockSize;
  stats.kv_waste =
      used_slots > 0 ? static_cast<double>(empty_slots) / static_cast<double>(used_slots) : 0;
  return stats;
}

std::vector<BlockState> BlockReport::block_map() const {
  const BlockPool& pool = cache.pool();
  const PrefixIndex& index = cache.index();
  std::vector<BlockState> blocks(static_cast<size_t>(pool.size()));
  for (BlockId block = 0; block < pool.size(); ++block) {
    BlockState& state = blocks[static_cast<size_t>(block)];
    state.ref_count = pool.ref_count(block);
    state.num_tokens = index.num_tokens(block);
    const bool is_kept = state.ref_count == 0 && state.num_tokens > 0;
    if (state.ref_count == 0) state.worth = pool.worth(block);
    if (is_kept) state.chat = cache.last_use(block).chat;
    if (state.num_tokens == kBlockSize) set_copies(state, index.name_of(block), cache, store);
  }
  set_holders(blocks, scheduler);
  return blocks;
}

std::optional<BlockText> BlockReport::block_text(BlockId block, const Tokenizer& tokenizer) const {
  if (block < 0 || block >= cache.pool().size()) return std::nullopt;
  BlockText text;
  std::span<const TokenId> tokens = cache.index().tokens_of(block);
  if (const Sequence* holder = find_holder(scheduler, block)) {
    tokens = describe_held(block, *holder, scheduler, text);
  } else {
    const LastUse last = cache.last_use(block);
    if (last.chat != 0) text.chats = {last.chat};
    if (last.index >= 0) text.position = last.index * kBlockSize;
    text.message = history.find_message(last.chat, text.position, tokens);
  }
  if (tokens.empty()) return std::nullopt;
  text.text = spell_tokens(tokenizer, tokens);
  text.num_tokens = static_cast<int>(tokens.size());
  return text;
}

PrefixHolding BlockReport::holding(const BlockTable& prefix) const {
  const int held = cache.count_held(prefix);
  const int stored = store == nullptr ? 0 : store->count_stored(prefix.keys());
  // Chats share whole blocks, so the last, partial one may differ.
  const auto whole = std::span(prefix.tokens()).first(prefix.keys().size() * kBlockSize);
  std::set<int64_t> chats = history.chats_beginning_with(whole);
  for (const auto* queue : {&scheduler.running(), &scheduler.waiting()}) {
    for (const auto& sequence : *queue) {
      const BlockTable& table = sequence->table;
      if (table.owner().chat == 0 || !begins_with(table.tokens(), whole)) continue;
      chats.insert(table.owner().chat);
    }
  }
  const auto sharing = static_cast<int>(chats.size());
  return {.resident_tokens = held * kBlockSize,
          .stored_tokens = std::max(0, stored - held) * kBlockSize,
          .chats = sharing,
          .saved_bytes = static_cast<size_t>(std::max(0, sharing - 1)) * static_cast<size_t>(held) *
                         bytes_per_block};
}

}  // namespace quire
