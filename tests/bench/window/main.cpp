// The figures of "The window" (targets.md): bench_window [--json FILE]
// [startup|streaming|opening|stopping ...]. A measurement, not a test: run it by hand, offscreen or
// under a virtual X display. Ends with the number of figures that are missed.
#include <QElapsedTimer>

#include <cstdio>
#include <functional>
#include <map>

#include "app/window.h"
#include "tests/bench/window/measures.h"
#include "tests/support/watched_application.h"

using namespace quire;

int main(int argc, char** argv) {
  if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM") && !qEnvironmentVariableIsSet("DISPLAY")) {
    qputenv("QT_QPA_PLATFORM", "offscreen");
  }
  if (!qEnvironmentVariableIsSet("DISPLAY")) qputenv("QT_QUICK_BACKEND", "software");
  WatchedApplication application(argc, argv);
  QCoreApplication::setApplicationName(QStringLiteral("quire"));
  setUpLook();
  QStringList wanted = QCoreApplication::arguments().mid(1);
  if (wanted.value(0) == QLatin1String("--startup")) {
    return bench::runStartup(wanted.value(1), wanted.value(2).toLongLong());
  }
  QString json;
  if (const qsizetype at = wanted.indexOf(QStringLiteral("--json")); at >= 0) {
    json = wanted.value(at + 1);
    wanted.remove(at, std::min<qsizetype>(2, wanted.size() - at));
  }
  const std::map<QString, std::function<void(bench::Figures&)>> parts = {
      {"startup", [](bench::Figures& figures) { bench::measureStartup(figures, 5); }},
      {"streaming", bench::measureStreaming},
      {"opening", bench::measureOpening},
      {"stopping", bench::measureStopping}};
  bench::Figures figures;
  for (const auto& [name, measure] : parts) {
    if (wanted.isEmpty() || wanted.contains(name)) measure(figures);
  }
  if (!json.isEmpty() && !figures.write(json)) {
    std::fprintf(stderr, "\"%s\" cannot be written.\n", qPrintable(json));
    return 1;
  }
  return figures.numMissed();
}
