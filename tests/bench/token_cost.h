#pragma once

#include <QList>
#include <QString>

namespace quire {

/// Sizes of an answer, in tokens, at which the cost of one more is taken.
constexpr int kTokenSizes[] = {500, 5000, 20000};

/// Microseconds of processor time of a token at each of kTokenSizes, for a kind of bench_texts.h:
/// in the view model alone, averaged over several open blocks.
QList<double> modelTokenCosts(const QString& kind);
/// The same of the window's thread, with the frame that shows the token.
QList<double> windowTokenCosts(const QString& kind);

}  // namespace quire
