#pragma once

#include <QObject>

#include "app/models/scan/found_model.h"
#include "app/models/scan/model_places.h"
#include "app/models/scan/model_search.h"
#include "app/task_runner.h"

namespace quire {

class FactsCache;

/// The result of a scan.
struct ScanReport {
  int models = 0;
  int read = 0;          ///< Of `models`; the others were in the cache.
  bool limited = false;  ///< The scan stopped at ModelSearch::Limits.
  bool cancelled = false;
};

/// Finds the models in the folders of other applications and of the user, and reads their headers.
/// It changes nothing in these folders.
///
/// Thread: the window's for all calls and signals; files are read on worker threads.
/// Invariants: signals are emitted only for the latest scan.
class ModelScanner : public QObject {
  Q_OBJECT

 public:
  struct Options {
    ModelReader reader;
    PlaceEnvironment environment;
    QString cachePath = {};      ///< The file of the FactsCache; empty: none.
    QString readerVersion = {};  ///< A new version invalidates the cache.
    ModelSearch::Limits limits = {};
    /// Ends a model's quarantine, for tryAgain().
    std::function<void(const QString& path)> forget = {};
    /// A scan reads no more models after those in quarantine and those whose reading was
    /// interrupted have taken so long.
    int mostLostMs = 20'000;
  };

  explicit ModelScanner(Options options, QObject* parent = nullptr);

  /// Scans the folders of the applications and `folders`; cancels a running scan.
  void scan(const QStringList& folders);
  /// Reads one file or folder now, apart from any scan; `inspected` follows.
  void inspect(const QString& path);
  /// The same for a model in quarantine, which it leaves.
  void tryAgain(const QString& path);
  /// Ends a model's quarantine without reading it.
  void forget(const QString& path) {
    if (m_options.forget) m_options.forget(path);
  }
  void cancel();
  bool isScanning() const { return m_scans.isBusy(); }

 signals:
  void scanStarted();
  /// Emitted in batches during a scan; cached models are first.
  void modelsFound(const QList<quire::FoundModel>& models);
  void filesLeftOut(const QList<quire::LeftOutFile>& files);
  void scanFinished(const quire::ScanReport& report);
  void inspected(const quire::FoundModel& model);

 private:
  // On the worker thread:
  ScanReport runScan(const QStringList& folders, const std::stop_token& stop);
  void readAll(const QList<ModelCandidate>& candidates, FactsCache& cache, ScanReport& report,
               const std::stop_token& stop);
  void deliver(const QList<FoundModel>& found, const QList<LeftOutFile>& leftOut,
               const std::stop_token& stop);

  const Options m_options;
  TaskRunner m_scans;
  TaskRunner m_inspections;  ///< Separate, so that the user need not wait for a scan.
};

}  // namespace quire
