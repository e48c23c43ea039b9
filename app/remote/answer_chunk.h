#pragma once

#include <QByteArray>
#include <QList>
#include <QString>

#include <optional>

#include "engine/request.h"

namespace quire {

/// What an endpoint counts, and may charge for.
struct RemoteUsage {
  int promptTokens = 0;
  int cachedTokens = 0;  ///< Of the prompt.
  int outputTokens = 0;  ///< With those of the reasoning.
};

/// One chunk of an answer that streams, or a whole answer.
struct AnswerChunk {
  QString reasoning;
  QString text;
  QString finish;  ///< finish_reason; empty: the answer goes on.
  std::optional<RemoteUsage> usage;
  std::optional<QString> error;  ///< The endpoint's own words, which may be empty.
};

/// Reads a chat.completion.chunk or a chat.completion. Nothing: it is not JSON, or no object.
std::optional<AnswerChunk> readAnswerChunk(const QByteArray& json);

/// The sentence in the body of a refusal, whatever its shape, in visible characters and not long;
/// empty: there is none.
QString refusalText(const QByteArray& body);

/// The models that an endpoint lists.
struct RemoteModelList {
  QStringList names;
  QString owner;  ///< Of the first one, which tells what program serves it.
};
/// Nothing: it is not a list of models.
std::optional<RemoteModelList> readModelList(const QByteArray& json);

}  // namespace quire
