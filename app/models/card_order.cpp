#include <QCoreApplication>
#include <QDir>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "app/models/model_labels.h"
#include "app/models/model_list_model.h"

namespace quire {
namespace {

// Translated by sectionLabel() when they are shown.
constexpr const char* kBundledSection = QT_TRANSLATE_NOOP("quire", "Comes with Quire");
constexpr const char* kOpenedSection = QT_TRANSLATE_NOOP("quire", "Opened by you");
constexpr const char* kInUseSection = QT_TRANSLATE_NOOP("quire", "Loaded");
constexpr const char* kUnusableSection = QT_TRANSLATE_NOOP("quire", "Cannot be loaded");

enum SectionRank { kInUse, kOpened, kFolders, kApplications, kBundled, kUnusable };

/// Sections are ordered by rank, then by name.
using Section = std::pair<SectionRank, QString>;

/// `home` ends with a slash.
Section sectionOf(const ModelCard& card, const CardQuery& query, const QString& home) {
  if (card.isServing() || card.isLoading()) {
    return {kInUse, QString::fromLatin1(kInUseSection)};
  }
  if (card.hasObstacle()) return {kUnusable, QString::fromLatin1(kUnusableSection)};
  if (card.isDemonstration()) return {kBundled, QString::fromLatin1(kBundledSection)};
  if (!card.source().isEmpty()) return {kApplications, card.source()};
  const QString& folder = card.found().place;
  if (folder.isEmpty() || query.opened.contains(card.path()))
    return {kOpened, QString::fromLatin1(kOpenedSection)};
  return {kFolders, model_labels::shortPath(folder, home)};
}

/// A card and its keys, which are looked up once instead of in each comparison.
struct Entry {
  ModelCard* card = nullptr;
  const CardKeys* keys = nullptr;
};

bool matches(const Entry& entry, const QString& section, const QStringList& words) {
  const QString shown = sectionLabel(section);
  return std::all_of(words.cbegin(), words.cend(), [&](const QString& word) {
    return entry.keys->words.contains(word, Qt::CaseInsensitive) ||
           shown.contains(word, Qt::CaseInsensitive);
  });
}

/// The order of two cards of a section.
bool precedes(const Entry& one, const Entry& two, CardSort sort) {
  const ModelCard& a = *one.card;
  const ModelCard& b = *two.card;
  if (a.isPrimary() != b.isPrimary()) return a.isPrimary();
  const quint64 size = a.found().facts.fileBytes;
  const quint64 other = b.found().facts.fileBytes;
  if (sort == CardSort::kSize && size != other) return size > other;
  if (sort == CardSort::kLastUsed && a.lastUsedMs() != b.lastUsedMs())
    return a.lastUsedMs() > b.lastUsedMs();
  return one.keys->name.compare(two.keys->name) < 0;
}

}  // namespace

QString sectionLabel(const QString& section) {
  for (const char* translated :
       {kBundledSection, kOpenedSection, kInUseSection, kUnusableSection}) {
    if (section == QLatin1String(translated))
      return QCoreApplication::translate("quire", translated);
  }
  return section;
}

QList<ModelListModel::Row> ordered(const QList<ModelCard*>& cards, const CardQuery& query) {
  const QStringList words = query.search.split(u' ', Qt::SkipEmptyParts);
  const QString home = QDir::homePath() + u'/';
  std::map<Section, std::vector<Entry>> sections;
  for (ModelCard* card : cards) {
    const Section section = sectionOf(*card, query, home);
    const Entry entry = {card, &card->keys()};
    if (matches(entry, section.second, words)) sections[section].push_back(entry);
  }
  QList<ModelListModel::Row> rows;
  for (auto& [section, within] : sections) {
    std::stable_sort(within.begin(), within.end(),
                     [&](const Entry& a, const Entry& b) { return precedes(a, b, query.sort); });
    for (const Entry& entry : within) rows.append({entry.card, section.second});
  }
  return rows;
}

QList<ModelListModel::Row> recent(const QList<ModelCard*>& cards, int most, const QString& search) {
  const QStringList words = search.split(u' ', Qt::SkipEmptyParts);
  QList<ModelCard*> used;
  for (ModelCard* card : cards) {
    const bool isRecent = card->isServing() || card->isLoading() || card->lastUsedMs() > 0;
    const bool isWanted = words.isEmpty() ? isRecent : matches({card, &card->keys()}, {}, words);
    if (isWanted && !card->hasObstacle()) used.append(card);
  }
  std::stable_sort(used.begin(), used.end(), [](const ModelCard* a, const ModelCard* b) {
    if (a->isServing() != b->isServing()) return a->isServing();
    return a->lastUsedMs() > b->lastUsedMs();
  });
  QList<ModelListModel::Row> rows;
  for (ModelCard* card : used.mid(0, most)) rows.append(ModelListModel::Row{card, {}});
  return rows;
}

}  // namespace quire
