#include "app/models/card_order.h"

#include <QCoreApplication>
#include <QDir>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace quire {
namespace {

constexpr const char* kTold[] = {QT_TRANSLATE_NOOP("quire", "Comes with Quire"),
                                 QT_TRANSLATE_NOOP("quire", "Opened by you")};

enum SectionRank { kOpened, kFolders, kApplications, kBundled };

/// What stands above cards: these words are translated where they are shown.
struct Sections {
  QString bundled;
  QString opened;
  QString home;

  QString inHome(const QString& path) const {
    return path.startsWith(home) ? QStringLiteral("~/") + path.mid(home.size()) : path;
  }
};

Sections sectionsNow() {
  return {.bundled = QStringLiteral("Comes with Quire"),
          .opened = QStringLiteral("Opened by you"),
          .home = QDir::homePath() + u'/'};
}

/// A card with all that decides its place.
struct Placed {
  ModelListModel::Row row;
  int rank = 0;
};

Placed place(ModelCard* card, const CardQuery& query, const Sections& sections) {
  if (card->isDemonstration()) return {{card, sections.bundled}, kBundled};
  if (!card->source().isEmpty()) return {{card, card->source()}, kApplications};
  const QString& folder = card->found().place;
  if (folder.isEmpty() || query.opened.contains(card->path()))
    return {{card, sections.opened}, kOpened};
  return {{card, sections.inHome(folder)}, kFolders};
}

/// A card and its keys, which are looked up once and not at each comparison.
struct Entry {
  ModelCard* card = nullptr;
  const CardKeys* keys = nullptr;
};

bool matches(const Entry& entry, const QString& section, const QStringList& words) {
  const QString shown = sectionWords(section);
  return std::all_of(words.cbegin(), words.cend(), [&](const QString& word) {
    return entry.keys->words.contains(word, Qt::CaseInsensitive) ||
           shown.contains(word, Qt::CaseInsensitive);
  });
}

/// Whether a stands before b, of one section.
bool precedes(const Entry& one, const Entry& two, CardSort sort) {
  const ModelCard& a = *one.card;
  const ModelCard& b = *two.card;
  if (a.hasObstacle() != b.hasObstacle()) return !a.hasObstacle();
  const quint64 size = a.found().facts.fileBytes;
  const quint64 other = b.found().facts.fileBytes;
  if (sort == CardSort::kSize && size != other) return size > other;
  if (sort == CardSort::kLastUsed && a.lastUsedMs() != b.lastUsedMs())
    return a.lastUsedMs() > b.lastUsedMs();
  return one.keys->name.compare(two.keys->name) < 0;
}

}  // namespace

QString sectionWords(const QString& section) {
  for (const char* told : kTold) {
    if (section == QLatin1String(told)) return QCoreApplication::translate("quire", told);
  }
  return section;
}

QList<ModelListModel::Row> ordered(const QList<ModelCard*>& cards, const CardQuery& query) {
  const QStringList words = query.search.split(u' ', Qt::SkipEmptyParts);
  const Sections sections = sectionsNow();
  std::map<std::pair<int, QString>, std::vector<Entry>> placed;
  for (ModelCard* card : cards) {
    const Placed at = place(card, query, sections);
    const Entry entry = {card, &card->keys()};
    if (matches(entry, at.row.section, words)) placed[{at.rank, at.row.section}].push_back(entry);
  }
  QList<ModelListModel::Row> rows;
  for (auto& [section, within] : placed) {
    std::stable_sort(within.begin(), within.end(),
                     [&](const Entry& a, const Entry& b) { return precedes(a, b, query.sort); });
    for (const Entry& entry : within) rows.append({entry.card, section.second});
  }
  return rows;
}

QList<ModelListModel::Row> recent(const QList<ModelCard*>& cards, int most) {
  QList<ModelCard*> used;
  for (ModelCard* card : cards) {
    if (!card->hasObstacle() && (card->isServing() || card->isLoading() || card->lastUsedMs() > 0))
      used.append(card);
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
