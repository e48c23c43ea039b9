#include "tests/bench/window/figures.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace quire::bench {

void Figures::add(const Figure& figure) {
  m_figures.append(figure);
  char limit[48] = "";
  if (figure.limit > 0.0) {
    std::snprintf(limit, sizeof limit, "at most %g %s", figure.limit, qPrintable(figure.unit));
  }
  std::printf("%-58s %9.1f %-9s %-20s %s\n", qPrintable(figure.name), figure.value,
              qPrintable(figure.unit), limit, figure.holds() ? "" : "MISSED");
  std::fflush(stdout);
}

int Figures::numMissed() const {
  return static_cast<int>(std::count_if(m_figures.begin(), m_figures.end(),
                                        [](const Figure& figure) { return !figure.holds(); }));
}

bool Figures::write(const QString& path) const {
  QJsonArray list;
  for (const Figure& figure : m_figures) {
    list.append(QJsonObject{{"name", figure.name},
                            {"value", figure.value},
                            {"limit", figure.limit},
                            {"unit", figure.unit},
                            {"holds", figure.holds()}});
  }
  QFile file(path);
  return file.open(QIODevice::WriteOnly) && file.write(QJsonDocument(list).toJson()) > 0;
}

double percentile(QList<double> samples, double fraction) {
  if (samples.isEmpty()) return 0.0;
  const auto rank =
      static_cast<qsizetype>(std::ceil(fraction * static_cast<double>(samples.size())) - 1);
  const qsizetype at = std::clamp<qsizetype>(rank, 0, samples.size() - 1);
  std::nth_element(samples.begin(), samples.begin() + at, samples.end());
  return samples[at];
}

}  // namespace quire::bench
