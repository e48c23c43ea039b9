#include "app/store/prefix/prefix_table.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>
#include <utility>

#include "app/store/prefix/prefix_file.h"

namespace quire {
namespace {

using Bytes = std::span<const std::byte>;

constexpr int64_t kMaxBlockBytes = 1 << 28;
constexpr int64_t kMaxUsed = int64_t{1} << 62;
constexpr int kPagesAtOnce = 512;

Bytes bytesOf(const BlockKey& key) {
  return std::as_bytes(std::span(key.digest));
}

template <typename Array>
bool copyTo(Array& to, Bytes from) {
  if (from.size() != sizeof to) return false;
  std::memcpy(to.data(), from.data(), sizeof to);
  return true;
}

/// A row of the table of blocks.
struct BlockRow {
  BlockKey key;
  PrefixCatalog::Entry entry;
};

bool readRow(const Statement& select, BlockRow& row) {
  row.entry.row = select.number(0);
  const int64_t bytes = select.number(3);
  row.entry.bytes = static_cast<uint64_t>(bytes);
  row.entry.used = select.number(4);
  return copyTo(row.key.digest, select.blob(1)) &&
         copyTo(row.entry.parent.digest, select.blob(2)) && bytes > 0 && bytes <= kMaxBlockBytes &&
         row.entry.used >= 0 && row.entry.used <= kMaxUsed;
}

}  // namespace

PrefixTable::PrefixTable(std::unique_ptr<Database> file, const PrefixKey& key)
    : m_file(std::move(file)),
      m_key(key),
      m_insertBlock(*m_file,
                    "INSERT OR IGNORE INTO block (key, parent, tokens, tag, bytes, used) "
                    "VALUES (?, ?, ?, ?, ?, ?)"),
      m_insertPayload(*m_file, "INSERT INTO payload (block, data) VALUES (?, ?)"),
      m_select(*m_file,
               "SELECT key, parent, tokens, tag, data FROM block JOIN payload ON block = id "
               "WHERE id = ?"),
      m_delete(*m_file, "DELETE FROM block WHERE id = ?"),
      m_update(*m_file, "UPDATE block SET used = ? WHERE id = ?"),
      m_insertOwner(*m_file, "INSERT OR IGNORE INTO owner (kind, id, block) VALUES (?, ?, ?)"),
      m_deleteOwner(*m_file, "DELETE FROM owner WHERE kind = ? AND id = ?") {}

Result<std::unique_ptr<PrefixTable>> PrefixTable::open(const std::filesystem::path& path,
                                                       int maxPages) {
  auto file = openPrefixFile(path, maxPages);
  if (!file) return file.error();
  const auto key = PrefixKey::ofFile(path);
  if (!key) return key.error();
  std::unique_ptr<PrefixTable> table(new PrefixTable(std::move(file).value(), *key));
  if (!key->isNew()) return table;
  // Blocks of a lost key could only be read one by one and dropped.
  const auto blocks = table->m_file->number("SELECT EXISTS (SELECT 1 FROM block)");
  if (!blocks) return blocks.error();
  if (*blocks == 0) return table;
  return Error{ErrorCode::kCorruptFile, "\"" + path.string() + "\": its key is missing"};
}

Result<PrefixTable::Contents> PrefixTable::readAll() {
  Contents contents;
  std::unordered_map<int64_t, BlockRow> rows;
  Statement blocks(*m_file, "SELECT id, key, parent, bytes, used FROM block");
  auto done = blocks.forEach([&](const Statement& read) {
    BlockRow row;
    const bool sensible = readRow(read, row);
    if (!sensible) contents.useless.push_back(row.entry.row);
    if (sensible) rows.emplace(row.entry.row, std::move(row));
  });
  if (!done) return done.error();
  Statement owners(*m_file, "SELECT block, kind, id FROM owner WHERE kind IN (0, 1)");
  done = owners.forEach([&](const Statement& owner) {
    const auto found = rows.find(owner.number(0));
    if (found == rows.end()) return;
    const auto kind = static_cast<PrefixOwner::Kind>(owner.number(1));
    found->second.entry.owners.push_back({kind, owner.number(2)});
  });
  if (!done) return done.error();
  for (auto& [id, row] : rows) {
    const bool useful = !row.entry.owners.empty() && !contents.catalog.find(row.key);
    if (!useful) contents.useless.push_back(id);
    if (useful) contents.catalog.insert(row.key, std::move(row.entry));
  }
  return contents;
}

Result<int64_t> PrefixTable::insert(const StoredBlock& block, int64_t used) {
  const Bytes tokens = std::as_bytes(std::span(block.tokens));
  const auto tag = m_key.tagOf(block.key, block.parent, tokens, block.payload);
  const auto inserted = m_insertBlock.bind(bytesOf(block.key))
                            .bind(bytesOf(block.parent))
                            .bind(tokens)
                            .bind(Bytes(std::as_bytes(std::span(tag))))
                            .bind(static_cast<int64_t>(block.payload.size()))
                            .bind(used)
                            .run();
  if (!inserted) return inserted.error();
  if (m_file->changedRows() == 0) return int64_t{0};
  const int64_t row = m_file->lastRow();
  const auto payload = m_insertPayload.bind(row).bind(Bytes(block.payload)).run();
  if (!payload) return payload.error();
  return row;
}

Result<std::optional<StoredBlock>> PrefixTable::read(int64_t row, const BlockKey& key) {
  // Reset also on bad_alloc: a statement that is not reset keeps the log from being emptied.
  const std::unique_ptr<Statement, void (*)(Statement*)> atEnd(
      &m_select, [](Statement* select) { select->reset(); });
  const auto found = m_select.bind(row).step();
  if (!found) return found.error();
  if (!*found) return std::optional<StoredBlock>();
  StoredBlock block;
  const Bytes payload = m_select.blob(4);
  const bool sized = copyTo(block.key.digest, m_select.blob(0)) &&
                     copyTo(block.parent.digest, m_select.blob(1)) &&
                     copyTo(block.tokens, m_select.blob(2));
  const auto tag = m_key.tagOf(block.key, block.parent, m_select.blob(2), payload);
  const bool isOurs = std::ranges::equal(std::as_bytes(std::span(tag)), m_select.blob(3));
  if (!sized || block.key != key || !isOurs) return std::optional<StoredBlock>();
  block.payload.assign(payload.begin(), payload.end());
  return std::optional<StoredBlock>(std::move(block));
}

Result<void> PrefixTable::remove(int64_t row) {
  return m_delete.bind(row).run();
}

Result<void> PrefixTable::markUsed(int64_t row, int64_t used) {
  return m_update.bind(used).bind(row).run();
}

Result<void> PrefixTable::addOwner(int64_t row, const PrefixOwner& owner) {
  return m_insertOwner.bind(static_cast<int64_t>(owner.kind)).bind(owner.id).bind(row).run();
}

Result<void> PrefixTable::removeOwner(const PrefixOwner& owner) {
  return m_deleteOwner.bind(static_cast<int64_t>(owner.kind)).bind(owner.id).run();
}

Result<void> PrefixTable::checkStructure() {
  const auto verdict = m_file->text("PRAGMA integrity_check(1)");
  if (!verdict) return verdict.error();
  if (*verdict == "ok") return {};
  return Error{ErrorCode::kCorruptFile, *verdict};
}

Result<bool> PrefixTable::freePages() {
  const auto free = m_file->number("PRAGMA freelist_count");
  if (!free) return free.error();
  const auto total = m_file->number("PRAGMA page_count");
  if (!total) return total.error();
  // Up to a quarter stays free for later blocks, because moving pages is expensive.
  if (*free <= kPagesAtOnce || *free * 4 < *total) return false;
  const std::string vacuum = "PRAGMA incremental_vacuum(" + std::to_string(kPagesAtOnce) + ")";
  if (auto done = m_file->exec(vacuum); !done) return done.error();
  // In a file without auto_vacuum this does nothing; its free pages are reused.
  const auto left = m_file->number("PRAGMA freelist_count");
  if (!left) return left.error();
  return *left < *free;
}

}  // namespace quire
