#pragma once

#include <QtQml/qqmlregistration.h>
#include <QHash>

#include <optional>

#include "app/engine/engine_inspector.h"
#include "app/role_list_model.h"
#include "app/store/records.h"

namespace quire {

/// The personas a chat may have, in the user's order, and what is known of each: how warm it is,
/// and how many chats use it.
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
  int rowOf(RecordId id) const;  ///< -1: there is none.
  /// Brings the persona's row up to date, or adds it at `row`, at the end for -1.
  void put(const PersonaRecord& persona, int row = -1);
  std::optional<PersonaRecord> take(RecordId id);
  void move(int from, int to);

  void setReport(RecordId id, const PersonaReport& report);
  PersonaReport report(RecordId id) const { return m_reports.value(id); }
  void setUsage(const QHash<RecordId, int>& numChats);
  int numChats(RecordId id) const { return m_numChats.value(id); }

 signals:
  void countChanged();
  /// A persona is there, is gone, or is another than it was.
  void changed();

 private:
  void announce(int row);

  QList<PersonaRecord> m_personas;
  QHash<RecordId, PersonaReport> m_reports;
  QHash<RecordId, int> m_numChats;
};

}  // namespace quire
