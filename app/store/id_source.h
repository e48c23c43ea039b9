#pragma once

#include <atomic>

#include "app/store/records.h"

namespace quire {

/// Makes ascending ids for new records, so that a row can be shown before it is on disk and ids
/// sort by age. Thread: any. Invariants: every id is higher than 0 and than the id it was started
/// with.
class IdSource {
 public:
  /// `highest`: ConversationStore::highestId().
  explicit IdSource(RecordId highest) : m_last(highest < 0 ? 0 : highest) {}
  RecordId next() { return ++m_last; }

 private:
  std::atomic<RecordId> m_last;
};

}  // namespace quire
