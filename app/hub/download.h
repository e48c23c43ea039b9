#pragma once

#include <QElapsedTimer>
#include <QObject>

#include <functional>
#include <memory>
#include <optional>

#include "app/hub/download_journal.h"
#include "app/hub/existing_target.h"
#include "app/hub/http_fetch.h"
#include "app/hub/hub_states.h"
#include "app/hub/model_check.h"
#include "app/hub/part_file.h"
#include "app/hub/retry_clock.h"
#include "app/hub/speed_limit.h"

namespace quire {

/// How far a download is.
struct DownloadStatus {
  DownloadState state = DownloadState::kWaiting;
  qint64 bytes = 0;  ///< How many of `totalBytes` are on the disk.
  qint64 totalBytes = 0;
  qint64 bytesPerSecond = 0;
  qint64 retryInMs = 0;        ///< kRetrying.
  std::optional<Error> error;  ///< kFailed, kRetrying.
  bool wasThere = false;       ///< kDone: the files were there before.

  bool hasEnded() const { return quire::hasEnded(state); }
};

/// What all downloads of a queue keep to.
struct DownloadOptions {
  RemoteTimeouts timeouts = {.connectMs = 30'000, .firstByteMs = 60'000, .silenceMs = 60'000};
  RetryLimits retries;
  qint64 spareBytes = 256 << 20;                 ///< Left free on the disk.
  QString inspector = inspectorBesideProgram();  ///< See checkModel().
  std::stop_token stop = {};                     ///< Ends that check; of DownloadQueue.
};

/// What a download shares with the others.
struct DownloadTools {
  SpeedLimit& limit;
  std::function<qint64()> promisedBytes;  ///< What the other downloads have yet to write.
  std::function<void()> changed;          ///< Called when the status has changed.
};

/// Downloads one model, file after file, until all are there and verified, or until it fails. The
/// faults that it survives are listed in docs/get-models.md.
///
/// Thread: that of its creation, which has an event loop; reads and writes files there.
/// Invariants: nothing is at the target before everything is; what is there is never replaced.
class Download : public QObject {
 public:
  Download(const DownloadPlan& plan, const DownloadOptions& options, DownloadTools tools,
           QObject* parent);
  ~Download() override;

  const DownloadStatus& status() const { return m_status; }
  /// Begins, or goes on after a pause or a failure.
  void start();
  void pause();
  /// Says that it waits for start(), after a pause or a failure.
  void enqueue();
  /// Removes what was downloaded.
  void cancel();

 private:
  void later(void (Download::*step)());
  void checkTarget();
  void checkSpace();
  void nextFile();
  void hashPart();
  void fetch();
  std::optional<HubFailure> onHead(const ResponseHead& head);
  std::optional<HubFailure> beginAnew();
  void onBody(const QByteArray& bytes);
  void onEnded(const std::optional<HubFailure>& failure);
  void finishFile();
  void check();
  void install();
  void retry(const HubFailure& failure);
  void fail(const Error& error);
  void stopFetch();
  void notePart();
  void saveJournal();
  void setState(DownloadState state);
  qint64 bytesOnDisk() const;
  const PlannedFile& file() const { return m_plan.files[m_index]; }

  const DownloadPlan m_plan;
  const DownloadOptions m_options;
  const DownloadTools m_tools;
  DownloadStatus m_status;
  std::unique_ptr<DownloadJournal> m_journal;  ///< Null before the start, and after a failure.
  std::unique_ptr<ExistingTarget> m_existing;
  std::unique_ptr<PartFile> m_part;  ///< Of file(); null: it is not open.
  qsizetype m_index = 0;
  qint64 m_finishedBytes = 0;  ///< Of the files before file().
  qint64 m_savedBytes = 0;     ///< Of the finished files when the journal was last written.
  int m_numRestarts = 0;       ///< Of file().
  qint64 m_mostBytes = 0;      ///< The most that file() has had in this run.
  HttpFetch* m_fetch = nullptr;
  RetryClock m_retries;
  SpeedMeter m_meter;
  QElapsedTimer m_clock;
  /// Counts starts, pauses and ends. Queued steps of an earlier turn are skipped.
  uint64_t m_turn = 0;
};

}  // namespace quire
