#pragma once

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QHash>
#include <QString>

#include <optional>

#include "app/store/records.h"

namespace quire {

/// Measures how long a model reasons before it answers. For stored answers the time is estimated.
/// Thread: the window's.
class ThoughtClock {
  Q_DECLARE_TR_FUNCTIONS(quire::ThoughtClock)

 public:
  /// Records whether the answer's text currently ends within reasoning.
  void note(RecordId answer, bool isThinking);
  std::optional<double> seconds(RecordId answer) const;
  /// Estimates the seconds of reasoning by its share of the answer's text; 0: not known.
  static double estimate(const MessageRecord& answer, qsizetype thoughtLength);
  /// "Thought for 3.2 s".
  static QString text(double seconds, bool isEstimate);

 private:
  QHash<RecordId, QElapsedTimer> m_running;
  QHash<RecordId, double> m_seconds;
};

}  // namespace quire
