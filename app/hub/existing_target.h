#pragma once

#include <QFile>

#include <memory>

#include "app/hub/download_plan.h"
#include "app/hub/stream_hash.h"

namespace quire {

/// Compares what lies at a download's target with what the hub has, piece by piece.
/// Thread: one at a time.
class ExistingTarget {
 public:
  enum class Verdict { kReading, kSame, kDifferent };

  explicit ExistingTarget(const DownloadPlan& plan) : m_plan(plan) {}

  /// Whether there is anything at the target.
  static bool isThere(const DownloadPlan& plan);
  /// Reads up to `most` bytes.
  Verdict step(qint64 most);
  qint64 readBytes() const { return m_readBytes; }

 private:
  QString pathOf(const PlannedFile& file) const;
  bool open();

  const DownloadPlan m_plan;
  qsizetype m_index = 0;
  qint64 m_readBytes = 0;
  QFile m_file;
  std::unique_ptr<StreamHash> m_hash;  ///< Null: the file is not open.
};

}  // namespace quire
