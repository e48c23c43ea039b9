#include "app/models/quantize_labels.h"

#include <QCoreApplication>
#include <QLocale>
#include <QRegularExpression>

#include <utility>

#include "app/engine_page/engine_labels.h"
#include "app/size_text.h"

namespace quire::quantize_labels {
namespace {

struct QuantizeLabels {
  Q_DECLARE_TR_FUNCTIONS(quire::QuantizeLabels)
};

QString number(double value, int decimals) {
  return QLocale().toString(value, 'f', decimals);
}

}  // namespace

QString choice(const QuantizeType& type) {
  return QStringLiteral("%1 · %2").arg(type.name, sizeText(type.bytes));
}

QString meaning(const QString& type) {
  // By how the name begins, the longer beginnings first.
  static const std::pair<QLatin1String, const char*> kMeanings[] = {
      {QLatin1String("F32"),
       QT_TRANSLATE_NOOP("quire::QuantizeLabels",
                         "32 bits. Exact, and twice as large as models are published.")},
      {QLatin1String("BF16"),
       QT_TRANSLATE_NOOP("quire::QuantizeLabels",
                         "16 bits. As models are published: nothing is lost.")},
      {QLatin1String("F16"),
       QT_TRANSLATE_NOOP("quire::QuantizeLabels", "16 bits. Nothing that matters is lost.")},
      {QLatin1String("Q8_0"),
       QT_TRANSLATE_NOOP("quire::QuantizeLabels",
                         "8 bits. Hardly distinguishable from the original.")},
      {QLatin1String("Q6_K"),
       QT_TRANSLATE_NOOP("quire::QuantizeLabels", "6 bits. Very close to the original.")},
      {QLatin1String("Q5"),
       QT_TRANSLATE_NOOP("quire::QuantizeLabels", "5 bits. Close to the original.")},
      {QLatin1String("Q4_K_M"),
       QT_TRANSLATE_NOOP("quire::QuantizeLabels",
                         "4 bits. Small, with little loss: the usual choice.")},
      {QLatin1String("Q4_K_S"),
       QT_TRANSLATE_NOOP("quire::QuantizeLabels",
                         "4 bits. A little smaller and less exact than Q4_K_M.")},
      {QLatin1String("IQ4"),
       QT_TRANSLATE_NOOP("quire::QuantizeLabels",
                         "4 bits. About as exact as Q4_K_S, but slower on a CPU.")},
      {QLatin1String("MXFP4"),
       QT_TRANSLATE_NOOP("quire::QuantizeLabels",
                         "4 bits, as gpt-oss has them. Less exact for other models.")},
      {QLatin1String("Q4"),
       QT_TRANSLATE_NOOP("quire::QuantizeLabels",
                         "4 bits in an older format. Fast, but less exact than Q4_K_M.")},
      {QLatin1String("Q3"),
       QT_TRANSLATE_NOOP("quire::QuantizeLabels",
                         "3 bits. Noticeably worse answers; with a text for importance less so.")},
      {QLatin1String("Q2"),
       QT_TRANSLATE_NOOP("quire::QuantizeLabels",
                         "2 bits. Only for large models that would not fit otherwise.")},
  };
  for (const auto& [begin, text] : kMeanings) {
    if (type.startsWith(begin)) return QuantizeLabels::tr(text);
  }
  return {};
}

QString stage(const QuantizeStep& step) {
  const bool isKnown = step.total > 0;
  const auto count = [](quint64 value) { return countText(static_cast<qint64>(value)); };
  switch (step.stage) {
    case QuantizeStage::Opening:
      return QuantizeLabels::tr("Reading the model");
    case QuantizeStage::Importance:
      return isKnown ? QuantizeLabels::tr("Measuring importance, %1 of %2 tokens")
                           .arg(count(step.done), count(step.total))
                     : QuantizeLabels::tr("Loading the model to measure importance");
    case QuantizeStage::Writing:
      return QuantizeLabels::tr("Writing the file, %1 of %2")
          .arg(sizeText(step.done), sizeText(step.total));
    case QuantizeStage::Comparing:
      break;
  }
  return isKnown ? QuantizeLabels::tr("Comparing with the original, %1 of %2 tokens")
                       .arg(count(step.done), count(step.total))
                 : QuantizeLabels::tr("Loading both models to compare them");
}

QList<Figure> figures(const QuantizeComparison& comparison) {
  return {
      {QuantizeLabels::tr("perplexity"), number(comparison.perplexity, 3),
       QuantizeLabels::tr("How badly the quantised model predicts a text; lower is better")},
      {QuantizeLabels::tr("perplexity of the original"), number(comparison.originalPerplexity, 3),
       QuantizeLabels::tr("The same for the original. The closer both are, the less was lost.")},
      {QuantizeLabels::tr("KL divergence"), number(comparison.divergence, 5),
       QuantizeLabels::tr("How far its predictions are from the original's, on average; below 0.01 "
                          "is hardly noticeable")},
      {QuantizeLabels::tr("same most likely token"), percentText(comparison.sameTop),
       QuantizeLabels::tr("How often both models find the same next token the most likely one, "
                          "among %1")
           .arg(countText(comparison.numTokens))},
  };
}

QString fileName(const QString& modelName, const QString& type) {
  static const QRegularExpression kTypes(
      QStringLiteral("[-._ ](bf16|fp?16|fp?32|mxfp4|i?q[1-8]_[0-9a-z_]+)$"),
      QRegularExpression::CaseInsensitiveOption);
  static const QRegularExpression kImpossible(QStringLiteral("[/\\\\:*?\"<>|\\x00-\\x1f]"));
  QString name = modelName;
  name.remove(kTypes).replace(kImpossible, QStringLiteral("-"));
  return name + u'-' + type + QStringLiteral(".gguf");
}

}  // namespace quire::quantize_labels
