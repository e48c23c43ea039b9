#pragma once

#include <QHash>
#include <QList>
#include <QString>

#include "app/engine/chat_backend.h"
#include "app/store/id_source.h"

namespace quire {

/// The shown version of a message; `index` counts from 1.
struct MessageVersion {
  int index = 1;
  int count = 1;
};

/// The messages of a chat: a tree whose shown branch is the path from a first message to the head.
/// Edits and regenerations are siblings; nothing is ever replaced.
/// Invariants: path() is empty exactly when there are no messages; its last message is head().
class Conversation {
 public:
  Conversation() = default;
  /// If no message has the id `head`, the newest leaf becomes the head. A message whose parent is
  /// not older becomes a first message.
  Conversation(const QList<MessageRecord>& messages, RecordId head);

  RecordId head() const { return m_path.isEmpty() ? 0 : m_path.last(); }
  const QList<RecordId>& path() const { return m_path; }
  bool isEmpty() const { return m_path.isEmpty(); }
  const MessageRecord* find(RecordId id) const;
  MessageRecord* find(RecordId id);

  /// Adds a message; it becomes the head. One whose parent is not older becomes a first message, as
  /// after a restart; one with an id that is there, or without a valid one, is not added.
  void append(const MessageRecord& message);
  /// The files that came with a user's message, which the model reads before its text.
  QList<AttachmentRecord> attachments(RecordId id) const;

  /// Removes a message of a turn that could not be saved; does nothing if it has children.
  void removeLeaf(RecordId id) {
    if (m_children.value(id).isEmpty()) take(id);
  }

  /// The messages from the first one down to `id`.
  QList<RecordId> branch(RecordId id) const;
  /// A message and all its descendants, parents first.
  QList<RecordId> subtree(RecordId id) const;
  /// Removes a message and its descendants, and returns them. If they were shown, shows the newest
  /// branch through the parent.
  QList<MessageRecord> take(RecordId id);
  /// Adds what take() returned, and shows the branch down to `head`.
  void restore(const QList<MessageRecord>& messages, RecordId head);
  /// Shows the branch down to this message, although there are messages below it.
  void showUpTo(RecordId id) { setHead(id); }
  /// Shows the branch through this message, down to its newest leaf.
  void select(RecordId id) { setHead(newestLeaf(id)); }

  MessageVersion version(RecordId id) const;
  /// Shows the version before or after this one, down to its newest leaf. False if there is none.
  bool showVersion(RecordId id, int step);
  /// Shows a branch with the message; keeps the shown one if the message is on it. Returns false if
  /// there is no such message.
  bool showMessage(RecordId id);

  /// The prompt's turns for answering the message `last`: the system prompt, then the branch down
  /// to `last`. Answers without text are left out, and adjacent messages of one role become one. A
  /// message whose answer failed without text is left out with it, because it may be what fails.
  QList<ChatTurn> turns(const QString& systemPrompt, RecordId last) const;
  /// The same, followed by a message that is not sent yet.
  QList<ChatTurn> turnsBefore(const QString& next, const QString& systemPrompt,
                              RecordId last) const;

 private:
  bool add(MessageRecord message);
  void setHead(RecordId id) { m_path = branch(id); }
  RecordId newestLeaf(RecordId id) const;
  QList<RecordId> versions(RecordId id) const;

  QHash<RecordId, MessageRecord> m_messages;
  QHash<RecordId, QList<RecordId>> m_children;  ///< Of a message, or of 0; oldest first.
  QList<RecordId> m_path;
};

/// A new chat with copies of the messages and files of another one from the first message down to
/// `last`. The store copies the origins of the answers.
NewChat forkOf(const ChatRecord& chat, const Conversation& conversation, RecordId last,
               IdSource& ids);

/// What the prompt of a fork's first answer has in common with the original chat.
struct ForkedPart {
  bool isFirst = false;  ///< The answer is the first one of a fork.
  int tokens = 0;        ///< Tokens of its prompt that were copied; 0: all.
};
ForkedPart forkedPartOf(const ChatRecord& chat, const Conversation& conversation,
                        const MessageRecord& answer);

constexpr int kMaxTitleLength = 80;

/// A chat's title: the first line with text in its first message, cut at a word.
QString titleFromMessage(const QString& text, int maxLength = kMaxTitleLength);
/// The title of a chat whose first message is this text; the name of a file if there is none.
QString titleFromMessage(const QString& text, const QList<AttachmentRecord>& files,
                         int maxLength = kMaxTitleLength);

}  // namespace quire
