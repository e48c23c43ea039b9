#include "app/models/scan/model_scanner.h"

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QFileInfo>

#include <algorithm>
#include <utility>

#include "app/models/scan/facts_cache.h"

namespace quire {
namespace {

constexpr qint64 kDeliverMs = 100;  ///< The least interval of modelsFound().

QString reasonFor(ModelKind kind) {
  return kind == ModelKind::kProjector
             ? QCoreApplication::translate(
                   "quire::ModelScanner", "A vision projector: it lets another model see pictures.")
             : QCoreApplication::translate(
                   "quire::ModelScanner",
                   "An adapter: it changes another model. Choose it in a persona.");
}

ModelFacts factsOfUnread() {
  ModelFacts facts;
  facts.obstacle = make_error(ErrorCode::kCancelled,
                              "It was not read, because other files took too long. Rescan to read "
                              "it.");
  return facts;
}

FoundModel found(const ModelCandidate& candidate, const ModelFacts& facts) {
  return {.path = candidate.path,
          .name = candidate.name,
          .source = candidate.source,
          .place = candidate.place,
          .note = candidate.note,
          .facts = facts};
}

}  // namespace

ModelScanner::ModelScanner(Options options, QObject* parent)
    : QObject(parent), m_options(std::move(options)) {}

void ModelScanner::scan(const QStringList& folders) {
  m_scans.runNewest([this, folders](const std::stop_token& stop) { return runScan(folders, stop); },
                    [this](const ScanReport& report) { emit scanFinished(report); });
  emit scanStarted();
}

void ModelScanner::inspect(const QString& path) {
  m_inspections.run(
      [this, path](const std::stop_token&) {
        const QFileInfo info(path);
        return FoundModel{.path = path,
                          .name = info.isDir() ? info.fileName() : info.completeBaseName(),
                          .facts = m_options.reader(path)};
      },
      [this](const FoundModel& model) { emit inspected(model); });
}

void ModelScanner::tryAgain(const QString& path) {
  forget(path);
  inspect(path);
}

void ModelScanner::cancel() {
  if (!isScanning()) return;
  m_scans.cancel();
  emit scanFinished({.cancelled = true});
}

ScanReport ModelScanner::runScan(const QStringList& folders, const std::stop_token& stop) {
  ModelSearch search(m_options.limits, stop);
  for (const ModelPlace& place : knownPlaces(m_options.environment)) search.search(place);
  for (const QString& folder : folders) search.search({.source = {}, .path = folder});
  FactsCache cache(m_options.cachePath, m_options.readerVersion);
  cache.load();
  ScanReport report = {.limited = search.found().limited};
  deliver({}, search.found().leftOut, stop);
  readAll(search.found().candidates, cache, report, stop);
  cache.save();
  return report;
}

/// First the models that are in the cache, then those that have to be read, small ones first.
void ModelScanner::readAll(const QList<ModelCandidate>& candidates, FactsCache& cache,
                           ScanReport& report, const std::stop_token& stop) {
  QList<FoundModel> models;
  QList<LeftOutFile> leftOut;
  const auto take = [&](const ModelCandidate& candidate, const ModelFacts& facts) {
    if (facts.kind == ModelKind::kModel) {
      ++report.models;
      models.append(found(candidate, facts));
    } else {
      leftOut.append({candidate.path, candidate.source, reasonFor(facts.kind)});
    }
  };
  QList<std::pair<ModelCandidate, QString>> unknown;
  QSet<QString> seen;
  for (const ModelCandidate& candidate : candidates) {
    const QString stamp = stampOf(candidate.files);
    seen.insert(candidate.path);
    if (const auto facts = cache.find(candidate.path, stamp)) {
      take(candidate, *facts);
    } else {
      unknown.append({candidate, stamp});
    }
  }
  deliver(std::exchange(models, {}), std::exchange(leftOut, {}), stop);
  std::stable_sort(unknown.begin(), unknown.end(), [](const auto& a, const auto& b) {
    return QFileInfo(a.first.path).size() < QFileInfo(b.first.path).size();
  });
  qint64 lostMs = 0;
  QElapsedTimer sinceDelivery;
  sinceDelivery.start();
  for (const auto& [candidate, stamp] : std::as_const(unknown)) {
    if (stop.stop_requested()) return;
    QElapsedTimer time;
    time.start();
    const ModelFacts facts =
        lostMs < m_options.mostLostMs ? m_options.reader(candidate.path) : factsOfUnread();
    // Quarantine is the reader's to remember; what was not read is read by the next scan.
    if (facts.isQuarantined || facts.obstacle.code == ErrorCode::kCancelled) {
      lostMs += time.elapsed();
    } else {
      cache.put(candidate.path, stamp, facts);
    }
    ++report.read;
    take(candidate, facts);
    if (sinceDelivery.elapsed() < kDeliverMs) continue;
    deliver(std::exchange(models, {}), std::exchange(leftOut, {}), stop);
    sinceDelivery.restart();
  }
  deliver(models, leftOut, stop);
  cache.keepOnly(seen);
}

void ModelScanner::deliver(const QList<FoundModel>& found, const QList<LeftOutFile>& leftOut,
                           const std::stop_token& stop) {
  if (found.isEmpty() && leftOut.isEmpty()) return;
  QMetaObject::invokeMethod(
      &m_scans,
      [this, found, leftOut, stop] {
        if (stop.stop_requested()) return;
        if (!found.isEmpty()) emit modelsFound(found);
        if (!leftOut.isEmpty()) emit filesLeftOut(leftOut);
      },
      Qt::QueuedConnection);
}

}  // namespace quire
