#pragma once

#include <QHash>
#include <QList>
#include <QString>

#include "app/engine/chat_backend.h"
#include "app/store/records.h"

namespace quire {

/// Which of how many versions of a message is shown; `index` counts from 1.
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
  /// `head` 0, or of no message: the newest leaf. A message whose parent is not older is a first
  /// one.
  Conversation(const QList<MessageRecord>& messages, RecordId head);

  RecordId head() const { return m_path.isEmpty() ? 0 : m_path.last(); }
  const QList<RecordId>& path() const { return m_path; }
  bool isEmpty() const { return m_path.isEmpty(); }
  const MessageRecord* find(RecordId id) const;
  MessageRecord* find(RecordId id);

  /// Adds a message; it becomes the head.
  void append(const MessageRecord& message);
  /// The files that came with a user's message, which the model reads before its text.
  QList<AttachmentRecord> attachments(RecordId id) const;

  /// Takes a message without children out again (a turn that could not be written to disk).
  void removeLeaf(RecordId id);

  /// The messages from the first one down to `id`.
  QList<RecordId> branch(RecordId id) const;
  /// A message and all that stand below it, parents first.
  QList<RecordId> subtree(RecordId id) const;
  /// Takes a message and all below it out; what is left of the branch is shown, or another version.
  QList<MessageRecord> take(RecordId id);
  /// Puts back what take() gave, and shows the branch down to `head`.
  void restore(const QList<MessageRecord>& messages, RecordId head);
  /// Shows the branch down to this message, although there are messages below it.
  void showUpTo(RecordId id) { setHead(id); }
  /// Shows the branch through this message, down to its newest leaf.
  void select(RecordId id) { setHead(newestLeaf(id)); }

  MessageVersion version(RecordId id) const;
  /// Shows the version before or after this one, down to its newest leaf. False if there is none.
  bool showVersion(RecordId id, int step);
  /// Shows a branch that the message is on; the shown one stays if it is. False: no such message.
  bool showMessage(RecordId id);

  /// What the model reads to answer the message `last`: the persona, then the branch down to
  /// `last`. Answers without text are left out, and messages of one role that then meet become one;
  /// a message that could not be answered at all (Failed, without text) is left out with its
  /// answer, or it would stand in the way of every later one.
  QList<ChatTurn> turns(const QString& systemPrompt, RecordId last) const;
  /// The same with a message that is not sent yet at its end.
  QList<ChatTurn> turnsBefore(const QString& next, const QString& systemPrompt,
                              RecordId last) const;

 private:
  void setHead(RecordId id);
  RecordId newestLeaf(RecordId id) const;

  QHash<RecordId, MessageRecord> m_messages;
  QHash<RecordId, QList<RecordId>> m_children;  ///< Of a message, or of 0; oldest first.
  QList<RecordId> m_path;
};

/// A chat's name from its first message: its first line with words, cut at a word.
QString titleFromMessage(const QString& text);

}  // namespace quire
