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

/// Where else the content of a full block is.
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

/// The text of tokens from the middle of others: special tokens as they are spelt, without
/// characters of which only a part is among the tokens.
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

}  // namespace

void fill_pool_stats(EngineStats& stats, const BlockCache& cache, const Scheduler& scheduler) {
  const BlockPool& pool = cache.pool();
  stats.total_blocks = pool.size();
  for (BlockId block = 0; block < pool.size(); ++block) {
    const int references = pool.ref_count(block);
    if (references > 0) ++stats.used_blocks;
    if (references > 1) ++stats.shared_blocks;
    if (references == 0 && cache.index().contains(block)) ++stats.cached_blocks;
  }
  stats.free_blocks = stats.total_blocks - stats.used_blocks - stats.cached_blocks;
  if (cache.host() != nullptr) stats.host_blocks = cache.host()->num_blocks();
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
}

std::vector<BlockState> map_blocks(const BlockCache& cache, const Scheduler& scheduler,
                                   const PrefixStore* store) {
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

const Sequence* find_holder(const Scheduler& scheduler, BlockId block) {
  const auto& running = scheduler.running();
  const auto it = std::ranges::find_if(
      running, [&](const auto& sequence) { return index_of(sequence->table, block) >= 0; });
  return it == running.end() ? nullptr : it->get();
}

std::optional<BlockText> read_block(BlockId block, const BlockCache& cache,
                                    const Scheduler& scheduler, const Tokenizer& tokenizer) {
  if (block < 0 || block >= cache.pool().size()) return std::nullopt;
  BlockText read;
  std::span<const TokenId> tokens = cache.index().tokens_of(block);
  if (const Sequence* holder = find_holder(scheduler, block)) {
    const BlockTable& table = holder->table;
    read.is_held = true;
    read.position = index_of(table, block) * kBlockSize;
    const int end = std::min(read.position + kBlockSize, table.num_computed());
    tokens = std::span(table.tokens()).first(static_cast<size_t>(std::max(end, 0)));
    tokens = tokens.subspan(static_cast<size_t>(std::min(read.position, end)));
    for (const auto& sequence : scheduler.running()) {
      const int64_t chat = sequence->table.owner().chat;
      const bool is_new = chat != 0 && std::ranges::count(read.chats, chat) == 0;
      if (is_new && index_of(sequence->table, block) >= 0) read.chats.push_back(chat);
    }
  } else {
    const BlockCache::LastUse last = cache.last_use(block);
    if (last.chat != 0) read.chats = {last.chat};
    if (last.index >= 0) read.position = last.index * kBlockSize;
  }
  if (tokens.empty()) return std::nullopt;
  read.text = spell_tokens(tokenizer, tokens);
  read.num_tokens = static_cast<int>(tokens.size());
  return read;
}

}  // namespace quire
