#include "app/store/prefix/prefix_keeper.h"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <new>

#include "app/store/prefix/prefix_file.h"

namespace quire {
namespace {

constexpr PrefixOwner::Kind kKinds[] = {PrefixOwner::Kind::kPersona, PrefixOwner::Kind::kChat};
constexpr int64_t kAnyTime = std::numeric_limits<int64_t>::max();

}  // namespace

bool PrefixKeeper::open() {
  if (isOpen()) return true;
  const auto loaded = load();
  if (loaded) return true;
  const ErrorCode code = loaded.error().code;
  const bool isForeign = code == ErrorCode::kUnsupported;
  if (code == ErrorCode::kCorruptFile || (isForeign && m_options.mayReplaceAny)) {
    return replace(loaded.error());
  }
  report(Trouble::kOpen, "Nothing that was computed is kept for later: " + loaded.error().message);
  return false;
}

/// Opens the file and reads what is in it.
Result<void> PrefixKeeper::load() {
  forgetAll();
  auto table = PrefixTable::open(m_options.path, m_options.maxPages);
  if (!table) return table.error();
  auto contents = (*table)->readAll();
  if (!contents) return contents.error();
  m_table = std::move(table).value();
  m_catalog = std::move(contents->catalog);
  for (const BlockKey& key : m_catalog.keys()) {
    m_now = std::max(m_now, m_catalog.find(key)->used);
    m_changes.keys.emplace_back(key, true);
  }
  // A failure is ignored: a full disk allows no deletions, but everything can be read.
  static_cast<void>(m_table->transaction([&]() -> Result<void> {
    for (const int64_t row : contents->useless) {
      if (auto removed = m_table->remove(row); !removed) return removed;
    }
    return {};
  }));
  return {};
}

/// Checks the file again, which may have been replaced since it was opened.
Result<void> PrefixKeeper::removeFile() const {
  const auto ours = m_options.mayReplaceAny ? Result<void>() : checkPrefixFile(m_options.path);
  if (!ours) return ours;
  // The key first: a file without its key is replaced at the next start.
  if (auto removed = PrefixKey::remove(m_options.path, m_options.mayReplaceAny); !removed) {
    return removed;
  }
  return removePrefixFile(m_options.path);
}

bool PrefixKeeper::replace(const Error& error) {
  forgetAll();
  const auto removed = removeFile();
  if (removed) {
    report(Trouble::kReplaced,
           "What was kept of earlier computing is dropped and computed again: " + error.message);
  }
  const auto loaded = removed ? load() : removed;
  if (!loaded) {
    forgetAll();
    report(Trouble::kOpen,
           "Nothing that was computed is kept for later: " + loaded.error().message);
  }
  return loaded.has_value();
}

void PrefixKeeper::forgetAll() {
  m_table.reset();
  m_catalog.clear();
  m_changes = {.all = true};
  m_untidy = false;
  m_suspect = false;
  m_sound = false;
}

/// Reads the catalog again, because after a failure it may differ from the file.
void PrefixKeeper::recover(const Error& error, Trouble trouble) {
  if (error.code == ErrorCode::kCorruptFile) {
    replace(error);
    return;
  }
  report(trouble, "Keeping what was computed rests for a while: " + error.message);
  auto contents = m_table->readAll();
  if (!contents) return forgetAll();
  m_catalog = std::move(contents->catalog);
  m_changes = {.all = true};
  for (const BlockKey& key : m_catalog.keys()) m_changes.keys.emplace_back(key, true);
}

void PrefixKeeper::report(Trouble trouble, const std::string& line) {
  if (!m_reported.insert(trouble).second) return;
  m_options.log ? m_options.log(line)
                : static_cast<void>(std::fputs((line + "\n").c_str(), stderr));
}

bool PrefixKeeper::write(std::span<const PrefixCommand> commands) {
  if (!isOpen()) return false;
  ++m_now;
  const auto written = m_table->transaction([&]() -> Result<void> {
    for (const PrefixCommand& command : commands) {
      auto applied = std::visit([&](const auto& each) { return apply(each); }, command);
      if (!applied) return applied;
    }
    return {};
  });
  if (!written) recover(written.error(), Trouble::kWrite);
  return written.has_value();
}

std::vector<StoredBlock> PrefixKeeper::read(std::span<const BlockKey> keys) {
  std::vector<StoredBlock> blocks;
  try {
    for (const BlockKey& key : keys) {
      auto block = readOne(key);
      if (!block) break;
      blocks.push_back(std::move(*block));
    }
  } catch (const std::bad_alloc&) {
    // The remaining blocks count as not found; they stay in the file.
  }
  return blocks;
}

std::optional<StoredBlock> PrefixKeeper::readOne(const BlockKey& key) {
  const auto* entry = m_catalog.find(key);
  if (!entry) return {};
  auto block = m_table->read(entry->row, key);
  if (!block) {
    // Reading the whole catalog again would take even more memory.
    const bool isFull = block.error().code == ErrorCode::kOutOfMemory;
    if (!isFull) recover(block.error(), Trouble::kRead);
    return {};
  }
  if (!block->has_value()) {
    report(Trouble::kDamagedBlock, "A block in \"" + m_options.path.string() +
                                       "\" is damaged; such ones are dropped and computed again.");
    const PrefixCommand discard = DiscardBlock{key};
    if (write({&discard, 1})) suspect();
  }
  return std::move(*block);
}

void PrefixKeeper::tidy() {
  if (std::exchange(m_suspect, false)) {
    // If two structures share a page of the file, each write damages another block.
    const auto checked = m_table->checkStructure();
    m_sound = checked.has_value();  // Further damaged blocks cause no other check.
    if (!m_sound) recover(checked.error(), Trouble::kRead);
    return;
  }
  if (!m_untidy) return;
  const auto more = m_table->freePages();
  // This fails while another process reads; the log is emptied when the file is closed.
  m_table->truncateLog();
  m_untidy = more && *more;
}

Result<void> PrefixKeeper::apply(const SaveBlock& command) {
  const StoredBlock& block = command.block;
  const auto owners = withBudget(command.owners);
  if (m_catalog.find(block.key)) {
    if (auto used = use(block.key); !used) return used;
    if (auto owned = own(block.key, owners); !owned) return owned;
    return trim();  // The block may be charged to the personas now.
  }
  if (owners.empty() || block.payload.empty()) return {};
  // Its parents count as used, so that a chain that exceeds the budget does not evict its own head.
  m_catalog.markUsed(block.parent, m_now);
  const auto fits = makeRoom(kindOf(owners), block.payload.size(), m_now);
  if (!fits) return fits.error();
  if (!*fits) return {};
  const auto row = m_table->insert(block, m_now);
  if (!row) return row.error();
  if (*row == 0) {
    suspect();  // Another process wrote it, or the index of keys is wrong.
    return {};
  }
  PrefixCatalog::Entry entry{.row = *row, .parent = block.parent, .used = m_now};
  entry.bytes = block.payload.size();
  entry.owners = owners;
  m_catalog.insert(block.key, entry);
  m_changes.keys.emplace_back(block.key, true);
  for (const PrefixOwner& owner : owners) {
    if (auto added = m_table->addOwner(*row, owner); !added) return added;
  }
  return {};
}

Result<void> PrefixKeeper::apply(const TouchBlocks& command) {
  const auto owners = withBudget({command.owner});
  // The tail comes first: marking it marks its parents too, which then need not be written.
  for (auto key = command.keys.rbegin(); key != command.keys.rend(); ++key) {
    if (auto used = use(*key); !used) return used;
    if (auto owned = own(*key, owners); !owned) return owned;
  }
  return trim();  // Blocks may be charged to the personas now.
}

Result<void> PrefixKeeper::apply(const DiscardBlock& command) {
  return remove(command.key);
}

Result<void> PrefixKeeper::apply(const ForgetOwner& command) {
  if (auto removed = m_table->removeOwner(command.owner); !removed) return removed;
  for (const BlockKey& key : m_catalog.keysOf(command.owner)) {
    m_catalog.removeOwner(key, command.owner);
    if (!m_catalog.find(key)->owners.empty()) continue;
    if (auto removed = remove(key); !removed) return removed;
  }
  return trim();  // Blocks may be charged to the chats now.
}

Result<void> PrefixKeeper::apply(const KeepOwners& command) {
  for (const PrefixOwner& owner : m_catalog.owners()) {
    if (contains(command.owners, owner)) continue;
    if (auto forgotten = apply(ForgetOwner{owner}); !forgotten) return forgotten;
  }
  return {};
}

Result<void> PrefixKeeper::apply(const PrefixBudgets& command) {
  m_budgets = command;
  return trim();
}

PrefixOwners PrefixKeeper::withBudget(const PrefixOwners& owners) const {
  PrefixOwners kept;
  for (const PrefixOwner& owner : owners) {
    if (m_budgets.of(owner.kind) > 0) kept.push_back(owner);
  }
  return kept;
}

/// Evicts blocks that were not used since `before`; false if that frees too little.
Result<bool> PrefixKeeper::makeRoom(PrefixOwner::Kind kind, uint64_t bytes, int64_t before) {
  const uint64_t budget = m_budgets.of(kind);
  if (bytes > budget) return false;
  while (m_catalog.bytes(kind) > budget - bytes) {
    const auto victim = m_catalog.victim(kind, before);
    if (!victim) return false;
    if (auto removed = remove(*victim); !removed) return removed.error();
  }
  return true;
}

Result<void> PrefixKeeper::trim() {
  for (const PrefixOwner::Kind kind : kKinds) {
    if (auto made = makeRoom(kind, 0, kAnyTime); !made) return made.error();
  }
  return {};
}

Result<void> PrefixKeeper::use(const BlockKey& key) {
  if (!m_catalog.markUsed(key, m_now)) return {};
  return m_table->markUsed(m_catalog.find(key)->row, m_now);
}

Result<void> PrefixKeeper::own(const BlockKey& key, const PrefixOwners& owners) {
  for (const PrefixOwner& owner : owners) {
    if (!m_catalog.addOwner(key, owner)) continue;
    auto added = m_table->addOwner(m_catalog.find(key)->row, owner);
    if (!added) return added;
  }
  return {};
}

Result<void> PrefixKeeper::remove(const BlockKey& key) {
  const auto* entry = m_catalog.find(key);
  if (!entry) return {};
  auto removed = m_table->remove(entry->row);
  m_catalog.erase(key);
  m_changes.keys.emplace_back(key, false);
  m_untidy = true;
  return removed;
}

}  // namespace quire
