#include "tests/bench/window/figures.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>

namespace quire::bench {

void Figures::beginPart(const QString& name) {
  m_part = name;
  std::printf("%s\n", qPrintable(name));
}

void Figures::add(const Figure& figure) {
  m_entries.append({m_part, figure});
  char limit[48] = "";
  if (figure.limit) {
    std::snprintf(limit, sizeof limit, "at most %g %s", *figure.limit, qPrintable(figure.unit));
  }
  std::printf("  %-62s %9.1f %-8s %-18s %s\n", qPrintable(figure.name), figure.value,
              qPrintable(figure.unit), limit,
              !figure.limit    ? ""
              : figure.holds() ? "holds"
                               : "MISSED");
  std::fflush(stdout);
}

int Figures::numMissed() const {
  return static_cast<int>(std::count_if(m_entries.begin(), m_entries.end(),
                                        [](const Entry& entry) { return !entry.figure.holds(); }));
}

void Figures::printVerdict() const {
  const auto promised = std::count_if(m_entries.begin(), m_entries.end(), [](const Entry& entry) {
    return entry.figure.limit.has_value();
  });
  if (numMissed() == 0) {
    std::printf("All %d figures hold.\n", static_cast<int>(promised));
    return;
  }
  std::printf("%d of %d figures are missed:\n", numMissed(), static_cast<int>(promised));
  for (const Entry& entry : m_entries) {
    if (entry.figure.holds()) continue;
    std::printf("  %s, %s: %.1f, at most %g %s\n", qPrintable(entry.part),
                qPrintable(entry.figure.name), entry.figure.value, *entry.figure.limit,
                qPrintable(entry.figure.unit));
  }
}

bool Figures::write(const QString& path, const QJsonObject& environment) const {
  QJsonArray list;
  for (const auto& [part, figure] : m_entries) {
    QJsonObject one{{"part", part},
                    {"name", figure.name},
                    {"value", figure.value},
                    {"unit", figure.unit},
                    {"holds", figure.holds()}};
    one.insert("bound", figure.limit ? QJsonValue(*figure.limit) : QJsonValue());
    list.append(one);
  }
  const QJsonObject all{{"environment", environment},
                        {"figures", list},
                        {"missed", numMissed()},
                        {"holds", numMissed() == 0}};
  QFile file(path);
  return file.open(QIODevice::WriteOnly) && file.write(QJsonDocument(all).toJson()) > 0;
}

double percentile(QList<double> samples, double fraction) {
  if (samples.isEmpty()) return 0.0;
  const auto rank =
      static_cast<qsizetype>(std::ceil(fraction * static_cast<double>(samples.size())) - 1);
  const qsizetype at = std::clamp<qsizetype>(rank, 0, samples.size() - 1);
  std::nth_element(samples.begin(), samples.begin() + at, samples.end());
  return samples[at];
}

double threadCpuUs() {
  timespec now = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) * 1e-3;
}

}  // namespace quire::bench
