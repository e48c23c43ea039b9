#include <QCoreApplication>

#include <algorithm>

#include "app/engine_page/engine_labels.h"
#include "app/engine_page/figure_list.h"

namespace quire {
namespace {

constexpr int kBlockTokens = 16;

struct EngineFigures {
  Q_DECLARE_TR_FUNCTIONS(quire::EngineFigures)
};

QString dash() {
  return QStringLiteral("–");
}

QString latencyText(const LatencyFigures& figures, double ms) {
  return figures.count > 0 ? durationText(ms) : dash();
}

/// "1,024 of 1,061, 97%".
QString hitText(const RecentHits::Counts& counts) {
  if (counts.prompt == 0) return dash();
  return EngineFigures::tr("%1 of %2, %3")
      .arg(countText(static_cast<qint64>(counts.cached)),
           countText(static_cast<qint64>(counts.prompt)), percentText(counts.part()));
}

QString wasteText(const EngineReport& report) {
  return report.usedBlocks > 0 ? percentText(report.emptyPart) : dash();
}

QString hostText(const EngineReport& report) {
  if (report.hostBlocks == 0) return EngineFigures::tr("none");
  return sizeText(static_cast<quint64>(report.hostBlocks) * report.bytesPerBlock);
}

QString guessText(const EngineReport& report) {
  if (report.draftedTokens == 0) return EngineFigures::tr("none");
  return EngineFigures::tr("%1 of %2")
      .arg(countText(static_cast<qint64>(report.acceptedTokens)),
           countText(static_cast<qint64>(report.draftedTokens)));
}

/// The steps saved, and their percentage of the steps that all tokens would have taken without
/// guesses: "1,204, 31%".
QString savedText(const EngineReport& report) {
  if (report.acceptedTokens == 0 || report.outputTokens == 0) return EngineFigures::tr("none");
  const double part =
      static_cast<double>(report.acceptedTokens) / static_cast<double>(report.outputTokens);
  return EngineFigures::tr("%1, %2").arg(countText(static_cast<qint64>(report.acceptedTokens)),
                                         percentText(std::min(part, 1.0)));
}

/// "2, 34 MB".
QString adapterText(const EngineReport& report) {
  if (report.adapters == 0) return EngineFigures::tr("none");
  return EngineFigures::tr("%1, %2").arg(countText(report.adapters), sizeText(report.adapterBytes));
}

}  // namespace

QList<Figure> promptFigures(const PromptReport& report) {
  const bool isKnown = report.promptTokens > 0;
  const auto tokens = [&](int count) { return isKnown ? countText(count) : dash(); };
  return {
      {EngineFigures::tr("from memory"), tokens(report.cachedTokens - report.diskTokens),
       EngineFigures::tr("Prompt tokens that were in the KV cache")},
      {EngineFigures::tr("from disk"), tokens(report.diskTokens),
       EngineFigures::tr("Prompt tokens read from the cache on disk")},
      {EngineFigures::tr("computed"), tokens(report.promptTokens - report.cachedTokens),
       EngineFigures::tr("Prompt tokens that were new, or no longer cached")},
      {EngineFigures::tr("first token"), isKnown ? durationText(report.firstTokenMs) : dash(),
       EngineFigures::tr("From sending the message to the first token")},
  };
}

QList<Figure> overviewFigures(const EngineReport& report) {
  return {
      {EngineFigures::tr("first token, 99th percentile"),
       latencyText(report.firstToken, report.firstToken.p99Ms),
       EngineFigures::tr("99% of the answers in the last five minutes started faster")},
      {EngineFigures::tr("between tokens, 99th percentile"),
       latencyText(report.betweenTokens, report.betweenTokens.p99Ms),
       EngineFigures::tr("99% of the tokens in the last five minutes followed faster")},
      {EngineFigures::tr("batch"), countText(report.batchSequences),
       EngineFigures::tr("Chats computed in one step")},
      {EngineFigures::tr("waste"), wasteText(report),
       EngineFigures::tr("Share of the memory allocated to answers that is still empty")},
  };
}

QList<Figure> percentileFigures(const LatencyFigures& figures) {
  return {
      {EngineFigures::tr("median"), latencyText(figures, figures.p50Ms), QStringLiteral("p50")},
      {EngineFigures::tr("95th percentile"), latencyText(figures, figures.p95Ms),
       QStringLiteral("p95")},
      {EngineFigures::tr("99th percentile"), latencyText(figures, figures.p99Ms),
       QStringLiteral("p99")},
      {EngineFigures::tr("measured in 5 minutes"), countText(figures.count)},
  };
}

QList<Figure> loadFigures(const EngineReport& report) {
  return {
      {EngineFigures::tr("chats being answered"), countText(report.runningRequests)},
      {EngineFigures::tr("waiting"), countText(report.waitingRequests),
       EngineFigures::tr("For memory, or for a prefix that another chat is computing")},
      {EngineFigures::tr("chats in a step"), countText(report.batchSequences)},
      {EngineFigures::tr("tokens in a step"), countText(report.batchTokens)},
      {EngineFigures::tr("paused for memory"), countText(static_cast<qint64>(report.preemptions)),
       EngineFigures::tr("How often an answer was preempted and resumed later")},
      {EngineFigures::tr("tokens generated"), countText(static_cast<qint64>(report.outputTokens)),
       EngineFigures::tr("Since the model was loaded")},
      {EngineFigures::tr("correct guesses"), guessText(report),
       EngineFigures::tr(
           "The next tokens are guessed, and several are checked in one step. This is "
           "faster, and answers stay the same.")},
      {EngineFigures::tr("steps saved"), savedText(report),
       EngineFigures::tr(
           "Each correct guess saves one step. The percentage is of the steps that all "
           "tokens would have taken without guesses.")},
  };
}

QList<Figure> cacheFigures(const EngineReport& report, const RecentHits::Counts& recent) {
  const RecentHits::Counts all = {report.promptTokens, report.cachedTokens};
  return {
      {EngineFigures::tr("from cache, in total"), hitText(all),
       EngineFigures::tr("Share of all prompt tokens since the model was loaded")},
      {EngineFigures::tr("in the last 10 minutes"), hitText(recent)},
      {EngineFigures::tr("read from disk"), countText(static_cast<qint64>(report.diskTokens))},
      {EngineFigures::tr("kept on disk"),
       report.storedBytes > 0 ? sizeText(report.storedBytes) : EngineFigures::tr("none"),
       EngineFigures::tr("KV cache in prefix.db, so that chats continue at once after a restart")},
      {EngineFigures::tr("in host memory"), hostText(report),
       EngineFigures::tr("What was moved out of GPU memory")},
      {EngineFigures::tr("one block"), report.bytesPerBlock > 0
                                           ? EngineFigures::tr("%1 tokens, %2")
                                                 .arg(kBlockTokens)
                                                 .arg(sizeText(report.bytesPerBlock))
                                           : dash()},
      {EngineFigures::tr("allocated, still empty"), wasteText(report)},
      {EngineFigures::tr("adapters"), adapterText(report),
       EngineFigures::tr("LoRA adapters in memory, beside the model")},
  };
}

QList<Figure> stateFigures(const EngineReport& report) {
  const quint64 bytes = static_cast<quint64>(report.totalStates) * report.bytesPerState;
  return {
      {EngineFigures::tr("states in use"),
       EngineFigures::tr("%1 of %2")
           .arg(countText(report.usedStates), countText(report.totalStates)),
       EngineFigures::tr("Held by chats that are being answered")},
      {EngineFigures::tr("snapshots kept"), countText(report.snapshotStates),
       EngineFigures::tr("States at the ends of instructions, prompts and answers. A chat "
                         "continues from the last one that is kept.")},
      {EngineFigures::tr("memory"), sizeText(bytes),
       EngineFigures::tr("Allocated for all states and snapshots when the model was loaded")},
      {EngineFigures::tr("one state"), sizeText(report.bytesPerState),
       EngineFigures::tr("The same size however long the chat is")},
      {EngineFigures::tr("extra snapshot"),
       report.snapshotStride > 0
           ? EngineFigures::tr("every %1 tokens").arg(countText(report.snapshotStride))
           : EngineFigures::tr("none"),
       EngineFigures::tr("Inside long prompts, for chats that branch off there")},
      {EngineFigures::tr("computed again"),
       EngineFigures::tr("%1 tokens").arg(countText(static_cast<qint64>(report.cutTokens))),
       EngineFigures::tr("Prompt tokens whose keys and values were cached, but no snapshot after "
                         "them was. Since the model was loaded")},
  };
}

QList<Figure> windowFigures(const EngineReport& report) {
  const quint64 bytes = static_cast<quint64>(report.totalWindows) * report.bytesPerWindow;
  return {
      {EngineFigures::tr("parts in use"),
       EngineFigures::tr("%1 of %2")
           .arg(countText(report.usedWindows), countText(report.totalWindows)),
       EngineFigures::tr("Held by chats that are being answered")},
      {EngineFigures::tr("parts kept"), countText(report.keptWindows),
       EngineFigures::tr("Chats continue where all parts of a window are kept")},
      {EngineFigures::tr("memory"), sizeText(bytes),
       EngineFigures::tr("Allocated for all parts when the model was loaded")},
      {EngineFigures::tr("one part"),
       EngineFigures::tr("%1 tokens, %2").arg(kBlockTokens).arg(sizeText(report.bytesPerWindow)),
       EngineFigures::tr("In all layers that have a window")},
      {EngineFigures::tr("computed again"),
       EngineFigures::tr("%1 tokens").arg(countText(static_cast<qint64>(report.cutTokens))),
       EngineFigures::tr(
           "Prompt tokens that were cached, but no whole window before their end was. "
           "Since the model was loaded")},
  };
}

}  // namespace quire
