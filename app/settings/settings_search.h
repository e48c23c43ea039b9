#pragma once

#include <QtQml/qqmlregistration.h>
#include <QTranslator>

#include "app/role_list_model.h"
#include "app/settings/settings_catalog.h"

namespace quire {

/// The sections of the settings page, and the search over all settings. Without a search one
/// section is shown, with its advanced settings folded; a search shows what matches in every
/// section, advanced settings too. Settings are found by their English and their Korean texts,
/// whatever the language of the window.
///
/// Thread: the window's.
/// Invariants: section() is an available section.
class SettingsSearch : public quire::RoleListModel {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by the program.")
  Q_PROPERTY(QString query READ query WRITE setQuery NOTIFY changed)
  Q_PROPERTY(bool isSearching READ isSearching NOTIFY changed)
  Q_PROPERTY(int section READ section NOTIFY changed)
  Q_PROPERTY(QStringList sectionNames READ sectionNames NOTIFY changed)
  Q_PROPERTY(int sectionPlace READ sectionPlace NOTIFY changed)
  Q_PROPERTY(QStringList shownSections READ shownSections NOTIFY changed)
  Q_PROPERTY(QStringList shown READ shown NOTIFY changed)
  Q_PROPERTY(bool hasAdvanced READ hasAdvanced NOTIFY changed)
  Q_PROPERTY(bool showsAdvanced READ showsAdvanced WRITE setShowsAdvanced NOTIFY changed)
  Q_PROPERTY(QString summary READ summary NOTIFY changed)

 public:
  enum Role {
    kName = Qt::UserRole + 1,
    kIcon,
    kIsCurrent,
    kMatches,  ///< The number of settings that match, as text; empty without a search.
    kIsAvailable,
  };

  explicit SettingsSearch(QObject* parent = nullptr);

  int numRows() const override { return kNumSettingsSections; }

  QString query() const { return m_query; }
  void setQuery(const QString& query);
  bool isSearching() const { return !m_words.isEmpty(); }
  int section() const { return static_cast<int>(m_section); }
  QStringList sectionNames() const;  ///< Of the available sections.
  /// Index of the section into sectionNames(); -1 while searching.
  int sectionPlace() const;
  /// Shows a section and ends the search.
  Q_INVOKABLE void open(int section);
  Q_INVOKABLE void openPlace(int place);  ///< Index into sectionNames().
  /// CatalogEntry.id of what is shown, and sectionId() of where it is.
  QStringList shown() const { return m_shown; }
  QStringList shownSections() const;
  /// Whether the section that is shown has advanced settings; false while searching.
  bool hasAdvanced() const;
  bool showsAdvanced() const { return m_showsAdvanced; }
  void setShowsAdvanced(bool shows);
  QString summary() const;  ///< How much a search has found; empty without one.

  /// Whether the section exists here: the server's does not in every program.
  void setAvailable(SettingsSection section, bool isAvailable);

 signals:
  void changed();

 private:
  bool isShown(const CatalogEntry& entry) const;
  bool matches(const CatalogEntry& entry) const;
  QList<int> availableSections() const;
  int numMatches(SettingsSection section) const;
  void update();

  QTranslator m_korean;
  QString m_query;
  QStringList m_words;  ///< Of the query, case folded.
  SettingsSection m_section = SettingsSection::kAppearance;
  bool m_showsAdvanced = false;
  bool m_isAvailable[kNumSettingsSections] = {true, true, true, true, true, true, true, true};
  QStringList m_shown;
};

}  // namespace quire
