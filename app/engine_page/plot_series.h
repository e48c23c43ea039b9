#pragma once

#include <QtQml/qqmlregistration.h>
#include <QList>
#include <QObject>
#include <QString>

namespace quire {

/// A quantity over the last minutes, in slots of equal length: the newest slot is the last.
/// Thread: the window's.
/// Invariants: values() has always the same size; what is not known is NaN.
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

  /// Several values in one slot become their mean; a slot without one repeats the latest value.
  void add(qint64 nowMs, double value);
  /// Time goes on.
  void advance(qint64 nowMs);

  const QList<double>& values() const { return m_values; }
  double top() const;  ///< A round number that no value exceeds; over 0.
  QString latestText() const { return text(m_latest); }
  QString topText() const;
  QString spanText() const;  ///< "60 s", "10 min".
  QString summary() const;   ///< In words, for those who cannot see the line.

 signals:
  void changed();

 private:
  QString text(double value) const;
  bool moveTo(qint64 nowMs);

  const Shape m_shape;
  QList<double> m_values;
  qint64 m_slot = -1;   ///< The number of the last slot; -1: nothing was added yet.
  int m_numInSlot = 0;  ///< Of known values.
  double m_latest;      ///< NaN: none yet.
};

}  // namespace quire
