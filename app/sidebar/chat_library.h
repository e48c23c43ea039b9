#pragma once

#include <QtQml/qqmlregistration.h>
#include <QHash>
#include <QObject>
#include <QThreadPool>
#include <QTimer>

#include <chrono>
#include <functional>

#include "app/chat/chat_model.h"
#include "app/session/data_session.h"
#include "app/session/pending_undo.h"
#include "app/sidebar/backup_eraser.h"
#include "app/sidebar/chat_list_model.h"
#include "app/sidebar/folder_list_model.h"

namespace quire {

/// All chats: the list of them, those that are open, and actions on whole chats. An action on one
/// of several selected chats applies to all of them.
///
/// Thread: the window's; chats are read on a thread of its own, which the destructor waits for.
/// Invariants: a chat stays open while a pane shows it, while it has work or unsaved state, and
/// while it is one of the last chats that were opened; chats that are being deleted are not listed.
class ChatLibrary : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by the program.")
  Q_PROPERTY(quire::ChatListModel* list READ list CONSTANT)
  Q_PROPERTY(quire::FolderListModel* folders READ folders CONSTANT)
  Q_PROPERTY(QString undoText READ undoText NOTIFY undoChanged)
  Q_PROPERTY(quire::BackupEraser* eraser READ eraser CONSTANT)

 public:
  ChatLibrary(ChatBackend& backend, ModelManager& models, DataSession& session,
              const PersonaListModel& personas, const EngineStatus& engine,
              const GenerationDefaults& generation, QObject* parent = nullptr);
  ~ChatLibrary() override;

  /// Reads the list; the session is open. After an import, `completed` are the existing chats that
  /// got more messages: open ones show them at once, or when their answer is complete.
  Result<void> load(const QList<RecordId>& completed = {});
  ChatListModel* list() { return &m_list; }
  const ChatListModel* list() const { return &m_list; }
  FolderListModel* folders() { return &m_folders; }

  /// Opens the chat with that id, and reads it from disk if necessary; a long one shows its
  /// messages later (ChatModel::loaded). Null if there is no such chat, or if reading it fails,
  /// which `failed` reports.
  ChatModel* open(RecordId id);
  /// An existing blank chat for which `isFree` is true, or a new one. It is not in the list until
  /// it has content.
  ChatModel* blank(const std::function<bool(const ChatModel*)>& isFree = {});
  /// Makes a new chat with copies of the messages down to that one.
  ChatModel* fork(ChatModel& chat, RecordId messageId);
  /// The chat if it is open; else null.
  ChatModel* findOpen(RecordId id) const { return m_open.value(id); }
  QList<ChatModel*> openChats() const { return m_open.values(); }

  /// Marks the chat with the focus in the list, and as read.
  void setCurrent(RecordId id);

  Q_INVOKABLE void rename(qint64 id, const QString& title);
  Q_INVOKABLE void setPinned(qint64 id, bool isPinned);
  Q_INVOKABLE void setUnread(qint64 id, bool isUnread);
  Q_INVOKABLE void setArchived(qint64 id, bool isArchived);
  /// Folder 0 removes it from its folder.
  Q_INVOKABLE void moveToFolder(qint64 id, qint64 folderId);
  /// Removes it from the list, and from the disk when that can no longer be undone.
  Q_INVOKABLE void remove(qint64 id);

  /// Adds a folder at the end, moves that chat into it unless 0, and returns the folder's id.
  Q_INVOKABLE qint64 createFolder(const QString& name, qint64 chatId = 0);
  Q_INVOKABLE void renameFolder(qint64 id, const QString& name);
  Q_INVOKABLE void toggleFolder(qint64 id);
  Q_INVOKABLE void removeFolder(qint64 id);  ///< Keeps its chats.
  Q_INVOKABLE void toggleArchive() { m_list.setArchiveOpen(!m_list.isArchiveOpen()); }

  Q_INVOKABLE void undo() { m_undo.undo(); }
  QString undoText() const { return m_undo.text(); }
  /// Offers to delete from the backups too what remove() deletes.
  BackupEraser* eraser() { return &m_eraser; }

  /// Removes a deleted persona from its chats.
  void forgetPersona(RecordId id);

  /// Titles of the chats that always use the model with that path, the last active first.
  QStringList titlesUsing(const QString& modelPath) const;
  /// Chats that use the first path use the second from now on.
  void moveModel(const QString& from, const QString& to);

  TextClock& clock() { return m_clock; }
  /// Sets how long open() waits for the messages, so that a short chat is not shown empty first.
  void setMaxReadWait(std::chrono::milliseconds wait) { m_maxReadWait = wait; }
  /// `isShown` tells whether a pane shows a chat; new answers in a shown chat count as read.
  void setShown(const std::function<bool(RecordId)>& isShown) { m_isShown = isShown; }
  /// Saves everything without waiting, because the program closes.
  void close();

 signals:
  void undoChanged();
  /// A chat was added to the list, or moved to its top.
  void chatListed(quire::ChatModel* chat);
  /// A chat was archived or deleted, which can be undone; `row` was its row.
  void chatTaken(qint64 id, int row);
  void chatRestored(qint64 id);
  void chatForked(quire::ChatModel* fork);
  /// No answer of the chat is running any more.
  void answerEnded(quire::ChatModel* chat);
  /// A chat was deleted permanently.
  void chatRemoved(qint64 id);
  void failed(const QString& sentence);

 private:
  Result<void> mergeInto(ChatModel& chat);
  void mergeIfDelayed(ChatModel* chat);
  ChatModel* makeModel(const ChatRecord& record);
  void read(RecordId id);
  void onRead(RecordId id, const Result<ChatContent>& content);
  void noteOpened(RecordId id);
  void releaseHidden();
  void release(ChatModel* chat);
  bool isBeingRemoved(RecordId id) const { return m_removed.contains(id); }
  void change(RecordId id, const std::function<void(ChatRecord&)>& edit);
  void changeAll(RecordId id, const std::function<void(ChatRecord&)>& edit);
  void restoreRemoved(const QList<ChatRecord>& chats);
  void removeForGood(RecordId id);
  void finishErasing();
  void restoreFolder(const FolderRecord& folder, const QList<RecordId>& chats);
  void putFolder(const FolderRecord& folder);
  void changeFolder(RecordId id, const std::function<void(FolderRecord&)>& edit);
  QString nameOf(const QList<RecordId>& ids) const;
  void onTouched(ChatModel* chat);
  void onRecordChanged(ChatModel* chat);
  void onAnswerEnded(ChatModel* chat);

  ChatBackend& m_backend;
  ModelManager& m_models;
  DataSession& m_session;
  const PersonaListModel& m_personas;
  const EngineStatus& m_engine;
  const GenerationDefaults& m_generation;
  TextClock m_clock;  ///< Shared by all chats.
  ChatListModel m_list;
  FolderListModel m_folders;
  QHash<RecordId, ChatModel*> m_open;
  std::function<bool(RecordId)> m_isShown = [](RecordId) { return false; };
  QSet<RecordId> m_incomplete;  ///< Busy chats, to which imported messages are added later.
  QSet<RecordId> m_removed;     ///< Chats that are no longer listed but still on disk.
  QList<RecordId> m_recent;     ///< Chats that were opened, the last one first.
  PendingUndo m_undo;
  BackupEraser m_eraser;
  QThreadPool m_readers;
  std::chrono::milliseconds m_maxReadWait{30};
  QTimer m_releaseTimer;
  QTimer m_minuteTimer;
};

}  // namespace quire
