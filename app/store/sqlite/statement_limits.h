#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "app/store/sqlite/content_bytes.h"

struct sqlite3;

namespace quire {

/// Ends statements over a file whose pages form no trees. Pages that have one child many times over
/// give a statement endless rows, and overflow pages that lead back to themselves give it values
/// that no page holds; SQLite notices neither unless it reads the whole file. What is allowed
/// depends on what the file takes on the disk, and is many times what a statement over a sound file
/// takes. Thread: one at a time, as the connection.
class StatementLimits {
 public:
  /// Becomes the connection's progress handler, and must exist as long as the connection.
  explicit StatementLimits(sqlite3* handle);
  StatementLimits(const StatementLimits&) = delete;
  StatementLimits& operator=(const StatementLimits&) = delete;

  /// Begins to count again; to be called before each call that runs SQL. A statement that writes
  /// may allocate what it likes, because its values may be larger than the file.
  void begin(bool onlyReads);
  /// Why SQLite was interrupted since: SQLITE_CORRUPT (too many steps), SQLITE_NOMEM (too much
  /// memory, which the other connections of the process may have taken), or 0: it was not.
  int exceeded() const { return m_exceeded; }
  /// How many bytes a statement over a file of any size may return: those of its texts and blobs,
  /// and bytesOfRow() for each row.
  static constexpr int64_t kAlwaysReturned = 1 << 20;
  static int64_t bytesOfRow(int numColumns) { return 16 + 2 * numColumns; }
  /// How many a statement over this file may return now. Runs SQL.
  int64_t mostReturned() const;
  /// How long a value may be that a statement only reads, in bytes.
  int longestRead() const;

  /// Asked every 1,000 steps; true interrupts. Returns what was asked before.
  std::function<bool()> setInterrupt(std::function<bool()> wanted);

 private:
  static int ask(void* self);
  int whatIsTooMuch();

  sqlite3* const m_handle;
  std::function<bool()> m_interrupt;
  bool m_onlyReads = false;
  int m_exceeded = 0;
  int m_callsUnasked = 0;                 ///< Of the progress handler since m_interrupt was asked.
  int64_t m_calls = 0;                    ///< Of the progress handler since begin().
  int64_t m_memoryBefore = 0;             ///< That SQLite used at begin(), in bytes.
  std::optional<ContentBytes> m_content;  ///< None: not asked since begin().
};

}  // namespace quire
