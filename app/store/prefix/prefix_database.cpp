#include "app/store/prefix/prefix_database.h"

#include <algorithm>
#include <type_traits>
#include <utility>

namespace quire {
namespace {

/// The size of a transaction, for which a fetch may have to wait.
constexpr size_t kBatchBytes = size_t{8} << 20;

size_t bytesOf(const PrefixCommand& command) {
  if (const auto* save = std::get_if<SaveBlock>(&command)) return save->block.payload.size();
  if (const auto* touch = std::get_if<TouchBlocks>(&command)) {
    return touch->keys.size() * sizeof(BlockKey);
  }
  return 0;
}

/// Whether the command may be lost, because it only saves computing later.
bool isOptional(const PrefixCommand& command) {
  return std::holds_alternative<SaveBlock>(command) || std::holds_alternative<TouchBlocks>(command);
}

}  // namespace

PrefixDatabase::PrefixDatabase(PrefixDatabaseOptions options)
    : m_options(std::move(options)),
      m_keeper(m_options),
      m_budgets(m_options.budgets),
      m_thread([this] { run(); }) {}

PrefixDatabase::~PrefixDatabase() {
  {
    const std::lock_guard lock(m_mutex);
    m_stopping = true;
    m_stopBy = Clock::now() + m_options.closeTime;
  }
  m_changed.notify_all();
  m_thread.join();
}

int PrefixDatabase::count_stored(std::span<const BlockKey> keys) const {
  const std::lock_guard lock(m_mutex);
  const auto missing = std::find_if(keys.begin(), keys.end(),
                                    [&](const BlockKey& key) { return !m_stored.contains(key); });
  return static_cast<int>(missing - keys.begin());
}

void PrefixDatabase::fetch(uint64_t ticket, std::vector<BlockKey> keys) {
  {
    const std::lock_guard lock(m_mutex);
    m_fetches.push_back({ticket, std::move(keys)});
    ++m_openFetches;
  }
  m_changed.notify_all();
}

std::vector<PrefixStore::Fetched> PrefixDatabase::take_fetched(std::chrono::milliseconds wait) {
  Lock lock(m_mutex);
  m_changed.wait_for(lock, wait, [&] { return !m_fetched.empty() || m_openFetches == 0; });
  return std::exchange(m_fetched, {});
}

bool PrefixDatabase::wants(const PrefixOwner& owner) const {
  const std::lock_guard lock(m_mutex);
  return takes(owner) && m_budgets.of(owner.kind) > 0 && m_queuedBytes < m_options.maxQueuedBytes;
}

void PrefixDatabase::save(StoredBlock block, const PrefixOwner& owner) {
  const std::lock_guard lock(m_mutex);
  if (!takes(owner)) return;
  const auto queued = m_queuedBlocks.find(block.key);
  if (queued != m_queuedBlocks.end()) {
    auto& owners = std::get<SaveBlock>(*queued->second).owners;
    if (!contains(owners, owner)) owners.push_back(owner);
  } else if (m_stored.contains(block.key)) {
    enqueue(TouchBlocks{{block.key}, owner});
  } else if (m_budgets.of(owner.kind) > 0 &&
             m_queuedBytes + block.payload.size() <= m_options.maxQueuedBytes) {
    enqueue(SaveBlock{std::move(block), {owner}});
  }
}

void PrefixDatabase::touch(std::vector<BlockKey> keys, const PrefixOwner& owner) {
  const std::lock_guard lock(m_mutex);
  const bool fits = m_queuedBytes + keys.size() * sizeof(BlockKey) <= m_options.maxQueuedBytes;
  if (!takes(owner) || keys.empty() || !fits) return;
  enqueue(TouchBlocks{std::move(keys), owner});
}

void PrefixDatabase::discard(const BlockKey& key) {
  const std::lock_guard lock(m_mutex);
  m_stored.erase(key);
  enqueue(DiscardBlock{key});
}

void PrefixDatabase::forget(const PrefixOwner& owner) {
  const std::lock_guard lock(m_mutex);
  // The engine may still save blocks for it; ids are not reused while the program runs.
  m_forgotten.push_back(owner);
  dropQueued(owner);
  enqueue(ForgetOwner{owner});
}

void PrefixDatabase::keepOnly(PrefixOwners owners) {
  const std::lock_guard lock(m_mutex);
  enqueue(KeepOwners{std::move(owners)});
}

void PrefixDatabase::setBudgets(const PrefixBudgets& budgets) {
  const std::lock_guard lock(m_mutex);
  m_budgets = budgets;
  enqueue(budgets);
}

bool PrefixDatabase::flush(std::chrono::milliseconds timeout) {
  Lock lock(m_mutex);
  return m_changed.wait_for(lock, timeout, [&] {
    return m_opened && !m_busy && m_queue.empty() && m_fetches.empty() && !m_untidy;
  });
}

uint64_t PrefixDatabase::stored_bytes() const {
  const Stats now = stats();
  return now.personaBytes + now.chatBytes;
}

PrefixDatabase::Stats PrefixDatabase::stats() const {
  const std::lock_guard lock(m_mutex);
  Stats stats = m_stats;
  stats.queuedBytes = m_queuedBytes;
  return stats;
}

void PrefixDatabase::run() {
  Lock lock(m_mutex);
  openFile(lock);
  while (true) {
    if (!m_fetches.empty() && !m_stopping) {
      serveFetch(lock);
    } else if (!m_queue.empty() && (mayWrite() || m_stopping)) {
      writeBatch(lock);
    } else if (m_stopping) {
      break;
    } else if (m_untidy) {
      tidyUp(lock);
    } else {
      const auto woken = [&] { return m_stopping || !m_fetches.empty() || !m_queue.empty(); };
      if (mayWrite()) {
        m_changed.wait(lock, woken);
      } else {
        m_changed.wait_until(lock, m_writeAfter, [&] { return m_stopping || !m_fetches.empty(); });
      }
    }
  }
}

bool PrefixDatabase::mayWrite() const {
  return Clock::now() >= m_writeAfter;
}

void PrefixDatabase::openFile(Lock& lock) {
  lock.unlock();
  const bool open = m_keeper.open();
  lock.lock();
  m_opened = true;
  if (!open) {
    m_writeAfter = Clock::now() + m_options.pauseTime;
    dropQueuedBlocks();
  }
  noteChanges();
  m_changed.notify_all();
}

void PrefixDatabase::serveFetch(Lock& lock) {
  const Fetch fetch = std::move(m_fetches.front());
  m_fetches.pop_front();
  m_busy = true;
  lock.unlock();
  Fetched fetched{fetch.ticket, m_keeper.read(fetch.keys)};
  lock.lock();
  m_busy = false;
  m_fetched.push_back(std::move(fetched));
  --m_openFetches;
  noteChanges();
  m_changed.notify_all();
}

void PrefixDatabase::writeBatch(Lock& lock) {
  if (m_stopping && Clock::now() >= m_stopBy) dropQueuedBlocks();
  Queue batch = takeBatch();
  m_busy = true;
  lock.unlock();
  std::vector<PrefixCommand> commands(std::make_move_iterator(batch.begin()),
                                      std::make_move_iterator(batch.end()));
  const bool written = m_keeper.open() && m_keeper.write(commands);
  lock.lock();
  m_busy = false;
  if (!written) {
    m_writeAfter = Clock::now() + m_options.pauseTime;
    dropQueuedBlocks();
    std::erase_if(commands, isOptional);
    m_queue.insert(m_queue.begin(), std::make_move_iterator(commands.begin()),
                   std::make_move_iterator(commands.end()));
    // There is no second try at the end; keepOnly() at the next start makes up for it.
    if (m_stopping) m_queue.clear();
  }
  noteChanges();
  m_changed.notify_all();
}

void PrefixDatabase::tidyUp(Lock& lock) {
  m_busy = true;
  lock.unlock();
  m_keeper.tidy();
  lock.lock();
  m_busy = false;
  noteChanges();
  m_changed.notify_all();
}

/// Removes commands of about kBatchBytes from the queue, at least one.
PrefixDatabase::Queue PrefixDatabase::takeBatch() {
  auto end = m_queue.begin();
  size_t bytes = 0;
  while (end != m_queue.end() && bytes < kBatchBytes) {
    bytes += bytesOf(*end);
    unqueue(*end++);
  }
  Queue batch;
  batch.splice(batch.end(), m_queue, m_queue.begin(), end);
  return batch;
}

/// Copies the changes of the keeper's catalog to m_stored, which the engine's calls read.
void PrefixDatabase::noteChanges() {
  const auto changes = m_keeper.takeChanges();
  if (changes.all) m_stored.clear();
  for (const auto& [key, stored] : changes.keys) {
    if (stored) m_stored.insert(key);
    if (!stored) m_stored.erase(key);
  }
  m_untidy = m_keeper.isUntidy();
  const auto& catalog = m_keeper.catalog();
  m_stats.blocks = static_cast<int>(catalog.size());
  m_stats.personaBytes = catalog.bytes(PrefixOwner::Kind::kPersona);
  m_stats.chatBytes = catalog.bytes(PrefixOwner::Kind::kChat);
}

/// Whether blocks of this owner are stored at the moment.
bool PrefixDatabase::takes(const PrefixOwner& owner) const {
  return owner.id != 0 && !contains(m_forgotten, owner) && !m_stopping && mayWrite();
}

void PrefixDatabase::enqueue(PrefixCommand command) {
  m_queuedBytes += bytesOf(command);
  m_queue.push_back(std::move(command));
  if (const auto* save = std::get_if<SaveBlock>(&m_queue.back())) {
    m_queuedBlocks.emplace(save->block.key, std::prev(m_queue.end()));
  }
  m_changed.notify_all();
}

/// Called before a command is removed from the queue.
void PrefixDatabase::unqueue(const PrefixCommand& command) {
  m_queuedBytes -= bytesOf(command);
  if (const auto* save = std::get_if<SaveBlock>(&command)) m_queuedBlocks.erase(save->block.key);
}

/// Drops the queued commands for which `isDropped` returns true.
template <typename IsDropped>
void PrefixDatabase::dropIf(const IsDropped& isDropped) {
  m_queue.remove_if([&](PrefixCommand& command) {
    const bool drop = isDropped(command);
    if (drop) unqueue(command);
    return drop;
  });
}

void PrefixDatabase::dropQueued(const PrefixOwner& owner) {
  dropIf([&](PrefixCommand& command) {
    auto* save = std::get_if<SaveBlock>(&command);
    const auto* touch = std::get_if<TouchBlocks>(&command);
    if (save) std::erase(save->owners, owner);
    return (save && save->owners.empty()) || (touch && touch->owner == owner);
  });
}

void PrefixDatabase::dropQueuedBlocks() {
  dropIf(isOptional);
}

}  // namespace quire
