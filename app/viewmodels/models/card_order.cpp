#include "app/viewmodels/models/card_order.h"

#include <QCollator>
#include <QCoreApplication>
#include <QDir>

#include <algorithm>

namespace quire {
namespace {

QString tr(const char* text) {
  return QCoreApplication::translate("quire::ModelLibrary", text);
}

enum SectionRank { kOpened, kFolders, kApplications, kBundled };

/// A card with all that decides its place.
struct Placed {
  ModelListModel::Row row;
  int rank = 0;
  bool loadable = true;
};

QString inHome(const QString& path) {
  const QString home = QDir::homePath();
  return path.startsWith(home + u'/') ? u'~' + path.mid(home.size()) : path;
}

Placed place(ModelCard* card, const CardQuery& query) {
  const bool loadable = card->obstacle().isEmpty();
  if (card->isDemonstration()) return {{card, tr("Comes with Quire")}, kBundled, loadable};
  if (!card->source().isEmpty()) return {{card, card->source()}, kApplications, loadable};
  const QString folder = card->found().place;
  if (folder.isEmpty() || query.opened.contains(card->path()))
    return {{card, tr("Opened by you")}, kOpened, loadable};
  return {{card, inHome(folder)}, kFolders, loadable};
}

bool matches(const Placed& placed, const QStringList& words) {
  const QString text =
      placed.row.card->name() + u' ' + placed.row.card->factsText() + u' ' + placed.row.section;
  return std::all_of(words.cbegin(), words.cend(),
                     [&](const QString& word) { return text.contains(word, Qt::CaseInsensitive); });
}

}  // namespace

QList<ModelListModel::Row> ordered(const QList<ModelCard*>& cards, const CardQuery& query) {
  const QStringList words = query.search.split(u' ', Qt::SkipEmptyParts);
  QList<Placed> placed;
  for (ModelCard* card : cards) {
    const Placed at = place(card, query);
    if (matches(at, words)) placed.append(at);
  }
  QCollator names;
  names.setNumericMode(true);
  names.setCaseSensitivity(Qt::CaseInsensitive);
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
    return names.compare(left.name(), right.name()) < 0;
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
