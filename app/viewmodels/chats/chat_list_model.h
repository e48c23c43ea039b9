#pragma once

#include <QtQml/qqmlregistration.h>
#include <QAbstractListModel>
#include <QDateTime>
#include <QList>

#include "app/store/records.h"

namespace quire {

/// The sidebar: chats by last activity, newest first, under Today, Yesterday and Earlier.
/// Thread: the window's.
/// Invariants: rows are sorted by activeMs, then id, descending; ids are unique.
class ChatListModel : public QAbstractListModel {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by the application.")
  Q_PROPERTY(int count READ count NOTIFY countChanged)
  Q_PROPERTY(int currentRow READ currentRow NOTIFY currentRowChanged)

 public:
  enum Role {
    kChatId = Qt::UserRole + 1,
    kTitle,
    kColor,
    kSection,
    kTimeText,
    kIsGenerating,
    kIsUnread,
    kIsCurrent,
  };

  using QAbstractListModel::QAbstractListModel;

  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QHash<int, QByteArray> roleNames() const override;

  int count() const { return static_cast<int>(m_entries.size()); }
  int currentRow() const { return rowOf(m_currentChat); }
  void setChats(const QList<ChatRecord>& chats);
  /// Adds the chat, or brings its row up to date and to its place.
  void put(const ChatRecord& chat);
  /// Takes it out; what it was, to put it back.
  std::optional<ChatRecord> take(RecordId id);
  std::optional<ChatRecord> find(RecordId id) const;
  RecordId idAt(int row) const;
  int rowOf(RecordId id) const;

  void setCurrent(RecordId id);  ///< Shown chats are read chats.
  void setGenerating(RecordId id, bool generating);
  void setUnread(RecordId id, bool unread);
  /// Sections and times are said relative to today; call it when the day may have changed.
  void refreshToday();

 signals:
  void countChanged();
  void currentRowChanged();

 private:
  struct Entry {
    ChatRecord chat;
    bool generating = false;
    bool unread = false;
  };

  int placeFor(const ChatRecord& chat) const;
  void announce(RecordId id);
  QString sectionOf(qint64 activeMs) const;
  QString timeTextOf(qint64 activeMs) const;

  QList<Entry> m_entries;
  RecordId m_currentChat = 0;
  QDate m_today = QDate::currentDate();
};

}  // namespace quire
