#include "app/server/api/best_of_writer.h"

#include <algorithm>
#include <span>
#include <utility>

namespace quire {
namespace {

double meanLogprob(const WholeAnswer& answer) {
  double sum = 0.0;
  for (const TokenChances& token : answer.logprobs) sum += double{token.sampled.logprob};
  return sum / static_cast<double>(std::max<qsizetype>(answer.logprobs.size(), 1));
}

AnswerDelta deltaOf(WholeAnswer& answer) {
  return {.reasoning = std::move(answer.reasoning),
          .text = std::move(answer.text),
          .toolCalls = std::move(answer.toolCalls),
          .logprobs = std::move(answer.logprobs),
          .tokens = std::move(answer.tokens)};
}

}  // namespace

BestOfWriter::BestOfWriter(std::unique_ptr<AnswerWriter> writer, int numPrompts, int numSampled,
                           int numKept)
    : CollectingWriter(numPrompts * numSampled),
      m_writer(std::move(writer)),
      m_numSampled(numSampled),
      m_numKept(numKept) {}

void BestOfWriter::write(const GenerationStart& start, std::vector<WholeAnswer>& answers,
                         const GenerationUsage& usage) {
  m_writer->started(start);
  const auto sampled = static_cast<size_t>(m_numSampled);
  int number = 0;
  for (size_t begin = 0; begin < answers.size(); begin += sampled) {
    const std::span<WholeAnswer> ofPrompt = std::span(answers).subspan(begin, sampled);
    std::ranges::stable_sort(ofPrompt, std::greater(), meanLogprob);
    for (WholeAnswer& answer : ofPrompt.first(static_cast<size_t>(m_numKept))) {
      const AnswerEnd end = answer.end;
      m_writer->appended(number, deltaOf(answer));
      m_writer->ended(number++, end);
    }
  }
  m_writer->completed(usage);
}

}  // namespace quire
