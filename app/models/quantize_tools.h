#pragma once

#include <QList>
#include <QString>

#include <atomic>
#include <functional>
#include <optional>

#include "kernels/base/result.h"

namespace quire {

/// A type that a model can be quantised to.
struct QuantizeType {
  QString name;       ///< "Q4_K_M".
  quint64 bytes = 0;  ///< Of the file.
};

/// What a model can be quantised to.
struct QuantizeSurvey {
  Error error = {};           ///< Why it cannot be; without a message if it can.
  QList<QuantizeType> types;  ///< The most precise first.
  quint64 sourceBytes = 0;
  quint64 freeMemory = 0;
  bool isQuantized = false;  ///< The source has lost precision already.
};

struct QuantizeRequest {
  QString modelPath;
  QString outputPath;
  QString type;
  QString textPath;       ///< Of the text for importance; empty: without it.
  bool resumes = false;   ///< Continues what an interrupted run with the same choices left.
  bool compares = false;  ///< Afterwards, with the original.
};

enum class QuantizeStage { Opening, Importance, Writing, Comparing };

/// The progress of one stage: bytes of Writing, tokens of the others; a total of 0 is not known.
struct QuantizeStep {
  QuantizeStage stage = QuantizeStage::Opening;
  quint64 done = 0;
  quint64 total = 0;
};

/// How far the predictions of the written model are from the original's.
struct QuantizeComparison {
  double perplexity = 0.0;
  double originalPerplexity = 0.0;
  double divergence = 0.0;  ///< KL(original || written), in nats a token.
  double sameTop = 0.0;     ///< Tokens with the same most likely next one: 0 to 1.
  qint64 numTokens = 0;
};

struct QuantizeResult {
  Error error = {};   ///< Without a message if the file is written.
  quint64 bytes = 0;  ///< Of the file.
  std::optional<QuantizeComparison> comparison = {};
  Error comparisonError = {};  ///< The file is written, but was not compared.
};

/// What reads and writes models for the window. Thread: any, one call at a time; the calls take
/// long.
struct QuantizeTools {
  std::function<QuantizeSurvey(const QString& modelPath)> survey;
  std::function<QuantizeResult(const QuantizeRequest& request,
                               const std::function<void(const QuantizeStep&)>& progress,
                               const std::atomic<bool>& cancelled)>
      run;
};

}  // namespace quire
