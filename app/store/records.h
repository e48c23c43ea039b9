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
  QString icon;   ///< The name of an icon of the resources; empty: the default icon.
  int color = 0;  ///< 0 to 3, an index of Theme.chatColors.
  GenerationSettings settings;
  bool pinned = false;  ///< Its prompt stays in the cache.
  int position = 0;     ///< In the library, ascending; equal positions by age.
  QString presetId;     ///< The preset of the resources that it was made from; empty: none.
  QString adapterPath;  ///< The LoRA adapter that its chats use: a file or folder; empty: none.
  qint64 createdMs = 0;
};

/// A folder of chats.
struct FolderRecord {
  RecordId id = 0;
  QString name;
  int position = 0;    ///< In the list, ascending; equal positions by age.
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
  QString draft;  ///< The text in the composer that was not sent.
  qint64 createdMs = 0;
  qint64 activeMs = 0;  ///< Last activity.
  bool pinned = false;
  bool archived = false;
  RecordId folderId = 0;  ///< 0: none.
  bool unread = false;    ///< An answer was finished while the chat was not shown.
  /// The message of another chat at which this one began; 0: none. It may have been removed.
  RecordId forkedFrom = 0;
  QString modelPath;  ///< Empty: the primary model.
  GenerationSettings settings;
};

/// Who a message is from. The set is open: a role that is not named here is stored unchanged.
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

/// The kinds of message parts. The set is open: a kind that is not named here is stored unchanged.
namespace part_kind {
inline constexpr QLatin1String kText("text");
/// Reasoning that the backend delivers separately. Reasoning that a model writes between marks in
/// its text stays there, because the text must match the token ids.
inline constexpr QLatin1String kReasoning("reasoning");
inline constexpr QLatin1String kAttachment("attachment");
inline constexpr QLatin1String kImage("image");
inline constexpr QLatin1String kToolCall("tool_call");
inline constexpr QLatin1String kToolResult("tool_result");
}  // namespace part_kind

/// A piece of a message.
struct MessagePart {
  QString kind;
  QString payload;        ///< Text, such as a file's text or a tool call's JSON.
  QByteArray properties;  ///< One JSON object, such as a file's name, type and size; or empty.
  QByteArray blob;        ///< Other content, such as an image's bytes.

  bool operator==(const MessagePart&) const = default;
};

/// A file of a user's message. Only its text is stored, which is what the model reads.
struct AttachmentRecord {
  QString name;  ///< The file's name without its folder.
  QString mediaType;
  qint64 bytes = 0;  ///< The file's size.
  QString text;
  int tokens = 0;  ///< Of the text, counted for the model at that time; 0: not counted.

  bool operator==(const AttachmentRecord&) const = default;
};

MessagePart partOf(const AttachmentRecord& file);
AttachmentRecord attachmentOf(const MessagePart& part);

enum class MessageStatus {
  Complete = 0,
  Streaming = 1,    ///< Being written; becomes Interrupted at the next start.
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
  int reusedTokens = 0;     ///< Of forkedTokens: cached by the chat that a fork came from.
  int forkedTokens = 0;     ///< Of the first answer of a fork: common to both chats.
  int draftedTokens = 0;    ///< Guesses of next tokens that were computed for the answer.
  int acceptedTokens = 0;   ///< Of them: those that were right. Each saved a step.
  bool imported = false;    ///< From a file that another program may have written, `tokens` too.

  QString text() const { return textOf(part_kind::kText); }
  QString reasoning() const { return textOf(part_kind::kReasoning); }
  /// The concatenated payloads of all parts of this kind.
  QString textOf(QLatin1String kind) const;
  /// The text without half a character at its end, which a checkpoint may have left.
  QString textBeforeCut() const;
  /// Replaces all text parts; a message without one gets it at its end.
  void setText(const QString& text);
  void appendText(const QString& text);  ///< To the last text part.
  QList<AttachmentRecord> attachments() const;
  /// Replaces the attachments. They precede the text, as the model reads them.
  void setAttachments(const QList<AttachmentRecord>& files);
};

/// The text of a message that is being edited and was not saved.
struct MessageEdit {
  RecordId messageId = 0;  ///< 0: no message is being edited.
  QString text;
};

/// One of several answers to a message that are compared until the user chooses one.
struct ComparedAnswer {
  RecordId messageId = 0;
  QString label;  ///< What distinguishes it: "Temperature 0.4".

  bool operator==(const ComparedAnswer&) const = default;
};

inline constexpr int kMaxCompared = 8;  ///< Most answers to one message.

/// Whether both files have the same name and text.
inline bool isSameFile(const AttachmentRecord& a, const AttachmentRecord& b) {
  return a.name == b.name && a.text == b.text;
}

/// How a model is loaded and used. Quire chooses what is unset.
struct ModelSettings {
  QString path;  ///< The model's file or folder: the key.
  std::optional<int> contextLength;
  QString device;  ///< "cpu", "cuda:0"; empty: chosen.
  std::optional<int> threads;
  std::optional<int> kvMiB;               ///< Memory for keys and values.
  QString kvType;                         ///< LoadRequest::cacheType; empty: chosen.
  std::optional<int> batchTokens;         ///< The most tokens of a step.
  std::optional<bool> speculates;         ///< Whether the next tokens are guessed.
  QString draftModel;                     ///< The path of the model that guesses; empty: none.
  std::optional<bool> keepLoaded;         ///< It is not unloaded when it is idle.
  std::optional<int> unloadAfterMinutes;  ///< Idle time before it is unloaded.
  GenerationSettings generation;
  QByteArray unknown;  ///< As GenerationSettings::unknown.
  qint64 lastUsedMs = 0;

  bool operator==(const ModelSettings&) const = default;
};

/// What ended an answer; a replay must end it in the same way.
enum class AnswerEnd {
  End = 0,      ///< The model's end token.
  Stop = 1,     ///< A stop string.
  Length = 2,   ///< SamplingParams::max_tokens.
  Context = 3,  ///< The context, or the memory for it, was full.
  CutOff = 4,   ///< The user or an error.
};

/// What an answer was made from besides its model (MessageRecord::modelFingerprint), so that
/// `quire-cli replay`, its only reader, can make it again.
struct OriginRecord {
  QString templateHash;        ///< SHA-256 of the chat template's source, hexadecimal.
  SamplingParams sampling;     ///< The parameters that were used.
  QList<qint32> promptTokens;  ///< The whole prompt as it was computed.
  AnswerEnd end = AnswerEnd::CutOff;
  QString deviceName;   ///< "CPU · AVX-512 · 2 threads", which may explain a difference.
  QString adapterPath;  ///< The LoRA adapter that it was made with; empty: none.
};

/// A whole chat that is stored at once: a fork or an import.
struct NewChat {
  ChatRecord chat;
  QList<MessageRecord> messages;  ///< A parent precedes its children.
  /// Answers that are copies of stored ones, by their new id: they get the same origin. A copy has
  /// a higher id than its source, and the ids of copies have the order of their sources.
  QHash<RecordId, RecordId> copiedFrom;
  QHash<RecordId, OriginRecord> origins;  ///< Of answers that are not copies.
};

}  // namespace quire
