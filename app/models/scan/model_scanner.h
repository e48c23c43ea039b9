#pragma once

#include <QObject>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

#include "app/models/scan/found_model.h"
#include "app/models/scan/model_places.h"
#include "app/models/scan/model_search.h"

namespace quire {

class FactsCache;

/// How a search went.
struct ScanReport {
  int models = 0;
  int read = 0;          ///< Of them, read anew; the others had not changed since the last time.
  bool limited = false;  ///< There was more than a search looks at.
  bool cancelled = false;
};

/// Finds the models on this computer, where other applications keep them and in folders that the
/// user chose, and reads what they are. Nothing is copied, moved or written beside them.
///
/// Thread: the window's for every call and signal; the searching is done on another.
/// Invariants: signals come only for the last scan that was asked for; the destructor returns after
/// the model that is being read.
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
  ~ModelScanner() override;

  /// Looks through what the applications have and `folders`; a scan under way is given up.
  void scan(const QStringList& folders);
  /// Reads one file or folder now, apart from any scan; `inspected` follows.
  void inspect(const QString& path);
  void cancel();
  bool isScanning() const { return m_scanning; }

 signals:
  void scanStarted();
  /// As they are read, those that are known from before at once.
  void modelsFound(const QList<quire::FoundModel>& models);
  void filesLeftOut(const QList<quire::LeftOutFile>& files);
  void scanFinished(const quire::ScanReport& report);
  void inspected(const quire::FoundModel& model);

 private:
  struct Work {
    quint64 number = 0;  ///< Of a scan; 0: nothing to scan.
    QStringList folders;
    QStringList paths;  ///< To inspect.
  };
  struct Results;

  void run();
  void inspectWaiting();
  void runScan(const Work& work);
  void readAll(quint64 number, const QList<ModelCandidate>& candidates, FactsCache& cache,
               ScanReport& report);
  FoundModel describe(const ModelCandidate& candidate, const ModelFacts& facts) const;
  void deliver(quint64 number, const QList<FoundModel>& found, const QList<LeftOutFile>& leftOut);

  const Options m_options;
  quint64 m_lastScan = 0;
  bool m_scanning = false;

  std::atomic<bool> m_cancelled = false;
  std::mutex m_mutex;  ///< Guards everything below.
  std::condition_variable m_changed;
  Work m_work;
  bool m_stopping = false;

  std::thread m_thread;  ///< Last: started when all of the above is there.
};

}  // namespace quire

Q_DECLARE_METATYPE(quire::ScanReport)
