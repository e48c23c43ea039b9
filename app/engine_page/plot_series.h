#pragma once

#include <QtQml/qqmlregistration.h>
#include <QList>
#include <QObject>
#include <QString>

namespace quire {

/// A quantity over the last minutes, in slots of equal duration; the last slot is the newest.
/// Thread: the window's.
/// Invariants: the size of values() is constant; unknown values are NaN.
class PlotSeries : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by EngineMonitor.")
  Q_PROPERTY(QString latestText READ latestText NOTIFY changed)
  Q_PROPERTY(QString topText READ topText NOTIFY changed)
  Q_PROPERTY(QString spanText READ spanText NOTIFY changed)
  Q_PROPERTY(QString summary READ summary NOTIFY changed)

 public:
  enum class Unit { TokensPerSecond, Milliseconds, Chats, Part };
  struct Shape {
    Unit unit = Unit::TokensPerSecond;
    int slotMs = 500;
    int numSlots = 120;
  };

  explicit PlotSeries(const Shape& shape, QObject* parent = nullptr);

  /// A slot has the mean of its values; a slot without values repeats the latest one.
  void add(qint64 nowMs, double value);
  /// Adds the slots up to `nowMs`.
  void advance(qint64 nowMs);

  const QList<double>& values() const { return m_values; }
  double top() const;  ///< A round number above 0 that no value exceeds.
  QString latestText() const { return text(m_latest); }
  QString topText() const;
  QString spanText() const;  ///< "60 s", "10 min".
  QString summary() const;   ///< A description for screen readers.

 signals:
  void changed();

 private:
  QString text(double value) const;
  bool moveTo(qint64 nowMs);

  const Shape m_shape;
  QList<double> m_values;
  qint64 m_slot = -1;   ///< The number of the last slot; -1 before the first value.
  int m_numInSlot = 0;  ///< Known values in the last slot.
  double m_latest;      ///< NaN before the first value.
};

}  // namespace quire
