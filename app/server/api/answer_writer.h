#pragma once

#include <string>
#include <vector>

#include "app/server/api/api_error.h"
#include "app/server/api/generation_request.h"

namespace quire {

/// What is known when the first answer has its first token.
struct GenerationStart {
  std::string model;     ///< Its name in the ModelDirectory.
  int promptTokens = 0;  ///< Of the answer that came first.
  int cachedTokens = 0;
};

/// Writes the answers of a request to its client, in the shape of one API. The answers of a
/// request are numbered from 0: answer i of prompt p is p * numAnswers + i.
///
/// Thread: a backend's; calls come one after the other: started() once, appended() and ended() for
/// each answer in any order, then completed(). failed() may come at any time in place of the rest
/// and is the last call. A request whose client has gone gets no further calls.
class AnswerWriter {
 public:
  virtual ~AnswerWriter() = default;
  virtual void started(const GenerationStart& start) { static_cast<void>(start); }
  virtual void appended(int answer, const AnswerDelta& delta) = 0;
  virtual void ended(int answer, const AnswerEnd& end) = 0;
  virtual void completed(const GenerationUsage& usage) = 0;
  virtual void failed(const ApiError& error) = 0;
  /// Log probabilities are kept and written together at the end, which limits how many there may
  /// be.
  virtual bool keepsLogprobs() const { return false; }
};

/// One answer as a whole.
struct WholeAnswer {
  std::string reasoning = {};
  std::string text = {};
  std::vector<ToolCallPiece> toolCalls = {};  ///< Each whole.
  QList<TokenChances> logprobs = {};
  QList<qint32> tokens = {};
  AnswerEnd end = {};

  void append(const AnswerDelta& delta);
};

/// Collects the answers and writes them together.
class CollectingWriter : public AnswerWriter {
 public:
  explicit CollectingWriter(int numAnswers) : m_answers(static_cast<size_t>(numAnswers)) {}

  void started(const GenerationStart& start) override { m_start = start; }
  void appended(int answer, const AnswerDelta& delta) override;
  void ended(int answer, const AnswerEnd& end) override;
  void completed(const GenerationUsage& usage) override { write(m_start, m_answers, usage); }

 protected:
  virtual void write(const GenerationStart& start, std::vector<WholeAnswer>& answers,
                     const GenerationUsage& usage) = 0;

 private:
  GenerationStart m_start;
  std::vector<WholeAnswer> m_answers;
};

}  // namespace quire
