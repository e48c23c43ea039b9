#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "kernels/base/result.h"

namespace quire {

/// Has one request answered: calls `answer` once, from any thread, at once or later, with the
/// status and the JSON of the response.
using BatchAnswer = std::function<void(int status, std::string body)>;
using BatchAsk = std::function<void(const std::string& url, std::string body, BatchAnswer answer)>;

struct BatchOptions {
  std::string input;
  std::string output;
  int parallel = 128;           ///< Lines that are asked for at once.
  bool retries_failed = false;  ///< Lines that failed in an earlier run are asked again.
};

struct BatchProgress {
  int64_t lines = 0;    ///< Of the input, blank ones left out.
  int64_t skipped = 0;  ///< Their answers were there.
  int64_t answered = 0;
  int64_t failed = 0;         ///< Of this run; their answers are errors.
  int64_t failed_before = 0;  ///< Of the skipped: their answers are errors.

  int64_t done() const { return skipped + answered + failed; }
  int64_t all_failed() const { return failed + failed_before; }
};

/// Answers the lines of a batch file, several at once; answers are written as they come, each on
/// the disk before the next is waited for. Lines whose answers are in the output are skipped, those
/// that failed too unless they are to be asked again; a bad line fails alone. `progress` is called
/// after each write. Errors: of the files; those of writing, after which the rest is left for
/// another run. Thread: the caller's, which it blocks.
Result<BatchProgress> run_batch(const BatchOptions& options, const BatchAsk& ask,
                                const std::function<void(const BatchProgress&)>& progress = {});

}  // namespace quire
