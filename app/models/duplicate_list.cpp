#include "app/models/duplicate_list.h"

#include <QDir>

#include <memory>

#include "app/models/model_labels.h"
#include "app/models/model_removal.h"
#include "app/report_pace.h"
#include "app/size_text.h"

namespace quire {
namespace {

constexpr int kSearchReportMs = 100;

QString copySize(qint64 bytes) {
  return sizeText(static_cast<quint64>(bytes));
}

}  // namespace

DuplicateList::DuplicateList(QObject* parent) : RoleListModel(parent) {
  setRoles({{kPath, "path", [this](int row) { return m_rows[row].path; }},
            {kName, "name", [this](int row) { return m_rows[row].name; }},
            {kPlace, "place", [this](int row) { return m_rows[row].place; }},
            {kIsFirst, "isFirst", [this](int row) { return isFirst(row); }},
            {kSizeText, "sizeText", [this](int row) { return copySize(m_rows[row].bytes); }}});
  connect(this, &DuplicateList::changed, this, &DuplicateList::progressed);
}

bool DuplicateList::isFirst(int row) const {
  return row == 0 || m_rows[row - 1].group != m_rows[row].group;
}

void DuplicateList::search(const QList<ModelCard*>& cards) {
  QList<StoredModel> models;
  QList<Row> rows;
  for (const ModelCard* card : cards) {
    if (!card->isFound() || card->isDemonstration()) continue;
    models.append(storedModel(*card));
    const QString path = model_labels::shortPath(card->path(), QDir::homePath() + u'/');
    rows.append(
        {.path = card->path(),
         .name = card->name(),
         .place = card->source().isEmpty() ? path : tr("%1 · %2").arg(card->source(), path)});
  }
  m_isOpen = true;
  m_isRunning = true;
  m_done = m_total = 0;
  setRows({});
  m_tasks.runNewest(
      [this, models, cachePath = m_cachePath](const std::stop_token& stop) {
        HashCache cache(cachePath);
        auto pace = std::make_shared<ReportPace>(kSearchReportMs);
        const auto report = [this, stop, pace](qint64 done, qint64 total) {
          if (!pace->passes()) return;
          QMetaObject::invokeMethod(
              this,
              [this, stop, done, total] {
                if (stop.stop_requested()) return;
                m_done = done;
                m_total = total;
                emit progressed();
              },
              Qt::QueuedConnection);
        };
        return findDuplicates(models, cache, stop, report);
      },
      [this, rows](const DuplicateSearchResult& result) { onFound(rows, result); });
}

void DuplicateList::onFound(const QList<Row>& models, const DuplicateSearchResult& result) {
  m_isRunning = false;
  m_numUnreadable = result.numUnreadable;
  QList<Row> rows;
  for (qsizetype group = 0; group < result.groups.size(); ++group) {
    for (const qsizetype model : result.groups[group].models) {
      rows.append(models[model]);
      rows.last().group = group;
      rows.last().bytes = result.groups[group].bytes;
    }
  }
  setRows(rows);
}

void DuplicateList::setRows(const QList<Row>& rows) {
  beginResetModel();
  m_rows = rows;
  endResetModel();
  emit changed();
}

void DuplicateList::cancel() {
  m_tasks.cancel();
  m_isRunning = false;
  close();
}

void DuplicateList::close() {
  if (m_isRunning) return cancel();
  if (!m_isOpen) return;
  m_isOpen = false;
  emit changed();
}

void DuplicateList::remove(const QString& path) {
  QList<Row> rows;
  for (const Row& row : std::as_const(m_rows)) {
    if (row.path != path) rows.append(row);
  }
  // The last copy of a model is not a duplicate.
  QHash<qsizetype, int> copies;
  for (const Row& row : std::as_const(rows)) ++copies[row.group];
  rows.removeIf([&](const Row& row) { return copies.value(row.group) < 2; });
  if (rows.size() != m_rows.size()) setRows(rows);
}

QString DuplicateList::summaryText() const {
  if (m_isRunning) {
    return m_total > 0 ? tr("Reading files of equal size: %1 of %2")
                             .arg(copySize(m_done), copySize(m_total))
                       : tr("Comparing sizes…");
  }
  if (!m_isOpen) return {};
  qint64 freed = 0;
  int numModels = 0;
  for (int row = 0; row < count(); ++row) {
    if (isFirst(row)) {
      ++numModels;
    } else {
      freed += m_rows[row].bytes;
    }
  }
  QString text =
      numModels == 0
          ? tr("No model is on your disks twice.")
          : tr("%n model(s) more than once. Keeping one copy of each frees %1.", nullptr, numModels)
                .arg(copySize(freed));
  if (m_numUnreadable > 0) {
    text += u' ' + tr("%n model(s) could not be read.", nullptr, m_numUnreadable);
  }
  return text;
}

}  // namespace quire
