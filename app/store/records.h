#pragma once

#include <QByteArray>
#include <QHash>
#include <QList>
#include <QString>

#include <optional>

#include "app/store/generation_settings.h"
#include "engine/sampling/sampling_params.h"

namespace quire {

/// The colours that mark chats and personas, ChatRecord::color and PersonaRecord::color: 0 to 3.
inline constexpr int kNumChatColors = 4;

/// Ids are made by the caller (IdSource), so that a row can be shown before it is on disk.
using RecordId = qint64;

/// A named system prompt with settings, shared by chats.
struct PersonaRecord {
  RecordId id = 0;
  QString name;
  QString systemPrompt;
  QString description;
  QString icon;   ///< The name of an icon of the resources; empty: the usual one.
  int color = 0;  ///< 0 to 3, an index of Theme.chatColors.
  GenerationSettings settings;
  bool pinned = false;  ///< Its prompt is to be kept warm.
  int position = 0;     ///< In the library, rising; equal ones by age.
  QString presetId;     ///< Non-empty: made from this preset of the resources.
  qint64 createdMs = 0;
};

/// Chats that the user put together.
struct FolderRecord {
  RecordId id = 0;
  QString name;
  int position = 0;    ///< In the list, rising; equal ones by age.
  bool isOpen = true;  ///< Its chats are shown.
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
  bool pinned = false;
  bool archived = false;
  RecordId folderId = 0;  ///< 0: none.
  bool unread = false;    ///< An answer was finished while nobody looked.
  /// The message of another chat at which this one began; 0: none. It may be gone since.
  RecordId forkedFrom = 0;
  QString modelPath;  ///< Empty: the model that is used unless told.
  GenerationSettings settings;
};

/// Who a message is from. The set is open: a role that is not named here is kept as it is.
struct MessageRole {
  QString name;

  static const MessageRole User;
  static const MessageRole Assistant;
  static const MessageRole Tool;

  bool operator==(const MessageRole&) const = default;
};
inline const MessageRole MessageRole::User{QStringLiteral("user")};
inline const MessageRole MessageRole::Assistant{QStringLiteral("assistant")};
inline const MessageRole MessageRole::Tool{QStringLiteral("tool")};

/// The kinds of message parts. The set is open: a kind that is not named here is kept as it is.
namespace part_kind {
inline constexpr QLatin1String kText("text");
/// Reasoning that the model's backend delivers apart from the text. Reasoning that a model writes
/// between marks within its text stays there, because the text must match the token ids.
inline constexpr QLatin1String kReasoning("reasoning");
inline constexpr QLatin1String kAttachment("attachment");
inline constexpr QLatin1String kImage("image");
inline constexpr QLatin1String kToolCall("tool_call");
inline constexpr QLatin1String kToolResult("tool_result");
}  // namespace part_kind

/// A piece of a message.
struct MessagePart {
  QString kind;
  QString payload;        ///< What can be read: text, a file's text, a tool call's JSON.
  QByteArray properties;  ///< One JSON object, or empty: a file's name, type and size.
  QByteArray blob;        ///< What cannot be read as text: an image's bytes.

  bool operator==(const MessagePart&) const = default;
};

/// A file that came with a user's message. Only its text is kept, which is what the model reads.
struct AttachmentRecord {
  QString name;  ///< The file's, without its folder.
  QString mediaType;
  qint64 bytes = 0;  ///< The file's size.
  QString text;
  int tokens = 0;  ///< Of the text, for the model of that moment; 0: not counted.

  bool operator==(const AttachmentRecord&) const = default;
};

MessagePart partOf(const AttachmentRecord& file);
AttachmentRecord attachmentOf(const MessagePart& part);

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
  QList<MessagePart> parts;  ///< In the order in which the model reads or writes them.
  QList<qint32> tokens;      ///< Sampled ids of an answer.
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
  double thinkingMs = 0.0;  ///< How long its reasoning took.
  int diskTokens = 0;       ///< Of cachedTokens: read from the prefix database.
  int reusedTokens = 0;     ///< Of a fork's first answer: computed in the chat it came from,
  int forkedTokens = 0;     ///< of so many that the two chats have in common.

  QString text() const { return textOf(part_kind::kText); }
  QString reasoning() const { return textOf(part_kind::kReasoning); }
  /// All parts of this kind, one after another.
  QString textOf(QLatin1String kind) const;
  /// In the place of all text parts; a message without one gets it at its end.
  void setText(const QString& text);
  void appendText(const QString& text);  ///< To the last text part.
  QList<AttachmentRecord> attachments() const;
  /// In the place of those before. They stand before the text, as the model reads them.
  void setAttachments(const QList<AttachmentRecord>& files);
};

/// One of several answers to a message that stand side by side until the user says which to keep.
struct ComparedAnswer {
  RecordId messageId = 0;
  QString label;  ///< What it is called among the others: "Temperature 0.4".

  bool operator==(const ComparedAnswer&) const = default;
};

/// Whether both bring the same to a message, whichever it is.
inline bool isSameFile(const AttachmentRecord& a, const AttachmentRecord& b) {
  return a.name == b.name && a.text == b.text;
}

/// How a model is loaded and used. What is unset is for Quire to choose.
struct ModelSettings {
  QString path;  ///< The model's file or folder: the key.
  std::optional<int> contextLength;
  QString device;  ///< "cpu", "cuda:0"; empty: chosen.
  std::optional<int> threads;
  std::optional<int> kvMiB;               ///< Memory for keys and values.
  QString kvType;                         ///< LoadRequest::cacheType; empty: chosen.
  std::optional<int> batchTokens;         ///< Of a step.
  std::optional<bool> keepLoaded;         ///< Never unloaded for being idle.
  std::optional<int> unloadAfterMinutes;  ///< Idle time before it is unloaded.
  GenerationSettings generation;
  QByteArray unknown;  ///< As GenerationSettings::unknown.
  qint64 lastUsedMs = 0;

  bool operator==(const ModelSettings&) const = default;
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
  QString deviceName;  ///< "CPU · AVX-512 · 2 threads": for the one that looks for a difference.
};

/// A whole chat to be stored at once: a fork, or one that was imported.
struct NewChat {
  ChatRecord chat;
  QList<MessageRecord> messages;  ///< A parent stands before its children.
  /// Answers that are copies of stored ones, by their new id: they get the same origin. A copy
  /// must have a higher id than what it is a copy of, and copies the order of their models.
  QHash<RecordId, RecordId> copiedFrom;
  QHash<RecordId, OriginRecord> origins;  ///< Of answers that are no copies.
};

}  // namespace quire
