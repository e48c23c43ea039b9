#include "app/engine_page/engine_figures.h"

#include <QCoreApplication>

#include <algorithm>

#include "app/engine_page/engine_words.h"

namespace quire {
namespace {

constexpr int kBlockTokens = 16;

struct EngineFiguresTexts {
  Q_DECLARE_TR_FUNCTIONS(quire::EngineFiguresTexts)
};

QString dash() {
  return QStringLiteral("–");
}

QString latencyText(const LatencyFigures& figures, double ms) {
  return figures.count > 0 ? durationText(ms) : dash();
}

/// "1,024 of 1,061, 97 %".
QString hitText(const RecentHits::Counts& counts) {
  if (counts.prompt == 0) return dash();
  return EngineFiguresTexts::tr("%1 of %2, %3")
      .arg(countText(static_cast<qint64>(counts.cached)),
           countText(static_cast<qint64>(counts.prompt)), percentText(counts.part()));
}

QString wasteText(const EngineReport& report) {
  return report.usedBlocks > 0 ? percentText(report.emptyPart) : dash();
}

QString hostText(const EngineReport& report) {
  if (report.hostBlocks == 0) return EngineFiguresTexts::tr("none");
  return sizeText(static_cast<quint64>(report.hostBlocks) * report.bytesPerBlock);
}

}  // namespace

QList<Figure> promptFigures(const PromptReport& report) {
  const bool isKnown = report.promptTokens > 0;
  const auto tokens = [&](int count) { return isKnown ? countText(count) : dash(); };
  return {
      {EngineFiguresTexts::tr("from memory"), tokens(report.cachedTokens - report.diskTokens),
       EngineFiguresTexts::tr("Tokens of the prompt whose keys and values were still there")},
      {EngineFiguresTexts::tr("from disk"), tokens(report.diskTokens),
       EngineFiguresTexts::tr("Tokens read back from an earlier time")},
      {EngineFiguresTexts::tr("computed"), tokens(report.promptTokens - report.cachedTokens),
       EngineFiguresTexts::tr("Tokens that were new, or had been given up")},
      {EngineFiguresTexts::tr("first token"), isKnown ? durationText(report.firstTokenMs) : dash(),
       EngineFiguresTexts::tr("From sending the message to the first word")},
  };
}

QList<Figure> overviewFigures(const EngineReport& report) {
  return {
      {EngineFiguresTexts::tr("time to first token p99"),
       latencyText(report.firstToken, report.firstToken.p99Ms),
       EngineFiguresTexts::tr("In the last five minutes, 99 of 100 answers began sooner")},
      {EngineFiguresTexts::tr("between tokens p99"),
       latencyText(report.betweenTokens, report.betweenTokens.p99Ms),
       EngineFiguresTexts::tr(
           "In the last five minutes, 99 of 100 tokens came sooner after the one before")},
      {EngineFiguresTexts::tr("batch"), countText(report.batchSequences),
       EngineFiguresTexts::tr("Chats computed in one step")},
      {EngineFiguresTexts::tr("waste"), wasteText(report),
       EngineFiguresTexts::tr(
           "Of the memory that answers hold now, what is reserved and still empty")},
  };
}

QList<Figure> percentileFigures(const LatencyFigures& figures) {
  return {
      {EngineFiguresTexts::tr("half are under"), latencyText(figures, figures.p50Ms),
       QStringLiteral("p50")},
      {EngineFiguresTexts::tr("95 of 100 are under"), latencyText(figures, figures.p95Ms),
       QStringLiteral("p95")},
      {EngineFiguresTexts::tr("99 of 100 are under"), latencyText(figures, figures.p99Ms),
       QStringLiteral("p99")},
      {EngineFiguresTexts::tr("measured in 5 minutes"), countText(figures.count)},
  };
}

QList<Figure> loadFigures(const EngineReport& report) {
  return {
      {EngineFiguresTexts::tr("chats being answered"), countText(report.runningRequests)},
      {EngineFiguresTexts::tr("of them waiting"), countText(report.waitingRequests),
       EngineFiguresTexts::tr("For memory, or for what another chat is computing for both")},
      {EngineFiguresTexts::tr("chats in a step"), countText(report.batchSequences)},
      {EngineFiguresTexts::tr("tokens in a step"), countText(report.batchTokens)},
      {EngineFiguresTexts::tr("put back for lack of memory"),
       countText(static_cast<qint64>(report.preemptions)),
       EngineFiguresTexts::tr(
           "Times that an answer gave its memory to another and was taken up again later")},
      {EngineFiguresTexts::tr("tokens written"),
       countText(static_cast<qint64>(report.outputTokens)),
       EngineFiguresTexts::tr("Since the model was loaded")},
  };
}

QList<Figure> cacheFigures(const EngineReport& report, const RecentHits::Counts& recent) {
  const RecentHits::Counts all = {report.promptTokens, report.cachedTokens};
  return {
      {EngineFiguresTexts::tr("from cache, in all"), hitText(all),
       EngineFiguresTexts::tr(
           "Tokens of all prompts since the model was loaded that were not computed again")},
      {EngineFiguresTexts::tr("in the last 10 minutes"), hitText(recent)},
      {EngineFiguresTexts::tr("of it, read from disk"),
       countText(static_cast<qint64>(report.diskTokens))},
      {EngineFiguresTexts::tr("kept on disk"),
       report.storedBytes > 0 ? sizeText(report.storedBytes) : EngineFiguresTexts::tr("none"),
       EngineFiguresTexts::tr(
           "Keys and values in prefix.db, so that chats go on at once after a restart")},
      {EngineFiguresTexts::tr("kept in the computer's memory"), hostText(report),
       EngineFiguresTexts::tr("What had to leave the GPU's memory")},
      {EngineFiguresTexts::tr("one block"), report.bytesPerBlock > 0
                                                ? EngineFiguresTexts::tr("%1 tokens, %2")
                                                      .arg(kBlockTokens)
                                                      .arg(sizeText(report.bytesPerBlock))
                                                : dash()},
      {EngineFiguresTexts::tr("reserved and empty"), wasteText(report)},
  };
}

}  // namespace quire
