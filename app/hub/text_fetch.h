#pragma once

#include <functional>

#include "app/hub/http_fetch.h"
#include "app/hub/retry_clock.h"

namespace quire {

struct FetchedText {
  ResponseHead head;
  QByteArray body;
};
using TextReply = std::function<void(const FetchedText& text, const HubFailure* failure)>;

/// Collects a response of at most `mostBytes`. `reply` gets the body and its head, or why there is
/// none; it is called once, unless `parent` is destroyed before.
void fetchText(const FetchRequest& request, const RemoteTimeouts& timeouts, qsizetype mostBytes,
               QObject* parent, TextReply reply);

/// How long a request is repeated.
struct TextRetries {
  RetryLimits limits;
  /// Called before each pause: why, and how long. May be empty.
  std::function<void(const HubFailure& failure, qint64 pauseMs)> waiting = {};
};

/// The same, repeated as long as the failures are temporary.
void fetchTextWithRetries(const FetchRequest& request, const RemoteTimeouts& timeouts,
                          const TextRetries& retries, qsizetype mostBytes, QObject* parent,
                          TextReply reply);

}  // namespace quire
