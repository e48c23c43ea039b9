#pragma once

#include <functional>
#include <istream>
#include <string>
#include <vector>

#include "app/store/json_values.h"
#include "app/store/transfer/chat_bundle.h"
#include "kernels/base/result.h"

namespace quire {

/// Reads a large JSON object record by record. A record is an element of an array in the outermost
/// object, or another value there; only one record is in memory at a time.
struct JsonRecordReader {
  static constexpr int kMaxDepth = 32;  ///< Files that are nested more deeply are refused.
  /// Files with more records, of all sections, are refused: each record costs a transaction.
  static constexpr int kMaxRecords = 200'000;

  /// Files with a record, of any section, whose values and keys take more memory are refused. The
  /// largest records are chats, with all token ids: this is enough for four million ids or a
  /// million fields.
  int64_t maxRecordBytes = 128 << 20;
  /// The same for the texts of a record, in the file's bytes; while they are read they take up to
  /// four times as much memory. Quire's own chats have files of 8 MiB each.
  int64_t maxTextBytes = 1 << 30;
  /// Files with a longer text, in UTF-16 units, are refused; `data` is no text.
  int64_t maxTextLength = kMaxImportedText;

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
