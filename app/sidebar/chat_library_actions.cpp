// Actions on whole chats.
#include <QDateTime>

#include <utility>

#include "app/sidebar/chat_library.h"

namespace quire {

/// Changes the record of a chat: in its model if it is open, else in the list.
void ChatLibrary::change(RecordId id, const std::function<void(ChatRecord&)>& edit) {
  if (ChatModel* chat = findOpen(id)) return chat->changeRecord(edit);
  auto record = m_list.find(id);
  if (!record) return;
  edit(*record);
  m_session.writer().putChat(*record);
  m_list.put(*record);
}

void ChatLibrary::changeAll(RecordId id, const std::function<void(ChatRecord&)>& edit) {
  for (const RecordId target : m_list.targetsOf(id)) change(target, edit);
}

/// The store removes the persona from its chats, so nothing is written for chats that are not open.
void ChatLibrary::forgetPersona(RecordId id) {
  for (ChatModel* chat : std::as_const(m_open)) {
    if (chat->personaId() == id) chat->setPersona(0);
  }
  const auto isUnder = [id](const ChatRecord& chat) { return chat.personaId == id; };
  for (ChatRecord& chat : m_list.findChats(isUnder, m_list.count())) {
    chat.personaId = 0;
    m_list.put(chat);
  }
}

QStringList ChatLibrary::titlesUsing(const QString& modelPath) const {
  const auto uses = [&](const ChatRecord& chat) { return chat.modelPath == modelPath; };
  QStringList titles;
  for (const ChatRecord& chat : m_list.findChats(uses, m_list.count())) titles.append(chat.title);
  return titles;
}

void ChatLibrary::moveModel(const QString& from, const QString& to) {
  for (ChatModel* chat : std::as_const(m_open)) {
    if (chat->record().modelPath == from) chat->setOwnModel(to);
  }
  const auto uses = [&](const ChatRecord& chat) { return chat.modelPath == from; };
  for (const ChatRecord& chat : m_list.findChats(uses, m_list.count()))
    change(chat.id, [&](ChatRecord& record) { record.modelPath = to; });
}

void ChatLibrary::rename(qint64 id, const QString& title) {
  const QString wanted = title.simplified();
  if (wanted.isEmpty()) return;
  change(id, [&](ChatRecord& chat) {
    if (wanted == chat.title) return;
    chat.title = wanted;
    chat.titleIsAutomatic = false;
  });
}

void ChatLibrary::setPinned(qint64 id, bool isPinned) {
  changeAll(id, [&](ChatRecord& chat) { chat.pinned = isPinned; });
}

void ChatLibrary::setUnread(qint64 id, bool isUnread) {
  changeAll(id, [&](ChatRecord& chat) { chat.unread = isUnread; });
}

void ChatLibrary::moveToFolder(qint64 id, qint64 folderId) {
  changeAll(id, [&](ChatRecord& chat) {
    chat.folderId = folderId;
    if (folderId != 0) chat.pinned = chat.archived = false;  // Make it visible in its folder.
  });
}

void ChatLibrary::setArchived(qint64 id, bool isArchived) {
  const QList<RecordId> ids = m_list.targetsOf(id);
  const auto apply = [this, ids](bool archived) {
    for (const RecordId one : ids) change(one, [=](ChatRecord& c) { c.archived = archived; });
  };
  if (!isArchived) return apply(false);
  m_undo.finish();
  const QString name = nameOf(ids);
  const int row = m_list.rowOf(ids.first());
  apply(true);
  m_list.clearSelection();
  for (const RecordId one : ids) emit chatTaken(one, row);
  m_undo.offer(tr("%1 archived.").arg(name), [this, ids, apply] {
    apply(false);
    emit chatRestored(ids.first());
  });
}

void ChatLibrary::remove(qint64 id) {
  m_undo.finish();
  const QList<RecordId> ids = m_list.targetsOf(id);
  const QString name = nameOf(ids);
  const int row = m_list.rowOf(ids.first());
  QList<ChatRecord> chats;
  for (const RecordId target : ids) {
    if (const auto chat = m_list.take(target)) chats.append(*chat);
  }
  if (chats.isEmpty()) return;
  for (const ChatRecord& chat : std::as_const(chats)) m_removed.insert(chat.id);
  m_list.clearSelection();
  for (const ChatRecord& chat : std::as_const(chats)) emit chatTaken(chat.id, row);
  const auto finish = [this, ids] {
    m_eraser.endOffer();
    for (const RecordId target : ids) removeForGood(target);
  };
  m_undo.offer(
      tr("%1 deleted.").arg(name), [this, chats] { restoreRemoved(chats); }, finish);
  QList<ErasedChat> erasable;
  for (const ChatRecord& chat : std::as_const(chats)) erasable.append({chat.id, chat.createdMs});
  m_eraser.offer(name, erasable);
}

void ChatLibrary::restoreRemoved(const QList<ChatRecord>& chats) {
  m_eraser.cancel();
  for (const ChatRecord& chat : chats) {
    m_removed.remove(chat.id);
    const ChatModel* open = findOpen(chat.id);  // Its record may be newer.
    m_list.put(open ? open->record() : chat);
    if (open) m_list.setGenerating(chat.id, open->turns()->isGenerating());
  }
  emit chatRestored(chats.first().id);
}

/// The chat is disconnected first, so that its last changes do not add it to the list again.
void ChatLibrary::removeForGood(RecordId id) {
  if (ChatModel* chat = findOpen(id)) {
    disconnect(chat, nullptr, this, nullptr);
    chat->close();
    release(chat);
  }
  m_removed.remove(id);
  m_incomplete.remove(id);
  m_session.writer().removeChat(id);
  emit chatRemoved(id);
}

/// Deletes what an earlier run of the program was to delete everywhere and did not come to.
void ChatLibrary::finishErasing() {
  for (const ErasedChat& chat : m_eraser.resume()) {
    const auto known = m_list.find(chat.id);
    if (!known || known->createdMs != chat.createdMs) continue;
    m_list.take(chat.id);
    removeForGood(chat.id);
  }
}

qint64 ChatLibrary::createFolder(const QString& name, qint64 chatId) {
  FolderRecord folder;
  folder.id = m_session.ids().next();
  folder.name = name.simplified().isEmpty() ? tr("New folder") : name.simplified();
  folder.position = m_folders.nextPosition();
  folder.createdMs = QDateTime::currentMSecsSinceEpoch();
  putFolder(folder);
  if (chatId != 0) moveToFolder(chatId, folder.id);
  return folder.id;
}

void ChatLibrary::putFolder(const FolderRecord& folder) {
  m_session.writer().write(&ConversationStore::putFolder, folder);
  m_folders.put(folder);
  m_list.putFolder(folder);
}

void ChatLibrary::changeFolder(RecordId id, const std::function<void(FolderRecord&)>& edit) {
  auto folder = m_list.findFolder(id);
  if (!folder) return;
  edit(*folder);
  putFolder(*folder);
}

void ChatLibrary::renameFolder(qint64 id, const QString& name) {
  const QString wanted = name.simplified();
  if (wanted.isEmpty()) return;
  changeFolder(id, [&](FolderRecord& folder) { folder.name = wanted; });
}

void ChatLibrary::toggleFolder(qint64 id) {
  changeFolder(id, [](FolderRecord& folder) { folder.isOpen = !folder.isOpen; });
}

void ChatLibrary::removeFolder(qint64 id) {
  const auto folder = m_list.findFolder(id);
  if (!folder) return;
  m_undo.finish();
  const QList<RecordId> chats = m_list.chatsIn(id);
  for (const RecordId chat : chats) change(chat, [](ChatRecord& c) { c.folderId = 0; });
  m_list.takeFolder(id);
  m_folders.take(id);
  m_session.writer().write(&ConversationStore::removeFolder, id);
  const QString text = tr("Folder “%1” deleted; its chats are kept.").arg(folder->name);
  m_undo.offer(text, [this, folder = *folder, chats] { restoreFolder(folder, chats); });
}

void ChatLibrary::restoreFolder(const FolderRecord& folder, const QList<RecordId>& chats) {
  putFolder(folder);
  for (const RecordId id : chats) {
    change(id, [&](ChatRecord& chat) { chat.folderId = folder.id; });
  }
}

/// The name of a single chat, or the number of chats.
QString ChatLibrary::nameOf(const QList<RecordId>& ids) const {
  if (ids.size() > 1) return tr("%n chat(s)", nullptr, static_cast<int>(ids.size()));
  const auto chat = m_list.find(ids.value(0));
  return tr("“%1”").arg(!chat || chat->title.isEmpty() ? tr("New chat") : chat->title);
}

void ChatLibrary::close() {
  m_undo.finish();
  for (ChatModel* chat : std::as_const(m_open)) chat->close();
}

}  // namespace quire
