#pragma once

#include <QString>

#include <chrono>
#include <memory>
#include <mutex>
#include <stop_token>
#include <vector>

#include "app/inspect/inspector_client.h"
#include "app/models/scan/model_facts.h"
#include "app/models/scan/model_verdicts.h"

namespace quire {

/// Reads models through quire-inspect, and keeps those in quarantine whose reading ended its
/// process. Where the program is missing, models are read in this process, with the reader's own
/// limits alone. Where it is there and does not run, they are not read at all, and no model is
/// blamed for it.
///
/// Thread: any; each concurrent call has a client of its own.
/// Invariants: a model in quarantine is not read by any process. One whose reading did not end in
/// time although it hardly computed is read a second time, and then comes into quarantine.
class ModelInspector {
 public:
  struct Options {
    QString program;  ///< Of quire-inspect.
    QString verdictsPath = {};
    QString readerVersion = {};
    std::chrono::milliseconds deadline{10'000};  ///< For one model.
  };
  explicit ModelInspector(Options options);

  bool isProgramMissing() const { return m_isMissing; }
  /// As a ModelReader.
  ModelFacts read(const QString& path);
  /// Before a load: an error if the model is, or comes, into quarantine, or if reading it was
  /// interrupted (kIo), so that it was not tried. Reads it unless it was read since it changed.
  /// Other obstacles are the load's to report.
  Result<void> tryOut(const QString& path, const std::stop_token& stop);
  /// Ends a model's quarantine.
  void forget(const QString& path) { m_verdicts.forget(path); }
  /// The calls of read() that run and those to come return at once.
  void stop() { m_stop.request_stop(); }

  /// What quire-inspect's answer says. Errors: kCancelled: reading was interrupted; else the reason
  /// for quarantine, which anything but an answer is too.
  static Result<ModelFacts> factsOf(const QString& path, const std::string& answer);

 private:
  enum class Urgency { kScan, kLoad };

  ModelFacts judged(const QString& path, const QString& stamp, Urgency urgency,
                    const std::stop_token& stop);
  Result<ModelFacts> ask(const QString& path, Urgency urgency, const std::stop_token& stop);
  std::unique_ptr<InspectorClient> takeClient();
  void putBack(std::unique_ptr<InspectorClient> client);

  const Options m_options;
  const bool m_isMissing;
  ModelVerdicts m_verdicts;
  std::stop_source m_stop;
  std::mutex m_mutex;
  std::vector<std::unique_ptr<InspectorClient>> m_idle;  ///< Guarded by m_mutex.
};

}  // namespace quire
