#include "app/server/api/ollama_answers.h"

#include <QDateTime>

#include <algorithm>
#include <chrono>
#include <utility>

#include "app/server/api/endpoint.h"
#include "app/server/api/event_stream.h"
#include "app/server/api/json_text.h"

namespace quire {
namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

int64_t nanoseconds(double ms) {
  return static_cast<int64_t>(std::max(ms, 0.0) * 1e6);
}

/// Of what both endpoints write about an answer's part.
Json answerJson(bool isChat, const std::string& text, const std::string& reasoning,
                const std::vector<ToolCallPiece>& calls) {
  if (!isChat) {
    Json members = {{"response", text}};
    if (!reasoning.empty()) members["thinking"] = reasoning;
    return members;
  }
  Json message = {{"role", "assistant"}, {"content", text}};
  if (!reasoning.empty()) message["thinking"] = reasoning;
  for (const ToolCallPiece& call : calls) {
    Json arguments = Json::parse(call.arguments, nullptr, /*allow_exceptions=*/false);
    if (!arguments.is_object()) arguments = Json::object();
    message["tool_calls"].push_back(
        {{"id", call.id},
         {"function",
          {{"index", call.index}, {"name", call.name}, {"arguments", std::move(arguments)}}}});
  }
  return {{"message", std::move(message)}};
}

Json lineJson(const std::string& model, const Json& members, bool isDone) {
  Json line = {{"model", model}, {"created_at", ollamaTime(QDateTime::currentMSecsSinceEpoch())}};
  line.update(members);
  line["done"] = isDone;
  return line;
}

const char* doneReason(const AnswerEnd& end) {
  const bool isCut = end.finish == FinishReason::kLength || end.finish == FinishReason::kContext;
  return isCut ? "length" : "stop";
}

/// Streamed and whole answers: Ollama's last line holds what the others do, too.
class OllamaWriter : public AnswerWriter {
 public:
  OllamaWriter(std::shared_ptr<HttpExchange> exchange, const OllamaRequest& request,
               std::string model)
      : m_exchange(exchange),
        m_stream(std::move(exchange), EventStream::Form::kJsonLines),
        m_isChat(request.isChat),
        m_isStreamed(request.isStreamed),
        m_model(std::move(model)) {}

  void appended(int, const AnswerDelta& delta) override {
    if (!m_isStreamed) return m_answer.append(delta);
    if (delta.text.empty() && delta.reasoning.empty() && delta.toolCalls.empty()) return;
    m_stream.send(jsonText(lineJson(
        m_model, answerJson(m_isChat, delta.text, delta.reasoning, delta.toolCalls), false)));
  }
  void ended(int, const AnswerEnd& end) override { m_answer.end = end; }
  void completed(const GenerationUsage&) override {
    Json last = lineJson(
        m_model, answerJson(m_isChat, m_answer.text, m_answer.reasoning, m_answer.toolCalls), true);
    addEnd(last);
    if (!m_isStreamed) return respondJson(*m_exchange, jsonText(last));
    m_stream.send(jsonText(last));
    m_stream.end();
  }
  void failed(const ApiError& error) override {
    if (!m_stream.hasBegun()) return respondError(*m_exchange, error);
    m_stream.send(errorJson(error, ApiDialect::kOllama));
    m_stream.end();
  }

 private:
  /// Counts, and durations in nanoseconds. The time before the answer was queued is the model's
  /// loading.
  void addEnd(Json& line) const {
    const AnswerEnd& end = m_answer.end;
    const double allMs = std::chrono::duration<double, std::milli>(Clock::now() - m_begun).count();
    line["done_reason"] = doneReason(end);
    line["total_duration"] = nanoseconds(std::max(allMs, end.totalMs));
    line["load_duration"] = nanoseconds(allMs - end.totalMs);
    line["prompt_eval_count"] = end.promptTokens;
    line["prompt_eval_duration"] = nanoseconds(end.firstTokenMs - end.queueMs);
    line["eval_count"] = end.outputTokens;
    line["eval_duration"] = nanoseconds(end.totalMs - end.firstTokenMs);
  }

  const std::shared_ptr<HttpExchange> m_exchange;
  EventStream m_stream;
  const bool m_isChat;
  const bool m_isStreamed;
  const std::string m_model;
  const Clock::time_point m_begun = Clock::now();
  WholeAnswer m_answer;
};

}  // namespace

std::unique_ptr<AnswerWriter> makeOllamaWriter(std::shared_ptr<HttpExchange> exchange,
                                               const OllamaRequest& request,
                                               const std::string& model) {
  return std::make_unique<OllamaWriter>(std::move(exchange), request, model);
}

std::string loadedJson(const OllamaRequest& request, const std::string& model) {
  Json line = lineJson(model, answerJson(request.isChat, {}, {}, {}), true);
  line["done_reason"] = "load";
  return jsonText(line);
}

std::string ollamaTime(int64_t msSinceEpoch) {
  return QDateTime::fromMSecsSinceEpoch(msSinceEpoch, Qt::UTC)
      .toString(Qt::ISODateWithMs)
      .toStdString();
}

}  // namespace quire
