#include "app/settings/settings_search.h"

#include <algorithm>

#include "app/settings/setting_synonyms.h"

namespace quire {
namespace {

/// Compatibility composition, so that half-width and decomposed letters match.
QString foldForSearch(const QString& text) {
  return text.normalized(QString::NormalizationForm_KC).toCaseFolded();
}

/// Words of Latin letters and digits are found by their beginning: "ram" is not in "program".
/// Korean joins words, so its letters are found anywhere.
bool isOfWord(QChar letter) {
  return letter.isDigit() || letter.script() == QChar::Script_Latin;
}

bool hasWordWith(const QString& text, const QString& beginning) {
  for (qsizetype at = text.indexOf(beginning); at >= 0; at = text.indexOf(beginning, at + 1)) {
    if (at == 0 || !isOfWord(beginning.front()) || !isOfWord(text[at - 1])) return true;
  }
  return false;
}

SettingsSection sectionAt(int row) {
  return static_cast<SettingsSection>(row);
}

}  // namespace

SettingsSearch::SettingsSearch(QObject* parent) : RoleListModel(parent) {
  if (!m_korean.load(QStringLiteral(":/quire/translations/quire_ko.qm")))
    qWarning("The Korean texts for the search of settings are missing.");
  setRoles({{kId, "sectionId", [](int row) { return sectionId(sectionAt(row)); }},
            {kName, "name", [](int row) { return sectionName(sectionAt(row)); }},
            {kIcon, "sectionIcon", [](int row) { return sectionIcon(sectionAt(row)); }},
            {kIsCurrent, "isCurrent",
             [this](int row) { return !isSearching() && sectionAt(row) == m_section; }},
            {kMatches, "matches",
             [this](int row) {
               return isSearching() ? QString::number(m_numShown[static_cast<size_t>(row)])
                                    : QString();
             }},
            {kIsAvailable, "isAvailable", [this](int row) { return m_isAvailable[row]; }}});
  update();
}

void SettingsSearch::setQuery(const QString& query) {
  if (query == m_query) return;
  m_query = query;
  m_words = foldForSearch(query).split(u' ', Qt::SkipEmptyParts);
  if (isSearching() && m_haystacks.isEmpty()) {
    for (const CatalogEntry& entry : catalogEntries()) m_haystacks.append(haystackOf(entry));
  }
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

bool SettingsSearch::shows(const QString& setting, int /*version*/) const {
  return m_shown.contains(setting);
}

bool SettingsSearch::showsSection(const QString& section, int /*version*/) const {
  for (int row = 0; row < numRows(); ++row) {
    if (sectionId(sectionAt(row)) == section) return isSectionShown(row);
  }
  return false;
}

bool SettingsSearch::isSectionShown(int row) const {
  return isSearching() ? m_numShown[static_cast<size_t>(row)] > 0 : sectionAt(row) == m_section;
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
  if (findsNothing()) return tr("No setting matches “%1”.").arg(m_query.trimmed());
  return tr("%n setting(s) found", nullptr, static_cast<int>(m_shown.size()));
}

void SettingsSearch::setAvailable(SettingsSection section, bool isAvailable) {
  bool& stored = m_isAvailable[static_cast<size_t>(section)];
  if (stored == isAvailable) return;
  stored = isAvailable;
  if (!isAvailable && m_section == section) m_section = SettingsSection::kAppearance;
  update();
}

bool SettingsSearch::isShown(qsizetype entry) const {
  const CatalogEntry& known = catalogEntries()[entry];
  if (!m_isAvailable[static_cast<size_t>(known.section)]) return false;
  if (isSearching()) return matches(entry);
  return known.section == m_section && (m_showsAdvanced || !known.isAdvanced);
}

bool SettingsSearch::matches(qsizetype entry) const {
  return std::ranges::all_of(
      m_words, [&](const QString& word) { return hasWordWith(m_haystacks[entry], word); });
}

/// Its texts, its section's name and other words for it, each in English and in Korean.
QString SettingsSearch::haystackOf(const CatalogEntry& entry) const {
  QStringList texts;
  const auto add = [&](const char* context, const QString& text) {
    texts << text << m_korean.translate(context, text.toUtf8().constData());
  };
  const SectionText section = sectionText(entry.section);
  add(section.context, QString::fromUtf8(section.name));
  for (const QString& text : entry.texts) add(entry.context, text);
  if (const QString words = settingSynonyms(entry.id); !words.isEmpty()) {
    add(kSettingSynonymsContext, words);
  }
  return foldForSearch(texts.join(u'\n'));
}

void SettingsSearch::update() {
  m_shown.clear();
  m_numShown.fill(0);
  const QList<CatalogEntry>& entries = catalogEntries();
  for (qsizetype i = 0; i < entries.size(); ++i) {
    if (!isShown(i)) continue;
    m_shown.append(entries[i].id);
    ++m_numShown[static_cast<size_t>(entries[i].section)];
  }
  ++m_version;
  announceRows();
  emit changed();
}

}  // namespace quire
