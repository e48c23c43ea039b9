#pragma once

#include "app/remote/remote_call.h"

namespace quire {

/// How patient requests to endpoints are. Smaller in tests.
struct RemoteOptions {
  RemoteTimeouts timeouts = {};
  RemoteTimeouts testTimeouts = {.firstByteMs = 30'000, .silenceMs = 30'000};
  /// A request without an answer is sent so often: after 429, 502, 503, 504, or if the connection
  /// cannot be made or breaks before the first text.
  int attempts = 4;
  int firstWaitMs = 500;       ///< Before the second attempt; doubles with each, less up to a half.
  int longestWaitMs = 60'000;  ///< A Retry-After beyond it is reported instead.
  int lingerMs = 5'000;        ///< For counts after the end of an answer.
};

}  // namespace quire
