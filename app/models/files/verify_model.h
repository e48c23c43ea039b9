#pragma once

#include "app/models/files/file_hash.h"

namespace quire {

/// How far work on files is. Thread: that of the work.
using FileProgress = std::function<void(qint64 done, qint64 total)>;

struct Verification {
  enum class Verdict {
    kVerified,    ///< All files with weights have the expected hash.
    kDiffers,     ///< `file` has another one.
    kUnknown,     ///< No hash is known for `file`, or for any.
    kUnreadable,  ///< `file` cannot be read, or was changed meanwhile.
    kCancelled,
  };
  Verdict verdict = Verdict::kCancelled;
  QString file;    ///< Its name.
  QString origin;  ///< Who says what the hashes are.
};

/// Reads the files of a model and compares their hashes with those that are known. What was read
/// goes to the cache.
Verification verifyModel(const QString& modelPath, const ModelParts& parts, HashCache& cache,
                         const std::stop_token& stop, const FileProgress& progress);

}  // namespace quire
