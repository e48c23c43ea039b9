#pragma once

#include <QByteArray>
#include <QList>
#include <QString>

#include <optional>

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

}  // namespace quire
