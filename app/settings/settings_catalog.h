#pragma once

#include <QString>
#include <QStringList>

namespace quire {

/// The sections of the settings page, in the order in which they are shown.
enum class SettingsSection {
  kAppearance,
  kAnswers,
  kNotifications,
  kEngine,
  kServer,
  kData,
  kPrivacy,
  kAbout
};
inline constexpr int kNumSettingsSections = 8;

/// A setting as the page names it, for its sections and its search.
struct CatalogEntry {
  QString id;  ///< SettingRow.setting of its row.
  SettingsSection section = SettingsSection::kAppearance;
  bool isAdvanced = false;
  const char* context = "";  ///< Of the texts, for translation.
  QStringList texts = {};    ///< English: its name, then what else it is found by.
};

/// All settings, by section.
const QList<CatalogEntry>& catalogEntries();

/// "appearance": the section in QML.
QString sectionId(SettingsSection section);
/// The heading of a section on the page, in English, with its context for translation.
struct SectionText {
  const char* context;
  const char* name;
};
SectionText sectionText(SettingsSection section);
/// The section's name in the window's language.
QString sectionName(SettingsSection section);
QString sectionIcon(SettingsSection section);

}  // namespace quire
