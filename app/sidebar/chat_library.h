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
#include "app/sidebar/chat_list_model.h"
#include "app/sidebar/folder_list_model.h"

namespace quire {

/// All chats: the list of them, those that are open, and actions on whole chats. An action on one
/// of several selected chats applies to all of them.
///
/// Thread: the window's; chats are read on a thread of its own, which the destructor waits for.
/// Invariants: a chat stays open while a pane shows it, while it works, and as one of the last
/// chats that were opened; chats that are being deleted are not in the list.
class ChatLibrary : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by the program.")
  Q_PROPERTY(quire::ChatListModel* list READ list CONSTANT)
  Q_PROPERTY(quire::FolderListModel* folders READ folders CONSTANT)
  Q_PROPERTY(QString undoText READ undoText NOTIFY undoChanged)

 public:
  ChatLibrary(ChatBackend& backend, ModelManager& models, DataSession& session,
              const PersonaListModel& personas, const EngineStatus& engine,
              const GenerationDefaults& generation, QObject* parent = nullptr);
  ~ChatLibrary() override;

  /// Reads the list; the session is open.
  Result<void> load();
  /// Reads what was imported into the store. `completed`: chats that were there and got more
  /// messages; open ones show them at once, or when their answer is done.
  Result<void> merge(const QList<RecordId>& completed = {});
  ChatListModel* list() { return &m_list; }
  const ChatListModel* list() const { return &m_list; }
  FolderListModel* folders() { return &m_folders; }

  /// The chat of that id, which is read from disk if it is not open yet: a long one shows its
  /// messages later (ChatModel::loaded). Null if there is none, or it cannot be read, which
  /// `failed` reports.
  ChatModel* open(RecordId id);
  /// A chat with nothing in it, not in the list until something is written there: the one that
  /// there is already and that `isFree` says is not shown elsewhere, or a new one.
  ChatModel* blank(const std::function<bool(const ChatModel*)>& isFree = {});
  /// A chat of its own that begins as `chat` does, down to that message.
  ChatModel* fork(ChatModel& chat, RecordId messageId);
  /// A chat that is open already; else null.
  ChatModel* findOpen(RecordId id) const { return m_open.value(id); }
  QList<ChatModel*> openChats() const { return m_open.values(); }

  /// The chat has the focus: it is marked in the list, and read.
  void setCurrent(RecordId id);

  Q_INVOKABLE void rename(qint64 id, const QString& title);
  Q_INVOKABLE void setPinned(qint64 id, bool isPinned);
  Q_INVOKABLE void setUnread(qint64 id, bool isUnread);
  Q_INVOKABLE void setArchived(qint64 id, bool isArchived);
  /// Folder 0: out of its folder.
  Q_INVOKABLE void moveToFolder(qint64 id, qint64 folderId);
  /// Off the disk when it cannot be undone any more.
  Q_INVOKABLE void remove(qint64 id);

  /// A new folder at the end of the others, with that chat in it if there is one; its id.
  Q_INVOKABLE qint64 createFolder(const QString& name, qint64 chatId = 0);
  Q_INVOKABLE void renameFolder(qint64 id, const QString& name);
  Q_INVOKABLE void toggleFolder(qint64 id);
  Q_INVOKABLE void removeFolder(qint64 id);  ///< Its chats stay.
  Q_INVOKABLE void toggleArchive() { m_list.setArchiveOpen(!m_list.isArchiveOpen()); }

  Q_INVOKABLE void undo() { m_undo.undo(); }
  QString undoText() const { return m_undo.text(); }

  /// The persona was deleted: its chats continue without one.
  void forgetPersona(RecordId id);

  TextClock& clock() { return m_clock; }
  /// How long open() waits for the messages, so that a short chat is not shown empty first.
  void setMaxReadWait(std::chrono::milliseconds wait) { m_maxReadWait = wait; }
  /// Chats on the screen are read chats.
  void setShown(const std::function<bool(RecordId)>& isShown) { m_isShown = isShown; }
  /// The program is closing: saves what there is without waiting.
  void close();

 signals:
  void undoChanged();
  /// A chat got its place in the list, or came to its head.
  void chatListed(quire::ChatModel* chat);
  /// Archived or deleted, which can be undone; `row` was its place.
  void chatTaken(qint64 id, int row);
  void chatRestored(qint64 id);
  /// A chat was made that begins as another one does.
  void chatForked(quire::ChatModel* fork);
  /// Deleted for good.
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
  void archive(const QList<RecordId>& ids);
  void restoreRemoved(const QList<ChatRecord>& chats);
  void removeForGood(RecordId id);
  void restoreFolder(const FolderRecord& folder, const QList<RecordId>& chats);
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
  TextClock m_clock;  ///< Of all chats.
  ChatListModel m_list;
  FolderListModel m_folders;
  QHash<RecordId, ChatModel*> m_open;
  std::function<bool(RecordId)> m_isShown;
  QSet<RecordId> m_incomplete;  ///< Busy chats, to which imported messages are added later.
  QSet<RecordId> m_removed;     ///< Taken out of the list, not yet off the disk.
  QList<RecordId> m_recent;     ///< Chats that were opened, the last one first.
  PendingUndo m_undo;
  QThreadPool m_readers;
  std::chrono::milliseconds m_maxReadWait{30};
  QTimer m_releaseTimer;
  QTimer m_minuteTimer;
};

}  // namespace quire
