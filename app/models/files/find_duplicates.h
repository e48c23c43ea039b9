#pragma once

#include "app/models/files/verify_model.h"

namespace quire {

/// Models whose weights are equal, byte for byte.
struct DuplicateGroup {
  QList<qsizetype> models;  ///< Indices of the models that were searched; at least two.
  qint64 bytes = 0;         ///< Of one of them.
};

struct DuplicateSearchResult {
  QList<DuplicateGroup> groups;  ///< The largest first.
  int numUnreadable = 0;         ///< Models that could not be compared.
  bool isCancelled = false;
};

/// Finds models that lie on the disk more than once. Sizes are compared first, so that only files
/// of equal size are read. Hard links to the same file are no duplicates.
DuplicateSearchResult findDuplicates(const QList<StoredModel>& models, HashCache& cache,
                                     const std::stop_token& stop, const FileProgress& progress);

}  // namespace quire
