#include "tests/bench/bench_texts.h"
#include "tests/bench/token_cost.h"
#include "tests/bench/window/measures.h"

namespace quire::bench {

void measureTokens(Figures& figures, const Options&) {
  constexpr double kMostRatio = 1.5;
  for (const QString& kind : benchKinds()) {
    const QList<double> costs = windowTokenCosts(kind);
    const QString name = QStringLiteral("a token of %1, with its picture: at 20,000 by at 500");
    figures.add(
        {name.arg(kind), costs.last() / costs.first(), kMostRatio, QStringLiteral("times")});
    figures.add({QStringLiteral("  at 20,000"), costs.last(), {}, QStringLiteral("us")});
  }
}

}  // namespace quire::bench
