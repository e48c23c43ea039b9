#pragma once

#include <functional>
#include <istream>
#include <string>
#include <vector>

#include "app/store/json_values.h"
#include "kernels/base/result.h"

namespace quire {

/// Reads a large JSON object record by record. A record is an element of an array in the outermost
/// object, or another value there; only one record is in memory at a time.
struct JsonRecordReader {
  /// Files that are nested more deeply, or have a record that takes more memory, are refused. The
  /// largest records are chats, with all token ids and texts: this is enough for three million ids
  /// with their text and 16 MB of attachments, or a million fields.
  static constexpr int kMaxDepth = 32;
  static constexpr int64_t kMaxRecordBytes = 128 << 20;
  /// Files with more records, of all sections, are refused: each record costs a transaction.
  static constexpr int kMaxRecords = 200'000;

  /// Whether records of this section are wanted; other sections are skipped.
  std::function<bool(const std::string& section)> wants;
  /// Receives a record; an error ends the reading.
  std::function<Result<void>(const std::string& section, Json record)> take;
  /// Called between values, so that the input can limit the length of a value.
  std::function<void()> onValue;

  /// Errors: those of `take`, and kCorruptFile whose message is a clause such as "it ends too
  /// early".
  Result<void> read(std::istream& input) const;
};

}  // namespace quire
