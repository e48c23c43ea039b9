#pragma once

#include <QtQml/qqmlregistration.h>
#include <QHash>
#include <QObject>
#include <QTimer>

#include "app/chat/answer_details.h"
#include "app/documents/attachment_list.h"
#include "app/session/pending_undo.h"
#include "app/store/records.h"

namespace quire {

class ChatModel;
class MessageCopy;

/// Actions on the messages of a chat: showing, copying, forking and deleting them.
///
/// Thread: the window's.
/// Invariants: a deleted message stays on disk until its deletion can no longer be undone.
class ChatMessages : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by a chat.")
  Q_PROPERTY(QString undoText READ undoText NOTIFY undoChanged)
  Q_PROPERTY(quire::AnswerDetails* details READ details CONSTANT)
  Q_PROPERTY(bool canReveal READ canReveal NOTIFY revealChanged)
  Q_PROPERTY(QString copiedText READ copiedText NOTIFY copiedChanged)

 public:
  static constexpr int kCopiedMs = 1500;

  explicit ChatMessages(ChatModel& chat);

  void load();                       ///< Called when the chat's messages are loaded.
  void close() { m_undo.finish(); }  ///< Makes the last deletion permanent.
  /// Called when another branch is shown.
  void onPathChanged();

  QString undoText() const { return m_undo.text(); }
  bool isDeleted(RecordId id) const;  ///< Whether it is deleted and can still be restored.
  /// Updates a deleted answer, which goes on being written until its run ends.
  void updateDeleted(const MessageRecord& message);
  /// Offers to restore messages that were removed; `head` was the head before.
  void offerUndo(const QList<MessageRecord>& removed, RecordId head, const QString& text);

  /// Scrolls to a message and shows a branch that contains it.
  void reveal(RecordId messageId);
  RecordId revealedMessage() const { return m_revealedMessage; }  ///< Until it was shown; else 0.
  /// Whether the row of the revealed message is loaded: a long chat is loaded in slices.
  bool canReveal() const { return m_revealedMessage != 0 && revealedRow() >= 0; }
  Q_INVOKABLE int revealedRow() const;  ///< Its row in the timeline; -1: none yet.
  Q_INVOKABLE void endReveal();

  /// The files of a sent message; null: it has none.
  Q_INVOKABLE quire::AttachmentList* filesOf(qint64 messageId);
  void forgetFiles(RecordId messageId);

  /// Returns messageId, or for 0 the id of the last shown message; 0: there is none.
  Q_INVOKABLE double messageOrLast(qint64 messageId) const;
  Q_INVOKABLE bool isAnswer(qint64 messageId) const;
  /// Whether it is an answer that ended without an error or a stop by the user.
  Q_INVOKABLE bool isComplete(qint64 messageId) const;
  Q_INVOKABLE bool canFork(qint64 messageId) const;
  Q_INVOKABLE void fork(qint64 messageId);  ///< Starts a new chat that ends at this message.
  Q_INVOKABLE void showVersion(qint64 messageId, int step);
  Q_INVOKABLE void copy(qint64 messageId);  ///< Plain text, without Markdown.
  Q_INVOKABLE void copyMarkdown(qint64 messageId);
  Q_INVOKABLE void copyRich(qint64 messageId);
  /// The message that was copied just now, for kCopiedMs; else 0.
  RecordId copiedMessage() const { return m_copiedMessage; }
  QString copiedText() const;  ///< "Copied", for screen readers, for the same time; else empty.
  /// Deletes this message and those that follow it; undoRemoval() restores them.
  Q_INVOKABLE void remove(qint64 messageId);
  Q_INVOKABLE void undoRemoval();
  AnswerDetails* details() { return &m_details; }
  Q_INVOKABLE void showDetails(qint64 messageId);  ///< Of an answer.

 signals:
  void undoChanged();
  void revealChanged();
  void copiedChanged();

 private:
  void setCopied(RecordId messageId);
  MessageCopy copyOf(const MessageRecord& message) const;
  void restoreRemoved();
  void removeForGood();

  ChatModel& m_chat;
  AnswerDetails m_details;
  PendingUndo m_undo;
  QList<MessageRecord> m_removed;  ///< Parents before their children.
  RecordId m_headBefore = 0;
  RecordId m_revealedMessage = 0;
  RecordId m_copiedMessage = 0;
  QTimer m_copiedTimer;
  QHash<RecordId, AttachmentList*> m_files;  ///< By message, made when it is first shown.
};

}  // namespace quire
