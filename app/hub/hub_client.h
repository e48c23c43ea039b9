#pragma once

#include <QObject>

#include <functional>

#include "app/hub/hub_model.h"
#include "app/hub/hub_name.h"
#include "app/hub/text_fetch.h"

namespace quire {

/// A hub that models are downloaded from. Nothing is sent before a call.
///
/// Thread: that of its creation, which has an event loop. A reply is called there, once, after the
/// call has returned, and not at all after the client was destroyed. Errors: one sentence.
class HubClient : public QObject {
 public:
  using ModelReply = std::function<void(const Result<HubModel>& model)>;
  using SearchReply = std::function<void(const Result<QList<HubEntry>>& entries)>;

  using QObject::QObject;

  /// The models that match the text, the most downloaded first.
  virtual void search(const QString& text, const SearchReply& reply) = 0;
  /// The model with its files.
  virtual void model(const HubName& name, const ModelReply& reply) = 0;
};

/// Someone waits for an answer: passing failures are retried for a quarter of a minute.
inline constexpr RetryLimits kShortRetries = {
    .firstMs = 1'000, .mostMs = 8'000, .mostAskedMs = 30'000, .giveUpMs = 15'000};

/// Where a hub is, and how it is asked.
struct HubOptions {
  QUrl endpoint;          ///< Of the hub or a mirror, without a slash at its end.
  QByteArray token = {};  ///< Sent to that origin alone; empty: none.
  RemoteTimeouts timeouts = {.connectMs = 30'000, .firstByteMs = 60'000, .silenceMs = 60'000};
  TextRetries retries = {.limits = kShortRetries};
};

/// The hubs' own addresses.
inline const QUrl kHuggingFaceUrl = QUrl(QStringLiteral("https://huggingface.co"));
inline const QUrl kOllamaUrl = QUrl(QStringLiteral("https://registry.ollama.ai"));

/// The address of a mirror that the user typed: http or https, without a query. Errors:
/// kInvalidArgument.
Result<QUrl> readEndpoint(const QString& typed);

}  // namespace quire
