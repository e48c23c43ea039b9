#pragma once

#include <QObject>

#include "app/models/scan/found_model.h"
#include "app/models/scan/model_places.h"
#include "app/models/scan/model_search.h"
#include "app/task_runner.h"

namespace quire {

class FactsCache;

/// How a search went.
struct ScanReport {
  int models = 0;
  int read = 0;          ///< Of them, read anew; the others had not changed since the last time.
  bool limited = false;  ///< There was more than a search looks at.
  bool cancelled = false;
};

/// Finds the models on this computer, in the folders of other applications and in those that the
/// user chose, and reads their headers. Nothing is copied, moved or written there.
///
/// Thread: the window's for every call and signal; files are searched and read on others.
/// Invariants: signals come only for the last scan that was started.
class ModelScanner : public QObject {
  Q_OBJECT

 public:
  struct Options {
    ModelReader reader;
    PlaceEnvironment environment;
    QString cachePath = {};      ///< What was read before is kept here; empty: nowhere.
    QString readerVersion = {};  ///< Another one reads everything again.
    ModelSearch::Limits limits = {};
  };

  explicit ModelScanner(Options options, QObject* parent = nullptr);

  /// Scans the folders of the applications and `folders`; cancels a running scan.
  void scan(const QStringList& folders);
  /// Reads one file or folder now, apart from any scan; `inspected` follows.
  void inspect(const QString& path);
  void cancel();
  bool isScanning() const { return m_scans.isBusy(); }

 signals:
  void scanStarted();
  /// As they are read, those that are known from before at once.
  void modelsFound(const QList<quire::FoundModel>& models);
  void filesLeftOut(const QList<quire::LeftOutFile>& files);
  void scanFinished(const quire::ScanReport& report);
  void inspected(const quire::FoundModel& model);

 private:
  /// Both on the worker.
  ScanReport runScan(const QStringList& folders, const std::stop_token& stop);
  void readAll(const QList<ModelCandidate>& candidates, FactsCache& cache, ScanReport& report,
               const std::stop_token& stop);
  void deliver(const QList<FoundModel>& found, const QList<LeftOutFile>& leftOut,
               const std::stop_token& stop);

  const Options m_options;
  TaskRunner m_scans;
  TaskRunner m_inspections;  ///< The user waits for these, so they do not wait for a scan.
};

}  // namespace quire
