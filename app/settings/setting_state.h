#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QPointer>

#include "app/settings/settings_search.h"

namespace quire {

/// What a row of a setting shows: whether it is there at all, and Reset. On the page a row is there
/// where its section or a search shows it; a row that is changed or has a problem is never folded
/// away.
///
/// Thread: the window's.
class SettingState : public QObject {
  Q_OBJECT
  QML_ELEMENT
  Q_PROPERTY(quire::SettingsSearch* search READ search WRITE setSearch NOTIFY changed)
  Q_PROPERTY(QString setting MEMBER m_setting NOTIFY changed)
  Q_PROPERTY(bool isPossible MEMBER m_isPossible NOTIFY changed)
  Q_PROPERTY(bool isFolded MEMBER m_isFolded NOTIFY changed)
  Q_PROPERTY(bool isChanged MEMBER m_isChanged NOTIFY changed)
  Q_PROPERTY(QString problem MEMBER m_problem NOTIFY changed)
  Q_PROPERTY(QString defaultText MEMBER m_defaultText NOTIFY changed)
  Q_PROPERTY(bool isShown READ isShown NOTIFY changed)
  Q_PROPERTY(bool canReset READ canReset NOTIFY changed)

 public:
  using QObject::QObject;

  SettingsSearch* search() const { return m_search; }
  void setSearch(SettingsSearch* search) {
    if (search == m_search) return;
    if (m_search) disconnect(m_search, nullptr, this, nullptr);
    m_search = search;
    if (search) connect(search, &SettingsSearch::changed, this, &SettingState::changed);
    emit changed();
  }
  bool isShown() const {
    const bool isNotable = m_isChanged || !m_problem.isEmpty();
    if (!m_isPossible) return false;
    if (!m_search) return isNotable || !m_isFolded;
    return m_search->shows(m_setting, m_search->version()) ||
           (isNotable && !m_search->isSearching());
  }
  /// A value that was not accepted can be reset, too, to the default that is shown with it.
  bool canReset() const {
    return m_isChanged || (!m_problem.isEmpty() && !m_defaultText.isEmpty());
  }

 signals:
  void changed();

 private:
  QPointer<SettingsSearch> m_search;  ///< Null: the row is not on the page of the settings.
  QString m_setting;                  ///< CatalogEntry.id
  bool m_isPossible = true;           ///< It has a meaning now.
  bool m_isFolded = false;            ///< Without a search: its group is.
  bool m_isChanged = false;
  QString m_problem;
  QString m_defaultText;
};

}  // namespace quire
