// The figures of "The window" (targets.md): bench_window [--engine recorded|real] [--model PATH]
// [--display offscreen|xvfb] [--json FILE] [--search-store FOLDER] [PART ...]. A measurement, not a
// test: run by hand on a quiet machine, `./dev bench window`. Ends with 0 when every figure holds.
#include <cstdio>
#include <utility>

#include "app/window.h"
#include "tests/bench/window/measures.h"
#include "tests/support/watched_application.h"

using namespace quire;

namespace {

using Measure = void (*)(bench::Figures&, const bench::Options&);

const QList<std::pair<QString, Measure>> kParts = {
    {"startup", bench::measureStartup},         {"streaming", bench::measureStreaming},
    {"serving", bench::measureServing},         {"decoding", bench::measureDecoding},
    {"hidden", bench::measureHidden},           {"tokens", bench::measureTokens},
    {"opening", bench::measureOpening},         {"searching", bench::measureSearching},
    {"stopping", bench::measureStopping},       {"models", bench::measureModelsPage},
    {"downloading", bench::measureDownloading}, {"formulas", bench::measureFormulas},
};

}  // namespace

int main(int argc, char** argv) {
  bench::chooseDisplay(argc, argv);
  WatchedApplication application(argc, argv);
  QCoreApplication::setApplicationName(QStringLiteral("quire"));
  setUpLook();
  const QStringList words = QCoreApplication::arguments().mid(1);
  if (const int child = bench::runStartup(words); child >= 0) return child;
  if (const int child = bench::runApiClients(words); child >= 0) return child;
  if (const int child = bench::runTestHub(words); child >= 0) return child;
  QStringList names;
  for (const auto& [name, measure] : kParts) names.append(name);
  const bench::Options options = bench::readOptions(words, names);
  bench::Figures figures;
  for (const auto& [name, measure] : kParts) {
    if (!options.wants(name)) continue;
    figures.beginPart(name);
    measure(figures, options);
  }
  figures.printVerdict();
  if (!options.json.isEmpty() && !figures.write(options.json, bench::environment(options))) {
    std::fprintf(stderr, "\"%s\" cannot be written.\n", qPrintable(options.json));
    return 2;
  }
  return figures.numMissed() == 0 ? 0 : 1;
}
