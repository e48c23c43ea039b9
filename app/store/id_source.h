#pragma once

#include <atomic>

#include "app/store/records.h"

namespace quire {

/// Makes the ids of new records, each higher than every one before, so that a row can be shown
/// before it is on disk and that ids sort by age.
/// Thread: any.
/// Invariants: never returns 0, nor an id at or below the one it was started with.
class IdSource {
 public:
  /// `highest`: ConversationStore::highestId().
  explicit IdSource(RecordId highest) : m_last(highest < 0 ? 0 : highest) {}
  RecordId next() { return ++m_last; }

 private:
  std::atomic<RecordId> m_last;
};

}  // namespace quire
