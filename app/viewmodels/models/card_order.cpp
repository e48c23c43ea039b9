#include "app/viewmodels/models/card_order.h"

#include <QCollator>
#include <QCoreApplication>
#include <QDir>

#include <algorithm>
#include <utility>
#include <vector>

namespace quire {
namespace {

QString tr(const char* text) {
  return QCoreApplication::translate("quire", text);
}

enum SectionRank { kOpened, kFolders, kApplications, kBundled };

/// A card with all that decides its place.
struct Placed {
  ModelListModel::Row row;
  int rank = 0;
  bool loadable = true;
  QCollatorSortKey name;
};

QString inHome(const QString& path) {
  const QString home = QDir::homePath();
  return path.startsWith(home + u'/') ? u'~' + path.mid(home.size()) : path;
}

Placed place(ModelCard* card, const CardQuery& query, const QCollator& names) {
  const auto placed = [&](const QString& section, SectionRank rank) {
    return Placed{{card, section}, rank, card->obstacle().isEmpty(), names.sortKey(card->name())};
  };
  if (card->isDemonstration()) return placed(tr("Comes with Quire"), kBundled);
  if (!card->source().isEmpty()) return placed(card->source(), kApplications);
  const QString folder = card->found().place;
  if (folder.isEmpty() || query.opened.contains(card->path()))
    return placed(tr("Opened by you"), kOpened);
  return placed(inHome(folder), kFolders);
}

bool matches(const Placed& placed, const QStringList& words) {
  if (words.isEmpty()) return true;
  const QString text =
      placed.row.card->name() + u' ' + placed.row.card->factsText() + u' ' + placed.row.section;
  return std::all_of(words.cbegin(), words.cend(),
                     [&](const QString& word) { return text.contains(word, Qt::CaseInsensitive); });
}

}  // namespace

QList<ModelListModel::Row> ordered(const QList<ModelCard*>& cards, const CardQuery& query) {
  const QStringList words = query.search.split(u' ', Qt::SkipEmptyParts);
  QCollator names;
  names.setNumericMode(true);
  names.setCaseSensitivity(Qt::CaseInsensitive);
  std::vector<Placed> placed;
  for (ModelCard* card : cards) {
    Placed at = place(card, query, names);
    if (matches(at, words)) placed.push_back(std::move(at));
  }
  std::stable_sort(placed.begin(), placed.end(), [&](const Placed& a, const Placed& b) {
    if (a.rank != b.rank) return a.rank < b.rank;
    if (a.row.section != b.row.section) return a.row.section < b.row.section;
    if (a.loadable != b.loadable) return a.loadable;
    const ModelCard& left = *a.row.card;
    const ModelCard& right = *b.row.card;
    if (query.sort == CardSort::kSize &&
        left.found().facts.fileBytes != right.found().facts.fileBytes)
      return left.found().facts.fileBytes > right.found().facts.fileBytes;
    if (query.sort == CardSort::kLastUsed && left.lastUsedMs() != right.lastUsedMs())
      return left.lastUsedMs() > right.lastUsedMs();
    return a.name.compare(b.name) < 0;
  });
  QList<ModelListModel::Row> rows;
  for (const Placed& at : placed) rows.append(at.row);
  return rows;
}

QList<ModelListModel::Row> recent(const QList<ModelCard*>& cards, int most) {
  QList<ModelCard*> used;
  for (ModelCard* card : cards) {
    if (card->obstacle().isEmpty() &&
        (card->isServing() || card->isLoading() || card->lastUsedMs() > 0))
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
