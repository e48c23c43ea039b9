#pragma once

#include <QList>
#include <QString>

namespace quire::bench {

/// A figure beside what it is to be (targets.md, "The window").
struct Figure {
  QString name;
  double value = 0.0;
  double limit = 0.0;  ///< At most this; 0: nothing is promised.
  QString unit = QStringLiteral("ms");
  bool holds() const { return limit == 0.0 || value <= limit; }
};

/// The figures of a run: each is printed when it is known.
class Figures {
 public:
  void add(const Figure& figure);
  int numMissed() const;
  /// Writes them as JSON. False if the file cannot be written.
  bool write(const QString& path) const;

 private:
  QList<Figure> m_figures;
};

/// The value below which `fraction` of the samples lie; 0 for none.
double percentile(QList<double> samples, double fraction);

}  // namespace quire::bench
