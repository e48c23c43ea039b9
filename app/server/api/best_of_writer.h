#pragma once

#include <memory>

#include "app/server/api/answer_writer.h"

namespace quire {

/// Keeps all answers until their end and passes on the best of each prompt: those with the highest
/// mean log probability of a token, which must have been computed. The best one comes first.
class BestOfWriter : public CollectingWriter {
 public:
  /// Of `numSampled` answers to each prompt, `numKept` are passed on.
  BestOfWriter(std::unique_ptr<AnswerWriter> writer, int numPrompts, int numSampled, int numKept);

  void failed(const ApiError& error) override { m_writer->failed(error); }
  bool keepsLogprobs() const override { return m_writer->keepsLogprobs(); }

 protected:
  void write(const GenerationStart& start, std::vector<WholeAnswer>& answers,
             const GenerationUsage& usage) override;

 private:
  const std::unique_ptr<AnswerWriter> m_writer;
  const int m_numSampled;
  const int m_numKept;
};

}  // namespace quire
