#include "app/sidebar/chat_list_model.h"

#include <algorithm>
#include <utility>

namespace quire {

using Zone = ChatPlace::Zone;

ChatPlace ChatListModel::placeOf(const ChatRecord& chat) const {
  ChatPlace place;
  place.activeMs = chat.activeMs;
  place.id = chat.id;
  const auto folder = m_folders.constFind(chat.folderId);
  if (chat.archived) {
    place.zone = Zone::Archived;
  } else if (chat.pinned) {
    place.zone = Zone::Pinned;
  } else if (folder != m_folders.cend()) {
    place.zone = Zone::Folders;
    place.folderPosition = folder->position;
    place.folderId = folder->id;
  }
  return place;
}

bool ChatListModel::hasRow(const ChatPlace& place) const {
  if (place.zone == Zone::Archived) return m_archiveOpen;
  return place.zone != Zone::Folders || !place.isChat || m_folders.value(place.folderId).isOpen;
}

qsizetype ChatListModel::rowFor(const ChatPlace& place) const {
  return std::lower_bound(m_rows.cbegin(), m_rows.cend(), place) - m_rows.cbegin();
}

int ChatListModel::rowAt(const ChatPlace& place) const {
  const qsizetype row = rowFor(place);
  return row < m_rows.size() && m_rows[row] == place ? static_cast<int>(row) : -1;
}

int ChatListModel::rowOf(RecordId id) const {
  const auto chat = m_chats.constFind(id);
  return chat != m_chats.cend() && chat->isShown ? rowAt(chat->place) : -1;
}

std::optional<ChatRecord> ChatListModel::find(RecordId id) const {
  const auto chat = m_chats.constFind(id);
  return chat == m_chats.cend() ? std::nullopt : std::optional(chat->record);
}

std::optional<FolderRecord> ChatListModel::findFolder(RecordId id) const {
  const auto folder = m_folders.constFind(id);
  return folder == m_folders.cend() ? std::nullopt : std::optional(*folder);
}

QList<RecordId> ChatListModel::chatsIn(RecordId folderId) const {
  QList<RecordId> ids;
  for (const Chat& chat : m_chats) {
    if (chat.record.folderId == folderId) ids.append(chat.record.id);
  }
  return ids;
}

RecordId ChatListModel::neighbourOf(RecordId id, int step) const {
  const int from = rowOf(id);
  if (from < 0) return step > 0 ? chatNear(0) : 0;
  for (int row = from + step; row >= 0 && row < m_rows.size(); row += step) {
    if (m_rows[row].isChat) return m_rows[row].id;
  }
  return 0;
}

RecordId ChatListModel::chatNear(int row, const std::function<bool(RecordId)>& fits) const {
  const auto isWanted = [&](const ChatPlace& place) {
    return place.isChat && place.zone != Zone::Archived && (!fits || fits(place.id));
  };
  const int from = std::clamp(row, 0, rowCount());
  const auto below = std::find_if(m_rows.cbegin() + from, m_rows.cend(), isWanted);
  if (below != m_rows.cend()) return below->id;
  const auto above = std::find_if(m_rows.crbegin() + (rowCount() - from), m_rows.crend(), isWanted);
  return above != m_rows.crend() ? above->id : 0;
}

QHash<RecordId, int> ChatListModel::numUnderPersonas() const {
  QHash<RecordId, int> counts;
  for (const Chat& chat : m_chats) {
    if (chat.record.personaId != 0) ++counts[chat.record.personaId];
  }
  return counts;
}

QList<ChatRecord> ChatListModel::findChats(const std::function<bool(const ChatRecord&)>& fits,
                                           int limit) const {
  QList<const ChatRecord*> found;
  for (const Chat& chat : m_chats) {
    if (fits(chat.record)) found.append(&chat.record);
  }
  const auto end = found.begin() + std::min<qsizetype>(limit, found.size());
  std::partial_sort(found.begin(), end, found.end(), [](const auto* a, const auto* b) {
    return std::tie(b->activeMs, b->id) < std::tie(a->activeMs, a->id);
  });
  QList<ChatRecord> newest;
  for (auto it = found.begin(); it != end; ++it) newest.append(**it);
  return newest;
}

void ChatListModel::setChats(const QList<ChatRecord>& chats, const QList<FolderRecord>& folders) {
  beginResetModel();
  m_chats.clear();
  m_folders.clear();
  m_selected.clear();
  for (const FolderRecord& folder : folders) m_folders.insert(folder.id, folder);
  m_chats.reserve(chats.size());
  for (const ChatRecord& chat : chats) m_chats.insert(chat.id, {chat, false, {}, false});
  rebuild();
  endResetModel();
  emit countChanged();
  emit currentRowChanged();
  emit selectionChanged();
  if (!std::exchange(m_generating, {}).isEmpty()) emit generatingChanged();
}

/// Makes all rows and counts from the chats and folders.
void ChatListModel::rebuild() {
  m_rows.clear();
  m_tallies.clear();
  for (const FolderRecord& folder : std::as_const(m_folders)) {
    m_rows.append(ChatPlace::ofFolder(folder));
  }
  for (Chat& chat : m_chats) {
    chat.place = placeOf(chat.record);
    chat.isShown = hasRow(chat.place);
    count(chat, 1);
    if (chat.isShown) m_rows.append(chat.place);
  }
  if (m_tallies.value(0).chats > 0) m_rows.append(ChatPlace::ofArchiveLine());
  std::sort(m_rows.begin(), m_rows.end());
}

void ChatListModel::insertRow(const ChatPlace& place) {
  const int row = static_cast<int>(rowFor(place));
  beginInsertRows({}, row, row);
  m_rows.insert(row, place);
  endInsertRows();
}

void ChatListModel::removeRow(const ChatPlace& place) {
  const int row = rowAt(place);
  if (row < 0) return;
  beginRemoveRows({}, row, row);
  m_rows.remove(row);
  endRemoveRows();
}

void ChatListModel::moveRow(int row, const ChatPlace& place) {
  const int target = static_cast<int>(rowFor(place));  // Its index before the row is removed.
  if (target == row || target == row + 1) {
    m_rows[row] = place;
    return;
  }
  beginMoveRows({}, row, row, {}, target);
  m_rows.move(row, target > row ? target - 1 : target);
  m_rows[target > row ? target - 1 : target] = place;
  endMoveRows();
}

/// Inserts, moves or removes a chat's row after its record has changed.
void ChatListModel::placeChat(Chat& chat) {
  const ChatPlace before = chat.place;
  const bool wasShown = chat.isShown;
  chat.place = placeOf(chat.record);
  chat.isShown = hasRow(chat.place);
  if (wasShown && chat.isShown) {
    moveRow(rowAt(before), chat.place);
  } else if (wasShown) {
    removeRow(before);
  } else if (chat.isShown) {
    insertRow(chat.place);
  }
}

void ChatListModel::put(const ChatRecord& chat) {
  const bool isNew = !m_chats.contains(chat.id);
  Chat& known = m_chats[chat.id];
  const ChatPlace before = known.place;
  if (!isNew) count(known, -1);
  known.record = chat;
  placeChat(known);
  count(known, 1);
  if (!isNew) announceLine(before);
  announceLine(known.place);
  announce(chat.id);
  if (isNew) emit countChanged();
  emit currentRowChanged();
}

std::optional<ChatRecord> ChatListModel::take(RecordId id) {
  const auto found = m_chats.constFind(id);
  if (found == m_chats.cend()) return std::nullopt;
  const Chat chat = *found;
  count(chat, -1);
  m_chats.erase(found);
  if (chat.isShown) removeRow(chat.place);
  announceLine(chat.place);
  noteGenerating(id, false);
  if (m_selected.remove(id)) emit selectionChanged();
  emit countChanged();
  emit currentRowChanged();
  return chat.record;
}

void ChatListModel::putFolder(const FolderRecord& folder) {
  const auto known = m_folders.constFind(folder.id);
  if (known == m_folders.cend()) {
    m_folders.insert(folder.id, folder);
    insertRow(ChatPlace::ofFolder(folder));
    // Chats that still refer to a folder that was deleted move into it again.
    for (const RecordId id : chatsIn(folder.id)) put(m_chats[id].record);
    emit countChanged();
    return;
  }
  const FolderRecord before = *known;
  if (before.position != folder.position) {
    beginResetModel();
    m_folders.insert(folder.id, folder);
    rebuild();
    endResetModel();
    return;
  }
  m_folders.insert(folder.id, folder);
  if (before.isOpen != folder.isOpen) {
    showZone([id = folder.id](const ChatPlace& place) { return place.folderId == id; },
             folder.isOpen);
  }
  announceLine(ChatPlace::ofFolder(folder));
}

void ChatListModel::takeFolder(RecordId id) {
  const auto found = m_folders.constFind(id);
  if (found == m_folders.cend()) return;
  const FolderRecord folder = *found;
  m_folders.erase(found);
  for (const RecordId chat : chatsIn(id)) put(m_chats[chat].record);
  removeRow(ChatPlace::ofFolder(folder));
  m_tallies.remove(id);
  emit countChanged();
}

void ChatListModel::setArchiveOpen(bool isOpen) {
  if (isOpen == m_archiveOpen) return;
  m_archiveOpen = isOpen;
  showZone([](const ChatPlace& place) { return place.zone == Zone::Archived; }, isOpen);
  announceLine(ChatPlace::ofArchiveLine());
}

/// Inserts or removes the rows of all chats for which `isIn` is true; these rows are adjacent.
void ChatListModel::showZone(const std::function<bool(const ChatPlace&)>& isIn, bool shown) {
  QList<ChatPlace> places;
  for (Chat& chat : m_chats) {
    if (!isIn(chat.place) || chat.isShown == shown) continue;
    chat.isShown = shown;
    places.append(chat.place);
  }
  if (places.isEmpty()) return;
  std::sort(places.begin(), places.end());
  const int first = static_cast<int>(rowFor(places.first()));
  const int last = first + static_cast<int>(places.size()) - 1;
  if (shown) {
    beginInsertRows({}, first, last);
    m_rows.insert(first, places.size(), {});
    std::copy(places.cbegin(), places.cend(), m_rows.begin() + first);
    endInsertRows();
  } else {
    beginRemoveRows({}, first, last);
    m_rows.remove(first, places.size());
    endRemoveRows();
  }
  emit currentRowChanged();
}

ChatListModel::Tally* ChatListModel::tallyOf(const ChatPlace& place) {
  if (place.zone == Zone::Folders) return &m_tallies[place.folderId];
  return place.zone == Zone::Archived ? &m_tallies[0] : nullptr;
}

void ChatListModel::count(const Chat& chat, int sign) {
  Tally* tally = tallyOf(chat.place);
  if (!tally) return;
  tally->chats += sign;
  if (chat.record.unread) tally->unread += sign;
  if (chat.generating) tally->generating += sign;
}

/// Updates the line of the folder or archive that contains the place. The line of the archive
/// exists only while a chat is archived.
void ChatListModel::announceLine(const ChatPlace& place) {
  if (place.zone == Zone::Folders) {
    const auto folder = m_folders.constFind(place.folderId);
    const int row = folder == m_folders.cend() ? -1 : rowAt(ChatPlace::ofFolder(*folder));
    if (row >= 0) emit dataChanged(index(row), index(row));
    return;
  }
  if (place.zone != Zone::Archived && place.zone != Zone::ArchiveLine) return;
  const ChatPlace line = ChatPlace::ofArchiveLine();
  const int row = rowAt(line);
  const bool isWanted = m_tallies.value(0).chats > 0;
  if (isWanted && row < 0) return insertRow(line);
  if (!isWanted && row >= 0) return removeRow(line);
  if (row >= 0) emit dataChanged(index(row), index(row));
}

}  // namespace quire
