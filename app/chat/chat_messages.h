#pragma once

#include <QtQml/qqmlregistration.h>
#include <QHash>
#include <QObject>

#include "app/documents/attachment_list.h"
#include "app/session/pending_undo.h"
#include "app/store/records.h"

namespace quire {

class ChatModel;

/// What is done with the messages that a chat has: shown, copied, forked and deleted.
///
/// Thread: the window's.
/// Invariants: a deleted message is on disk until its deletion cannot be undone any more.
class ChatMessages : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by a chat.")
  Q_PROPERTY(QString question READ question NOTIFY questionChanged)
  Q_PROPERTY(QString undoText READ undoText NOTIFY undoChanged)
  Q_PROPERTY(bool canReveal READ canReveal NOTIFY revealChanged)

 public:
  explicit ChatMessages(ChatModel& chat);

  void load();                       ///< The chat's messages are there.
  void close() { m_undo.finish(); }  ///< Deletes for good what could be undone.
  /// Another branch is shown.
  void onPathChanged();

  QString question() const;  ///< Asks whether to delete messages; else empty.
  QString undoText() const { return m_undo.text(); }
  bool isDeleted(RecordId id) const;  ///< Deleted, but not for good.
  /// An answer that was deleted while it was written has grown.
  void updateDeleted(const MessageRecord& message);
  /// These were taken from the conversation. `head`: what was shown before.
  void offerUndo(const QList<MessageRecord>& removed, RecordId head, const QString& text);

  /// Scrolls to a message, in its own branch of the conversation.
  void reveal(RecordId messageId);
  RecordId revealedMessage() const { return m_revealedMessage; }  ///< Until it was shown; else 0.
  /// Whether its rows are there: those of a long chat come in slices.
  bool canReveal() const { return m_revealedMessage != 0 && revealedRow() >= 0; }
  Q_INVOKABLE int revealedRow() const;  ///< Its row of the timeline; -1: none yet.
  Q_INVOKABLE void endReveal();

  /// The files of a sent message; null: it has none.
  Q_INVOKABLE quire::AttachmentList* filesOf(qint64 messageId);
  void forgetFiles(RecordId messageId);

  /// The message itself, the last one shown for 0; 0: there is none.
  Q_INVOKABLE double messageOrLast(qint64 messageId) const;
  Q_INVOKABLE bool isAnswer(qint64 messageId) const;
  Q_INVOKABLE bool isComplete(qint64 messageId) const;  ///< An answer that ended by itself.
  Q_INVOKABLE bool canFork(qint64 messageId) const;
  Q_INVOKABLE void fork(qint64 messageId);  ///< Starts a chat of its own from this message.
  Q_INVOKABLE void showVersion(qint64 messageId, int step);
  Q_INVOKABLE void copy(qint64 messageId) const;  ///< Plain text, without Markdown.
  Q_INVOKABLE void copyMarkdown(qint64 messageId) const;
  Q_INVOKABLE void copyRich(qint64 messageId) const;
  /// Asks whether to delete this message and what follows; confirmRemoval() deletes.
  Q_INVOKABLE void askRemoval(qint64 messageId);
  Q_INVOKABLE void confirmRemoval();
  Q_INVOKABLE void dismissQuestion();
  Q_INVOKABLE void undoRemoval();

 signals:
  void questionChanged();
  void undoChanged();
  void revealChanged();

 private:
  void restoreRemoved();
  void removeForGood();

  ChatModel& m_chat;
  RecordId m_removalAsked = 0;
  PendingUndo m_undo;
  QList<MessageRecord> m_removed;  ///< Parents before their children.
  RecordId m_headBefore = 0;
  RecordId m_revealedMessage = 0;
  QHash<RecordId, AttachmentList*> m_files;  ///< Of messages that were shown.
};

}  // namespace quire
