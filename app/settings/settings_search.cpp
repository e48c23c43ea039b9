#include "app/settings/settings_search.h"

#include <algorithm>

namespace quire {
namespace {

/// Compatibility composition, so that half-width and decomposed letters match.
QString foldText(const QString& text) {
  return text.normalized(QString::NormalizationForm_KC).toCaseFolded();
}

SettingsSection sectionAt(int row) {
  return static_cast<SettingsSection>(row);
}

}  // namespace

SettingsSearch::SettingsSearch(QObject* parent) : RoleListModel(parent) {
  if (!m_korean.load(QStringLiteral(":/quire/translations/quire_ko.qm")))
    qWarning("The Korean texts for the search of settings are missing.");
  setRoles({{kName, "name", [](int row) { return sectionName(sectionAt(row)); }},
            {kIcon, "sectionIcon", [](int row) { return sectionIcon(sectionAt(row)); }},
            {kIsCurrent, "isCurrent",
             [this](int row) { return !isSearching() && sectionAt(row) == m_section; }},
            {kMatches, "matches",
             [this](int row) {
               return isSearching() ? QString::number(numMatches(sectionAt(row))) : QString();
             }},
            {kIsAvailable, "isAvailable", [this](int row) { return m_isAvailable[row]; }}});
  update();
}

void SettingsSearch::setQuery(const QString& query) {
  if (query == m_query) return;
  m_query = query;
  m_words = foldText(query).split(u' ', Qt::SkipEmptyParts);
  update();
}

QStringList SettingsSearch::sectionNames() const {
  QStringList names;
  for (const int row : availableSections()) names.append(sectionName(sectionAt(row)));
  return names;
}

QList<int> SettingsSearch::availableSections() const {
  QList<int> rows;
  for (int row = 0; row < numRows(); ++row) {
    if (m_isAvailable[row]) rows.append(row);
  }
  return rows;
}

int SettingsSearch::sectionPlace() const {
  return isSearching() ? -1 : static_cast<int>(availableSections().indexOf(section()));
}

void SettingsSearch::openPlace(int place) {
  open(availableSections().value(place, -1));
}

void SettingsSearch::open(int section) {
  if (section < 0 || section >= numRows() || !m_isAvailable[section]) return;
  m_section = sectionAt(section);
  m_query.clear();
  m_words.clear();
  update();
}

QStringList SettingsSearch::shownSections() const {
  if (!isSearching()) return {sectionId(m_section)};
  QStringList ids;
  for (int row = 0; row < numRows(); ++row) {
    if (numMatches(sectionAt(row)) > 0) ids.append(sectionId(sectionAt(row)));
  }
  return ids;
}

bool SettingsSearch::hasAdvanced() const {
  return !isSearching() && std::ranges::any_of(catalogEntries(), [this](const CatalogEntry& entry) {
    return entry.section == m_section && entry.isAdvanced;
  });
}

void SettingsSearch::setShowsAdvanced(bool shows) {
  if (shows == m_showsAdvanced) return;
  m_showsAdvanced = shows;
  update();
}

QString SettingsSearch::summary() const {
  if (!isSearching()) return {};
  if (m_shown.isEmpty()) return tr("No setting matches “%1”.").arg(m_query.trimmed());
  return tr("%n setting(s) found", nullptr, static_cast<int>(m_shown.size()));
}

void SettingsSearch::setAvailable(SettingsSection section, bool isAvailable) {
  bool& stored = m_isAvailable[static_cast<size_t>(section)];
  if (stored == isAvailable) return;
  stored = isAvailable;
  if (!isAvailable && m_section == section) m_section = SettingsSection::kAppearance;
  update();
}

bool SettingsSearch::isShown(const CatalogEntry& entry) const {
  if (!m_isAvailable[static_cast<size_t>(entry.section)]) return false;
  if (isSearching()) return matches(entry);
  return entry.section == m_section && (m_showsAdvanced || !entry.isAdvanced);
}

/// Each word is in the English texts or in the Korean ones.
bool SettingsSearch::matches(const CatalogEntry& entry) const {
  QString haystack = sectionName(entry.section);
  for (const QString& text : entry.texts) {
    haystack += u'\n' + text + u'\n' + m_korean.translate(entry.context, text.toUtf8().constData());
  }
  const QString folded = foldText(haystack);
  return std::ranges::all_of(m_words, [&](const QString& word) { return folded.contains(word); });
}

int SettingsSearch::numMatches(SettingsSection section) const {
  return static_cast<int>(std::ranges::count_if(catalogEntries(), [&](const CatalogEntry& entry) {
    return entry.section == section && isShown(entry);
  }));
}

void SettingsSearch::update() {
  m_shown.clear();
  for (const CatalogEntry& entry : catalogEntries()) {
    if (isShown(entry)) m_shown.append(entry.id);
  }
  announceRows();
  emit changed();
}

}  // namespace quire
