#pragma once

#include <QtQml/qqmlregistration.h>
#include <QTranslator>

#include <array>

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
  Q_PROPERTY(int version READ version NOTIFY changed)
  Q_PROPERTY(bool findsNothing READ findsNothing NOTIFY changed)
  Q_PROPERTY(bool hasAdvanced READ hasAdvanced NOTIFY changed)
  Q_PROPERTY(bool showsAdvanced READ showsAdvanced WRITE setShowsAdvanced NOTIFY changed)
  Q_PROPERTY(QString summary READ summary NOTIFY changed)

 public:
  enum Role {
    kId = Qt::UserRole + 1,  ///< sectionId()
    kName,
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
  Q_INVOKABLE void openPlace(int place);         ///< Index into sectionNames().
  QStringList shown() const { return m_shown; }  ///< CatalogEntry.id of what is shown.
  /// Whether a setting (CatalogEntry.id) and a section (sectionId()) are shown. A binding passes
  /// version(), so that it is evaluated again when the answer may be another.
  Q_INVOKABLE bool shows(const QString& setting, int version) const;
  Q_INVOKABLE bool showsSection(const QString& section, int version) const;
  int version() const { return m_version; }
  bool findsNothing() const { return isSearching() && m_shown.isEmpty(); }
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
  bool isShown(qsizetype entry) const;
  bool matches(qsizetype entry) const;
  QString haystackOf(const CatalogEntry& entry) const;
  QList<int> availableSections() const;
  bool isSectionShown(int row) const;
  void update();

  QTranslator m_korean;
  QString m_query;
  QStringList m_words;      ///< Of the query, folded.
  QStringList m_haystacks;  ///< Folded, as many as catalogEntries(); empty before a search.
  SettingsSection m_section = SettingsSection::kAppearance;
  bool m_showsAdvanced = false;
  bool m_isAvailable[kNumSettingsSections] = {true, true, true, true, true, true, true, true};
  QStringList m_shown;
  std::array<int, kNumSettingsSections> m_numShown = {};  ///< Settings of each section.
  int m_version = 0;
};

}  // namespace quire
