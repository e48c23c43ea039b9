#pragma once

#include <QtQml/qqmlregistration.h>
#include <QHash>
#include <QList>
#include <QSet>

#include <functional>
#include <optional>
#include <tuple>

#include "app/role_list_model.h"
#include "app/sidebar/chat_dates.h"
#include "app/store/records.h"

namespace quire {

/// The sort key of a row in the sidebar.
struct ChatPlace {
  enum class Zone { Pinned, Folders, Recent, ArchiveLine, Archived };

  Zone zone = Zone::Recent;
  int folderPosition = 0;
  RecordId folderId = 0;
  bool isChat = true;  ///< False: the line of a folder or of the archive.
  qint64 activeMs = 0;
  RecordId id = 0;  ///< The chat's; 0 for a line.

  static ChatPlace ofFolder(const FolderRecord& folder) {
    return {Zone::Folders, folder.position, folder.id, false, 0, 0};
  }
  static ChatPlace ofArchiveLine() { return {Zone::ArchiveLine, 0, 0, false, 0, 0}; }

  friend bool operator==(const ChatPlace&, const ChatPlace&) = default;
  /// The last active chat comes first; of chats with the same time, the one with the higher id.
  friend bool operator<(const ChatPlace& a, const ChatPlace& b) {
    const auto line = [](const ChatPlace& place) {
      return std::tuple(place.zone, place.folderPosition, place.folderId, place.isChat);
    };
    if (line(a) != line(b)) return line(a) < line(b);
    return std::tie(b.activeMs, b.id) < std::tie(a.activeMs, a.id);
  }
};

/// The sidebar's rows: pinned chats, folders with their chats, all other chats by last activity
/// under Today, Yesterday and so on, and the archive. Chats of a closed folder and of the closed
/// archive are in the model but have no row.
///
/// Thread: the window's.
/// Invariants: rows are sorted by ChatPlace, so changing one of n chats costs O(log n) and a move
/// of memory; ids are unique; every selected id is in the list.
class ChatListModel : public quire::RoleListModel {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by the application.")
  Q_PROPERTY(int count READ count NOTIFY countChanged)
  Q_PROPERTY(bool isEmpty READ isEmpty NOTIFY countChanged)
  Q_PROPERTY(int currentRow READ currentRow NOTIFY currentRowChanged)
  Q_PROPERTY(bool isGenerating READ isGenerating NOTIFY generatingChanged)
  Q_PROPERTY(bool hasSelection READ hasSelection NOTIFY selectionChanged)
  Q_PROPERTY(double firstSelected READ firstSelected NOTIFY selectionChanged)
  Q_PROPERTY(QString selectedText READ selectedText NOTIFY selectionChanged)

 public:
  enum class RowKind { Chat, Folder, Archive };
  Q_ENUM(RowKind)

  enum Role {
    kKind = Qt::UserRole + 1,
    kChatId,
    kFolderId,
    kTitle,
    kColor,
    kSection,
    kTimeText,
    kCountText,
    kIsGenerating,
    kIsUnread,
    kIsCurrent,
    kIsSelected,
    kIsPinned,
    kIsArchived,
    kIsOpen,
    kIsFork,
  };

  explicit ChatListModel(QObject* parent = nullptr);

  int numRows() const override { return static_cast<int>(m_rows.size()); }

  /// The number of chats, with or without a row.
  int count() const { return static_cast<int>(m_chats.size()); }
  bool isEmpty() const { return m_chats.isEmpty() && m_folders.isEmpty(); }
  int currentRow() const { return rowOf(m_currentChat); }

  void setChats(const QList<ChatRecord>& chats, const QList<FolderRecord>& folders = {});
  /// Adds the chat, or updates and moves its row.
  void put(const ChatRecord& chat);
  /// Removes the chat and returns its record.
  std::optional<ChatRecord> take(RecordId id);
  void putFolder(const FolderRecord& folder);
  void takeFolder(RecordId id);
  void setArchiveOpen(bool isOpen);
  bool isArchiveOpen() const { return m_archiveOpen; }

  bool contains(RecordId id) const { return m_chats.contains(id); }
  std::optional<ChatRecord> find(RecordId id) const;
  std::optional<FolderRecord> findFolder(RecordId id) const;
  QList<RecordId> chatsIn(RecordId folderId) const;
  QHash<RecordId, int> numUnderPersonas() const;  ///< The number of chats of each persona.
  int rowOf(RecordId id) const;                   ///< -1: it has no row.
  /// The chat at a row; 0: there is none.
  RecordId idAt(int row) const { return row >= 0 && row < m_rows.size() ? m_rows[row].id : 0; }
  QList<RecordId> ids() const { return m_chats.keys(); }  ///< Chats with or without a row.
  /// The next (1) or previous (-1) chat in the list; 0: none. After a chat without a row comes the
  /// first one.
  RecordId neighbourOf(RecordId id, int step) const;
  /// The nearest chat at or below the row that is not archived and fits, or else above it; 0: none.
  RecordId chatNear(int row, const std::function<bool(RecordId)>& fits = {}) const;
  /// At most `limit` chats that fit, last active first.
  QList<ChatRecord> findChats(const std::function<bool(const ChatRecord&)>& fits, int limit) const;

  void setCurrent(RecordId id);
  void setGenerating(RecordId id, bool generating);
  bool isGenerating() const { return !m_generating.isEmpty(); }  ///< One of the chats is answered.
  int numGenerating() const { return static_cast<int>(m_generating.size()); }
  /// Updates sections and times when the day has changed.
  void refreshToday();

  /// Adds a chat to the selection, or removes it (Ctrl+click).
  Q_INVOKABLE void toggleSelected(qint64 id);
  /// Selects all rows from the last selected one to this chat (Shift+click).
  Q_INVOKABLE void selectTo(qint64 id);
  void extendSelection(int step);  ///< Extends it by one row, down (1) or up (-1).
  Q_INVOKABLE void selectAll();
  Q_INVOKABLE void clearSelection();
  bool hasSelection() const { return !m_selected.isEmpty(); }
  int selectedCount() const { return static_cast<int>(m_selected.size()); }
  RecordId firstSelected() const { return m_selected.isEmpty() ? 0 : *m_selected.cbegin(); }
  /// "3 chats selected"
  QString selectedText() const { return tr("%n chat(s) selected", nullptr, selectedCount()); }
  /// The chats that an action on this one applies to: all selected ones if it is selected, in the
  /// order of the list, else this one.
  QList<RecordId> targetsOf(RecordId id) const;

 signals:
  void countChanged();
  void currentRowChanged();
  void selectionChanged();
  void generatingChanged();

 private:
  struct Chat {
    ChatRecord record;
    bool generating = false;
    ChatPlace place;       ///< The same as in m_rows, if it has a row.
    bool isShown = false;  ///< Whether it has a row.
  };
  struct Tally {
    int chats = 0;
    int unread = 0;
    int generating = 0;
  };

  ChatPlace placeOf(const ChatRecord& chat) const;
  bool hasRow(const ChatPlace& place) const;
  qsizetype rowFor(const ChatPlace& place) const;  ///< The first row not before the place.
  int rowAt(const ChatPlace& place) const;         ///< -1: no such row.
  void insertRow(const ChatPlace& place);
  void removeRow(const ChatPlace& place);
  void moveRow(int row, const ChatPlace& place);
  void placeChat(Chat& chat);
  void showZone(const std::function<bool(const ChatPlace&)>& isIn, bool shown);
  void rebuild();
  void count(const Chat& chat, int sign);
  Tally* tallyOf(const ChatPlace& place);
  void announceLine(const ChatPlace& place);
  void noteGenerating(RecordId id, bool generating);
  void announce(RecordId id, const QList<int>& roles = {});
  static QString titleOf(const ChatRecord& chat);
  QVariant lineData(const ChatPlace& place, int role) const;
  QString sectionOf(const ChatPlace& place) const;

  QHash<RecordId, Chat> m_chats;
  QHash<RecordId, FolderRecord> m_folders;
  QHash<RecordId, Tally> m_tallies;  ///< By folder; 0 is the archive.
  QList<ChatPlace> m_rows;
  bool m_archiveOpen = false;
  RecordId m_currentChat = 0;
  QSet<RecordId> m_generating;  ///< Chats that are being answered.
  QSet<RecordId> m_selected;
  RecordId m_selectionStart = 0;
  RecordId m_selectionEnd = 0;
  ChatDates m_dates;
};

}  // namespace quire
