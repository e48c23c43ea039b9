#include "app/server/api/openai_answers.h"

#include <QDateTime>
#include <QUuid>

#include <utility>

#include "app/server/api/endpoint.h"
#include "app/server/api/event_stream.h"
#include "app/server/api/json_text.h"
#include "app/server/api/logprobs_json.h"

namespace quire {
namespace {

using Json = nlohmann::ordered_json;

const char* finishReason(const AnswerEnd& end) {
  switch (end.finish) {
    case FinishReason::kLength:
    case FinishReason::kContext:
      return "length";
    default:
      return end.hasToolCalls ? "tool_calls" : "stop";
  }
}

Json usageJson(const GenerationUsage& usage) {
  return {{"prompt_tokens", usage.promptTokens},
          {"completion_tokens", usage.outputTokens},
          {"total_tokens", usage.promptTokens + usage.outputTokens},
          {"prompt_tokens_details", {{"cached_tokens", usage.cachedTokens}}}};
}

/// What chats and completions write differently.
class Shape {
 public:
  explicit Shape(const OpenAiAnswerOptions& options)
      : m_hasLogprobs(options.numLogprobs >= 0),
        m_offsets(static_cast<size_t>(options.numAnswers)) {}
  virtual ~Shape() = default;

  virtual const char* idPrefix() const = 0;
  virtual const char* object(bool isStreamed) const = 0;
  virtual bool hasRoleChunk() const = 0;
  /// The members of a choice beside its index and finish_reason.
  virtual Json chunk(const AnswerDelta& delta) const = 0;
  virtual Json whole(const WholeAnswer& answer) const = 0;

  bool hasLogprobs() const { return m_hasLogprobs; }
  Json logprobs(int answer, const QList<TokenChances>& tokens) {
    if (!m_hasLogprobs) return nullptr;
    return logprobsJson(tokens, m_offsets.at(static_cast<size_t>(answer)));
  }

 protected:
  virtual Json logprobsJson(const QList<TokenChances>& tokens, int64_t& offset) const = 0;

 private:
  const bool m_hasLogprobs;
  std::vector<int64_t> m_offsets;  ///< Of each answer, in characters.
};

class ChatShape : public Shape {
 public:
  using Shape::Shape;
  const char* idPrefix() const override { return "chatcmpl-"; }
  const char* object(bool isStreamed) const override {
    return isStreamed ? "chat.completion.chunk" : "chat.completion";
  }
  bool hasRoleChunk() const override { return true; }

  Json chunk(const AnswerDelta& delta) const override {
    Json members = Json::object();
    if (!delta.reasoning.empty()) members["reasoning_content"] = delta.reasoning;
    if (!delta.text.empty()) members["content"] = delta.text;
    for (const ToolCallPiece& piece : delta.toolCalls) {
      Json call = {{"index", piece.index}};
      Json function = Json::object();
      if (!piece.id.empty()) {
        call["id"] = piece.id;
        call["type"] = "function";
      }
      if (!piece.name.empty()) function["name"] = piece.name;
      function["arguments"] = piece.arguments;
      call["function"] = std::move(function);
      members["tool_calls"].push_back(std::move(call));
    }
    return {{"delta", std::move(members)}};
  }

  Json whole(const WholeAnswer& answer) const override {
    Json message = {{"role", "assistant"}};
    const bool isCallOnly = answer.text.empty() && !answer.toolCalls.empty();
    message["content"] = isCallOnly ? Json(nullptr) : Json(answer.text);
    message["refusal"] = nullptr;
    if (!answer.reasoning.empty()) message["reasoning_content"] = answer.reasoning;
    for (const ToolCallPiece& call : answer.toolCalls) {
      message["tool_calls"].push_back(
          {{"id", call.id},
           {"type", "function"},
           {"function", {{"name", call.name}, {"arguments", call.arguments}}}});
    }
    return {{"message", std::move(message)}};
  }

 protected:
  Json logprobsJson(const QList<TokenChances>& tokens, int64_t&) const override {
    return chatLogprobs(tokens);
  }
};

class CompletionShape : public Shape {
 public:
  using Shape::Shape;
  const char* idPrefix() const override { return "cmpl-"; }
  const char* object(bool) const override { return "text_completion"; }
  bool hasRoleChunk() const override { return false; }
  Json chunk(const AnswerDelta& delta) const override { return {{"text", delta.text}}; }
  Json whole(const WholeAnswer& answer) const override { return {{"text", answer.text}}; }

 protected:
  Json logprobsJson(const QList<TokenChances>& tokens, int64_t& offset) const override {
    return completionLogprobs(tokens, offset);
  }
};

/// The members of every object of a response.
class Head {
 public:
  Head(const Shape& shape, const OpenAiAnswerOptions& options)
      : m_head({{"id", makeAnswerId(shape.idPrefix())},
                {"object", shape.object(options.stream.isStreamed)},
                {"created", secondsNow()},
                {"model", options.model}}) {}
  Json with(Json choices) const {
    Json object = m_head;
    object["choices"] = std::move(choices);
    return object;
  }

 private:
  const Json m_head;
};

class StreamWriter : public AnswerWriter {
 public:
  StreamWriter(std::shared_ptr<HttpExchange> exchange, const OpenAiAnswerOptions& options,
               std::unique_ptr<Shape> shape)
      : m_exchange(std::move(exchange)),
        m_options(options),
        m_shape(std::move(shape)),
        m_head(*m_shape, options),
        m_stream(m_exchange) {}

  void started(const GenerationStart&) override {
    if (!m_shape->hasRoleChunk()) return;
    for (int answer = 0; answer < m_options.numAnswers; ++answer) {
      send(answer, {{"delta", {{"role", "assistant"}, {"content", ""}}}}, nullptr, nullptr);
    }
  }
  void appended(int answer, const AnswerDelta& delta) override {
    if (!delta.isEmpty()) {
      send(answer, m_shape->chunk(delta), m_shape->logprobs(answer, delta.logprobs), nullptr);
    }
  }
  void ended(int answer, const AnswerEnd& end) override {
    send(answer, m_shape->chunk({}), nullptr, finishReason(end));
  }
  void completed(const GenerationUsage& usage) override {
    if (m_options.stream.includesUsage) {
      Json last = m_head.with(Json::array());
      last["usage"] = usageJson(usage);
      m_stream.send(jsonText(last));
    }
    m_stream.end("[DONE]");
  }
  void failed(const ApiError& error) override {
    if (!m_stream.hasBegun()) return respondError(*m_exchange, error);
    m_stream.send(errorJson(error, ApiDialect::kOpenAi));
    m_stream.end();
  }

 private:
  void send(int answer, const Json& members, Json logprobs, Json finish) {
    Json choice = {{"index", answer}};
    choice.update(members);
    choice["logprobs"] = std::move(logprobs);
    choice["finish_reason"] = std::move(finish);
    Json chunk = m_head.with(Json::array({std::move(choice)}));
    if (m_options.stream.includesUsage) chunk["usage"] = nullptr;
    m_stream.send(jsonText(chunk));
  }

  const std::shared_ptr<HttpExchange> m_exchange;
  const OpenAiAnswerOptions m_options;
  const std::unique_ptr<Shape> m_shape;
  const Head m_head;
  EventStream m_stream;
};

class WholeWriter : public CollectingWriter {
 public:
  WholeWriter(std::shared_ptr<HttpExchange> exchange, const OpenAiAnswerOptions& options,
              std::unique_ptr<Shape> shape)
      : CollectingWriter(options.numAnswers),
        m_exchange(std::move(exchange)),
        m_shape(std::move(shape)),
        m_head(*m_shape, options) {}

  void failed(const ApiError& error) override { respondError(*m_exchange, error); }
  bool keepsLogprobs() const override { return m_shape->hasLogprobs(); }

 protected:
  void write(const GenerationStart&, std::vector<WholeAnswer>& answers,
             const GenerationUsage& usage) override {
    Json choices = Json::array();
    for (size_t i = 0; i < answers.size(); ++i) {
      Json choice = {{"index", i}};
      choice.update(m_shape->whole(answers[i]));
      choice["logprobs"] = m_shape->logprobs(static_cast<int>(i), answers[i].logprobs);
      choice["finish_reason"] = finishReason(answers[i].end);
      choices.push_back(std::move(choice));
    }
    Json object = m_head.with(std::move(choices));
    object["usage"] = usageJson(usage);
    respondJson(*m_exchange, jsonText(object));
  }

 private:
  const std::shared_ptr<HttpExchange> m_exchange;
  const std::unique_ptr<Shape> m_shape;
  const Head m_head;
};

template <typename OfApi>
std::unique_ptr<AnswerWriter> makeWriter(std::shared_ptr<HttpExchange> exchange,
                                         const OpenAiAnswerOptions& options) {
  auto shape = std::make_unique<OfApi>(options);
  if (options.stream.isStreamed) {
    return std::make_unique<StreamWriter>(std::move(exchange), options, std::move(shape));
  }
  return std::make_unique<WholeWriter>(std::move(exchange), options, std::move(shape));
}

}  // namespace

std::unique_ptr<AnswerWriter> makeChatWriter(std::shared_ptr<HttpExchange> exchange,
                                             const OpenAiAnswerOptions& options) {
  return makeWriter<ChatShape>(std::move(exchange), options);
}

std::unique_ptr<AnswerWriter> makeCompletionWriter(std::shared_ptr<HttpExchange> exchange,
                                                   const OpenAiAnswerOptions& options) {
  return makeWriter<CompletionShape>(std::move(exchange), options);
}

std::string makeAnswerId(const std::string& prefix) {
  return prefix + QUuid::createUuid().toString(QUuid::Id128).toStdString();
}

int64_t secondsNow() {
  return QDateTime::currentSecsSinceEpoch();
}

}  // namespace quire
