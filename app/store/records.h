#pragma once

#include <QByteArray>
#include <QList>
#include <QString>

#include <optional>

#include "engine/sampling/sampling_params.h"

namespace quire {

/// Ids are made by the caller (IdSource), so that a row can be shown before it is on disk.
using RecordId = qint64;

/// A named system prompt with settings, shared by chats.
struct PersonaRecord {
  RecordId id = 0;
  QString name;
  QString systemPrompt;
  int color = 0;                      ///< 0 to 3, an index of Theme.chatColors.
  std::optional<double> temperature;  ///< Unset: the model's default.
  QString presetId;                   ///< Non-empty: made from this preset of the resources.
  qint64 createdMs = 0;
};

struct ChatRecord {
  RecordId id = 0;
  QString title;
  bool titleIsAutomatic = true;  ///< Until the user renames it.
  RecordId personaId = 0;        ///< 0: none.
  RecordId headMessageId = 0;    ///< The leaf of the branch that is shown; 0: no messages.
  int color = 0;
  QString draft;  ///< What stands unsent in the composer.
  qint64 createdMs = 0;
  qint64 activeMs = 0;  ///< Last activity.
};

enum class MessageRole { User = 0, Assistant = 1 };

enum class MessageStatus {
  Complete = 0,
  Streaming = 1,    ///< Being written; found at start-up it becomes Interrupted.
  Interrupted = 2,  ///< Cut off by a crash or a kill.
  Stopped = 3,      ///< Stopped by the user.
  Failed = 4,       ///< `error` says why.
};

/// A message of a tree: edits and regenerations of one message are siblings (same parentId).
struct MessageRecord {
  RecordId id = 0;
  RecordId chatId = 0;
  RecordId parentId = 0;  ///< 0: the first message of its branch.
  MessageRole role = MessageRole::User;
  MessageStatus status = MessageStatus::Complete;
  QString text;
  QList<qint32> tokens;  ///< Sampled ids of an answer.
  QString error;
  QString modelName;
  QString modelFingerprint;
  quint64 seed = 0;
  double temperature = 0.0;
  int promptTokens = 0;
  int cachedTokens = 0;
  int outputTokens = 0;
  double firstTokenMs = 0.0;
  double totalMs = 0.0;
  qint64 createdMs = 0;
};

/// What ended an answer, which is what must end it again.
enum class AnswerEnd {
  End = 0,      ///< The model's end token.
  Stop = 1,     ///< A stop string.
  Length = 2,   ///< SamplingParams::max_tokens.
  Context = 3,  ///< The context, or the memory for it, was full.
  CutOff = 4,   ///< Something outside: the user, an error.
};

/// What an answer was made from beside its model (MessageRecord::modelFingerprint), so that it can
/// be made again: quire-cli replay. Kept apart from the message, because only that asks for it.
struct OriginRecord {
  QString templateHash;        ///< SHA-256 of the chat template's source, hexadecimal.
  SamplingParams sampling;     ///< As they were used.
  QList<qint32> promptTokens;  ///< The whole prompt as it was computed.
  AnswerEnd end = AnswerEnd::CutOff;
  QString deviceName;  ///< "CPU · AVX-512 · 2 threads": for whoever looks for a difference.
};

}  // namespace quire
