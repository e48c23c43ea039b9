#include "app/models/scan/model_scanner.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QElapsedTimer>
#include <QFileInfo>

#include <utility>

#include "app/models/scan/facts_cache.h"

namespace quire {
namespace {

constexpr qint64 kDeliverMs = 100;  ///< Models come in handfuls, not one event each.

QString reasonFor(ModelKind kind) {
  return kind == ModelKind::kProjector
             ? QCoreApplication::translate(
                   "quire::ModelScanner", "A vision projector: it lets another model see pictures.")
             : QCoreApplication::translate(
                   "quire::ModelScanner",
                   "An adapter: it changes another model and is none itself.");
}

}  // namespace

ModelScanner::ModelScanner(Options options, QObject* parent)
    : QObject(parent), m_options(std::move(options)), m_thread([this] { run(); }) {
  qRegisterMetaType<QList<FoundModel>>();
  qRegisterMetaType<QList<LeftOutFile>>();
  qRegisterMetaType<ScanReport>();
}

ModelScanner::~ModelScanner() {
  {
    const std::lock_guard lock(m_mutex);
    m_stopping = true;
    m_cancelled = true;
  }
  m_changed.notify_all();
  m_thread.join();
}

void ModelScanner::scan(const QStringList& folders) {
  {
    const std::lock_guard lock(m_mutex);
    m_work.number = ++m_lastScan;
    m_work.folders = folders;
    m_cancelled = true;
  }
  m_changed.notify_all();
  m_scanning = true;
  emit scanStarted();
}

void ModelScanner::inspect(const QString& path) {
  {
    const std::lock_guard lock(m_mutex);
    m_work.paths.append(path);
  }
  m_changed.notify_all();
}

void ModelScanner::cancel() {
  {
    const std::lock_guard lock(m_mutex);
    m_work.number = 0;
    m_cancelled = true;
  }
  if (!std::exchange(m_scanning, false)) return;
  ++m_lastScan;  // What is still under way is late.
  emit scanFinished({.cancelled = true});
}

void ModelScanner::run() {
  std::unique_lock lock(m_mutex);
  while (true) {
    m_changed.wait(lock,
                   [this] { return m_stopping || m_work.number != 0 || !m_work.paths.isEmpty(); });
    if (m_stopping) return;
    const Work work = {std::exchange(m_work.number, 0), m_work.folders, {}};
    m_cancelled = false;
    lock.unlock();
    inspectWaiting();
    if (work.number != 0) runScan(work);
    lock.lock();
  }
}

/// What was dropped onto the window is waited for; a scan is not, so these go first.
void ModelScanner::inspectWaiting() {
  QStringList paths;
  {
    const std::lock_guard lock(m_mutex);
    paths = std::exchange(m_work.paths, {});
  }
  for (const QString& path : std::as_const(paths)) {
    const QFileInfo info(path);
    const ModelCandidate candidate = {
        .path = path, .name = info.isDir() ? info.fileName() : info.completeBaseName()};
    const FoundModel model = describe(candidate, m_options.reader(path));
    QMetaObject::invokeMethod(this, [this, model] { emit inspected(model); });
  }
}

void ModelScanner::runScan(const Work& work) {
  ModelSearch search(m_options.limits, m_cancelled);
  for (const ModelPlace& place : knownPlaces(m_options.environment)) search.search(place);
  for (const QString& folder : work.folders) search.search({.source = {}, .path = folder});
  FactsCache cache(m_options.cachePath, m_options.readerVersion);
  cache.load();
  ScanReport report = {.limited = search.found().limited};
  deliver(work.number, {}, search.found().leftOut);
  readAll(work.number, search.found().candidates, cache, report);
  report.cancelled = m_cancelled;
  cache.save();
  QMetaObject::invokeMethod(this, [this, number = work.number, report] {
    if (number != m_lastScan) return;
    m_scanning = false;
    emit scanFinished(report);
  });
}

/// First what is known from before, then what has to be read.
void ModelScanner::readAll(quint64 number, const QList<ModelCandidate>& candidates,
                           FactsCache& cache, ScanReport& report) {
  QList<FoundModel> found;
  QList<LeftOutFile> leftOut;
  const auto take = [&](const ModelCandidate& candidate, const ModelFacts& facts) {
    if (facts.kind == ModelKind::kModel) {
      ++report.models;
      found.append(describe(candidate, facts));
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
  deliver(number, std::exchange(found, {}), std::exchange(leftOut, {}));
  QElapsedTimer sinceDelivery;
  sinceDelivery.start();
  for (const auto& [candidate, stamp] : std::as_const(unknown)) {
    inspectWaiting();
    if (m_cancelled) return;
    const ModelFacts facts = m_options.reader(candidate.path);
    cache.put(candidate.path, stamp, facts);
    ++report.read;
    take(candidate, facts);
    if (sinceDelivery.elapsed() < kDeliverMs) continue;
    deliver(number, std::exchange(found, {}), std::exchange(leftOut, {}));
    sinceDelivery.restart();
  }
  deliver(number, found, leftOut);
  cache.keepOnly(seen);
}

FoundModel ModelScanner::describe(const ModelCandidate& candidate, const ModelFacts& facts) const {
  const QFileInfo info(candidate.files.isEmpty() ? candidate.path : candidate.files.constFirst());
  return {.path = candidate.path,
          .name = candidate.name,
          .source = candidate.source,
          .place = candidate.place,
          .note = candidate.note,
          .facts = facts,
          .modifiedMs = info.lastModified().toMSecsSinceEpoch()};
}

void ModelScanner::deliver(quint64 number, const QList<FoundModel>& found,
                           const QList<LeftOutFile>& leftOut) {
  if (found.isEmpty() && leftOut.isEmpty()) return;
  QMetaObject::invokeMethod(this, [this, number, found, leftOut] {
    if (number != m_lastScan) return;
    if (!found.isEmpty()) emit modelsFound(found);
    if (!leftOut.isEmpty()) emit filesLeftOut(leftOut);
  });
}

}  // namespace quire
