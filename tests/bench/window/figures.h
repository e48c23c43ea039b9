#pragma once

#include <QJsonObject>
#include <QList>
#include <QString>

#include <optional>

namespace quire::bench {

/// A figure beside what it is to be (targets.md, "The window").
struct Figure {
  QString name;
  double value = 0.0;
  std::optional<double> limit;  ///< At most this; none: it is said beside the others only.
  QString unit = QStringLiteral("ms");
  bool holds() const { return !limit || value <= *limit; }
};

/// The figures of a run: each is printed when it is known.
class Figures {
 public:
  /// Figures from here on belong to that part of the run.
  void beginPart(const QString& name);
  void add(const Figure& figure);
  int numMissed() const;
  /// One line that says whether all hold, or which do not.
  void printVerdict() const;
  /// Writes them as JSON beside `environment`. False if the file cannot be written.
  bool write(const QString& path, const QJsonObject& environment) const;

 private:
  struct Entry {
    QString part;
    Figure figure;
  };

  QString m_part;
  QList<Entry> m_entries;
};

/// The value below which `fraction` of the samples lie; 0 for none.
double percentile(QList<double> samples, double fraction);

/// Microseconds of processor time of this thread: what others do on the machine is not counted.
double threadCpuUs();

}  // namespace quire::bench
