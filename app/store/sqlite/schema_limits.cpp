#include "app/store/sqlite/schema_limits.h"

#include <sqlite3.h>

#include <cstddef>
#include <iterator>

namespace quire {
namespace {

/// Ten times what the check of a file of any version takes.
constexpr int kMaxThousandSteps = 20;

struct Limit {
  int which;
  int value;
};

constexpr Limit kLimits[] = {
    {SQLITE_LIMIT_LENGTH, 8 << 10},  // Some seven times our longest statement.
    // The deepest of ours is an index's `WHERE status = 1`; a call within a call is deeper.
    {SQLITE_LIMIT_EXPR_DEPTH, 2},
    {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 50},
};

/// Sets the limits of a connection as long as it lives.
class ScopedLimits {
 public:
  explicit ScopedLimits(sqlite3* handle) : m_handle(handle) {
    for (size_t i = 0; i < std::size(kLimits); ++i) {
      m_before[i] = sqlite3_limit(handle, kLimits[i].which, kLimits[i].value);
    }
  }
  ~ScopedLimits() {
    for (size_t i = 0; i < std::size(kLimits); ++i) {
      sqlite3_limit(m_handle, kLimits[i].which, m_before[i]);
    }
  }
  ScopedLimits(const ScopedLimits&) = delete;
  ScopedLimits& operator=(const ScopedLimits&) = delete;

 private:
  sqlite3* const m_handle;
  int m_before[std::size(kLimits)] = {};
};

}  // namespace

Result<void> withinSchemaLimits(const Database& database, const Error& beyond,
                                const std::function<Result<void>()>& check) {
  const ScopedLimits limits(database.handle());
  int thousandsLeft = kMaxThousandSteps;
  const auto watch = database.interruptWhen([&] { return --thousandsLeft < 0; });
  auto checked = check();
  const bool isTooLong = (sqlite3_errcode(database.handle()) & 0xff) == SQLITE_TOOBIG;
  return thousandsLeft < 0 || (!checked && isTooLong) ? Result<void>(beyond) : checked;
}

}  // namespace quire
