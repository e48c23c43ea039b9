#pragma once

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QHash>
#include <QString>

#include <optional>

#include "app/store/records.h"

namespace quire {

/// How long models reasoned before they answered: measured while an answer is written here, else
/// estimated from the stored answer. Thread: the window's.
class ThoughtClock {
  Q_DECLARE_TR_FUNCTIONS(quire::ThoughtClock)

 public:
  /// Tells whether the answer's text ends within reasoning now.
  void note(RecordId answer, bool isThinking);
  std::optional<double> seconds(RecordId answer) const;
  /// The share of an answer's time that its reasoning's share of its text took; 0: not known.
  static double estimate(const MessageRecord& answer, qsizetype thoughtLength);
  /// "Thought for 3.2 s".
  static QString text(double seconds, bool isEstimate);

 private:
  QHash<RecordId, QElapsedTimer> m_running;
  QHash<RecordId, double> m_seconds;
};

}  // namespace quire
