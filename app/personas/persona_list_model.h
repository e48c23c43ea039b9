#pragma once

#include <QtQml/qqmlregistration.h>
#include <QHash>
#include <QSortFilterProxyModel>

#include <optional>

#include "app/engine/engine_inspector.h"
#include "app/role_list_model.h"
#include "app/store/records.h"

namespace quire {

/// The personas in the user's order, with how much of each is cached and how many chats use it.
/// Thread: the window's.
class PersonaListModel : public quire::RoleListModel {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by the application.")
  Q_PROPERTY(QString countText READ countText NOTIFY countChanged)
  Q_PROPERTY(int count READ count NOTIFY countChanged)

 public:
  enum Role {
    kPersonaId = Qt::UserRole + 1,
    kName,
    kSummary,
    kColor,
    kIconName,
    kDescription,
    kExcerpt,
    kAdapterText,
    kIsPinned,
    kIsWarm,
    kWarmthText,
    kUsageText,
  };

  explicit PersonaListModel(QObject* parent = nullptr);

  int numRows() const override { return count(); }

  int count() const { return static_cast<int>(m_personas.size()); }
  QString countText() const;
  void setPersonas(const QList<PersonaRecord>& personas);
  const QList<PersonaRecord>& personas() const { return m_personas; }
  const PersonaRecord* find(RecordId id) const;
  int rowOf(RecordId id) const;  ///< -1 if there is none.
  /// Replaces the persona of that id, or inserts it at `row`; -1 appends.
  void put(const PersonaRecord& persona, int row = -1);
  std::optional<PersonaRecord> take(RecordId id);
  void move(int from, int to);

  void setReport(RecordId id, const PersonaReport& report);
  PersonaReport report(RecordId id) const { return m_reports.value(id); }
  void setUsage(const QHash<RecordId, int>& numChats);
  int numChats(RecordId id) const { return m_numChats.value(id); }

 signals:
  void countChanged();
  /// A persona was added, removed or replaced.
  void changed();

 private:
  void announce(int row);

  QList<PersonaRecord> m_personas;
  QHash<RecordId, PersonaReport> m_reports;
  QHash<RecordId, int> m_numChats;
};

/// The personas whose name, description or prompt contains every word of a search.
/// Thread: the window's.
class PersonaFilter : public QSortFilterProxyModel {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by the application.")
  Q_PROPERTY(QString searchText READ searchText WRITE setSearchText NOTIFY searchChanged)
  Q_PROPERTY(QString emptyText READ emptyText NOTIFY emptyChanged)

 public:
  explicit PersonaFilter(QObject* parent = nullptr);

  QString searchText() const { return m_words.join(u' '); }
  void setSearchText(const QString& text);
  QString emptyText() const;  ///< Why no persona is shown; empty if there is one.

 signals:
  void searchChanged();
  void emptyChanged();

 protected:
  bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

 private:
  QStringList m_words;
};

}  // namespace quire
