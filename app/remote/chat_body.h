#pragma once

#include <QByteArray>
#include <QString>

#include "app/engine/chat_backend.h"
#include "app/remote/remote_endpoint.h"

namespace quire {

/// Which optional fields an endpoint understands, learned from its refusals.
struct ChatDialect {
  bool asksUsage = true;              ///< stream_options.
  bool sendsSeed = true;              ///< Without it the endpoint chooses one.
  bool usesCompletionTokens = false;  ///< max_completion_tokens, in place of max_tokens.

  bool operator==(const ChatDialect&) const = default;
  /// Changes what the refusal is about. False: nothing can be changed.
  bool learnFrom(const QByteArray& refusal);
};

/// The body of a request to /chat/completions.
struct ChatBody {
  QByteArray json;
  QString problem;  ///< Why the endpoint cannot answer this, in a sentence; else empty.
};

/// Whether such a server goes on with an answer that was cut off.
bool canContinueOn(ServerKind server);

/// Fields with the API's own defaults are left out unless the server is known, because some
/// endpoints accept nothing else.
ChatBody chatBody(const ChatRequest& request, const RemoteEndpoint& endpoint, const QString& model,
                  const ChatDialect& dialect);

/// The answer in `text` without the reasoning at its start; nothing: the reasoning has no end.
std::optional<QString> withoutReasoning(const QString& text);

}  // namespace quire
