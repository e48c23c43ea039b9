#include "app/store/sqlite/statement_limits.h"

#include <sqlite3.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

namespace quire {
namespace {

constexpr int kStepsOfCall = 100;  ///< Of SQLite's virtual machine, between two calls.
constexpr int kCallsOfQuestion = 10;

// Removing a chat, which takes most, takes one step for each byte of its messages and their entries
// in indices. The limit is 60 times that, and ends a statement over a file of 200 KB within half a
// second.
constexpr int64_t kFreeSteps = 10'000'000;
constexpr int64_t kStepsOfByte = 64;
// SQLite keeps the rows that it sorts in memory (temp_store), where they take as much as in the
// file and are copied once. Other connections of the process allocate too: they have the free part,
// twice the longest row.
constexpr int64_t kFreeMemory = 256 << 20;
constexpr int64_t kMemoryOfByte = 4;
// A statement returns a row of a table once, but repeats the columns of a message for each of its
// parts.
constexpr int64_t kReturnedOfByte = 4;
// Nothing that is read is longer than the file. What is beyond serves texts that compress well.
constexpr int64_t kFreeLength = 32 << 20;

/// Of pages in memory, which may not be in the log yet.
int64_t cachedBytes(sqlite3* handle) {
  int bytes = 0;
  int highest = 0;
  sqlite3_db_status(handle, SQLITE_DBSTATUS_CACHE_USED, &bytes, &highest, 0);
  return bytes;
}

int64_t numberOf(sqlite3* handle, const char* pragma) {
  sqlite3_stmt* made = nullptr;
  sqlite3_prepare_v2(handle, pragma, -1, &made, nullptr);
  const std::unique_ptr<sqlite3_stmt, decltype(&sqlite3_finalize)> statement(made,
                                                                             &sqlite3_finalize);
  return sqlite3_step(made) == SQLITE_ROW ? sqlite3_column_int64(made, 0) : 0;
}

}  // namespace

StatementLimits::StatementLimits(sqlite3* handle) : m_handle(handle) {
  sqlite3_progress_handler(handle, kStepsOfCall, &StatementLimits::ask, this);
}

void StatementLimits::begin(bool onlyReads) {
  m_onlyReads = onlyReads;
  m_exceeded = 0;
  m_calls = 0;
  m_memoryBefore = onlyReads ? sqlite3_memory_used() : 0;
  m_content.reset();
}

// The number of pages counts those that were not committed yet, but is whatever the file says.
int64_t StatementLimits::mostReturned() const {
  const int64_t pages = numberOf(m_handle, "PRAGMA page_count");
  const int64_t bytes = pages * numberOf(m_handle, "PRAGMA page_size");
  if (bytes == 0) return std::numeric_limits<int64_t>::max();  // It could not be asked.
  const int64_t held = contentBytesOf(m_handle).most() + cachedBytes(m_handle);
  return kAlwaysReturned + kReturnedOfByte * std::min(bytes, held);
}

int StatementLimits::longestRead() const {
  const int64_t bytes = contentBytesOf(m_handle).most() + kFreeLength;
  return static_cast<int>(std::min<int64_t>(bytes, std::numeric_limits<int>::max()));
}

std::function<bool()> StatementLimits::setInterrupt(std::function<bool()> wanted) {
  return std::exchange(m_interrupt, std::move(wanted));
}

int StatementLimits::ask(void* self) {
  auto* const limits = static_cast<StatementLimits*>(self);
  ++limits->m_calls;
  if (++limits->m_callsUnasked >= kCallsOfQuestion) {
    limits->m_callsUnasked = 0;
    if (limits->m_interrupt && limits->m_interrupt()) return 1;
  }
  limits->m_exceeded = limits->whatIsTooMuch();
  return limits->m_exceeded;
}

int StatementLimits::whatIsTooMuch() {
  const int64_t steps = m_calls * kStepsOfCall - kFreeSteps;
  const int64_t memory =
      m_onlyReads ? sqlite3_memory_used() - m_memoryBefore - kFreeMemory : int64_t{0};
  if (steps <= 0 && memory <= 0) return 0;
  // No statement may be run here, so that pages that are not in the log yet do not count.
  if (!m_content) m_content = contentBytesOf(m_handle);
  if (steps > kStepsOfByte * m_content->allocated) return SQLITE_CORRUPT;
  return memory > kMemoryOfByte * m_content->most() ? SQLITE_NOMEM : 0;
}

}  // namespace quire
