#include "app/server/api/anthropic_answers.h"

#include <algorithm>
#include <utility>

#include "app/server/api/answer_blocks.h"
#include "app/server/api/endpoint.h"
#include "app/server/api/event_stream.h"
#include "app/server/api/json_text.h"
#include "app/server/api/openai_answers.h"

namespace quire {
namespace {

using Json = nlohmann::ordered_json;
using Kind = AnswerBlock::Kind;

/// Anthropic counts the tokens that were cached beside those that were not.
Json usageJson(int promptTokens, int cachedTokens, int outputTokens) {
  return {{"input_tokens", promptTokens - cachedTokens},
          {"cache_creation_input_tokens", 0},
          {"cache_read_input_tokens", cachedTokens},
          {"output_tokens", outputTokens}};
}

/// stop_reason and stop_sequence.
Json stopJson(const AnswerEnd& end, const std::vector<std::string>& stops) {
  const bool isStop = std::ranges::find(stops, end.stop) != stops.end();
  const bool isCut = end.finish == FinishReason::kLength || end.finish == FinishReason::kContext;
  const char* const reason = isCut              ? "max_tokens"
                             : end.hasToolCalls ? "tool_use"
                             : isStop           ? "stop_sequence"
                                                : "end_turn";
  Json stop = {{"stop_reason", reason}};
  stop["stop_sequence"] = isStop ? Json(end.stop) : Json(nullptr);
  return stop;
}

Json blockJson(const AnswerBlock& block, bool isEmpty) {
  const std::string text = isEmpty ? std::string() : block.text;
  switch (block.kind) {
    case Kind::kReasoning:
      return {{"type", "thinking"}, {"thinking", text}, {"signature", ""}};
    case Kind::kText:
      return {{"type", "text"}, {"text", text}};
    case Kind::kCall:
      break;
  }
  Json input = Json::parse(isEmpty ? "{}" : block.text, nullptr, /*allow_exceptions=*/false);
  Json call = {{"type", "tool_use"}, {"id", block.id}, {"name", block.name}};
  call["input"] = input.is_object() ? std::move(input) : Json::object();
  return call;
}

/// The message without its content, its end and its usage.
Json messageJson(const std::string& model) {
  Json message = {{"id", makeAnswerId("msg_")}, {"type", "message"}, {"role", "assistant"}};
  message["model"] = model;
  message["content"] = Json::array();
  message["stop_reason"] = nullptr;
  message["stop_sequence"] = nullptr;
  return message;
}

class StreamWriter : public AnswerWriter, private AnswerBlocks {
 public:
  StreamWriter(std::shared_ptr<HttpExchange> exchange, const MessagesRequest& request,
               const std::string& model)
      : m_exchange(exchange),
        m_stream(std::move(exchange)),
        m_stops(request.stops),
        m_message(messageJson(model)) {}

  void started(const GenerationStart& start) override {
    Json message = m_message;
    message["usage"] = usageJson(start.promptTokens, start.cachedTokens, 0);
    send("message_start", {{"message", std::move(message)}});
  }
  void appended(int, const AnswerDelta& delta) override { add(delta); }
  void ended(int, const AnswerEnd& end) override {
    close();
    m_end = stopJson(end, m_stops);
  }
  void completed(const GenerationUsage& usage) override {
    send("message_delta",
         {{"delta", m_end},
          {"usage", usageJson(usage.promptTokens, usage.cachedTokens, usage.outputTokens)}});
    send("message_stop", Json::object());
    m_stream.end();
  }
  void failed(const ApiError& error) override {
    if (!m_stream.hasBegun()) return respondError(*m_exchange, error);
    m_stream.send(errorJson(error, ApiDialect::kAnthropic), "error");
    m_stream.end();
  }

 private:
  void send(const char* type, const Json& members) {
    Json event = {{"type", type}};
    event.update(members);
    m_stream.send(jsonText(event), type);
  }
  void sendDelta(const AnswerBlock& block, Json delta) {
    send("content_block_delta", {{"index", block.index}, {"delta", std::move(delta)}});
  }
  void opened(const AnswerBlock& block) override {
    send("content_block_start",
         {{"index", block.index}, {"content_block", blockJson(block, /*isEmpty=*/true)}});
  }
  void grown(const AnswerBlock& block, const std::string& piece) override {
    switch (block.kind) {
      case Kind::kReasoning:
        return sendDelta(block, {{"type", "thinking_delta"}, {"thinking", piece}});
      case Kind::kText:
        return sendDelta(block, {{"type", "text_delta"}, {"text", piece}});
      case Kind::kCall:
        return sendDelta(block, {{"type", "input_json_delta"}, {"partial_json", piece}});
    }
  }
  void closed(const AnswerBlock& block) override {
    send("content_block_stop", {{"index", block.index}});
  }

  const std::shared_ptr<HttpExchange> m_exchange;
  EventStream m_stream;
  const std::vector<std::string> m_stops;
  const Json m_message;
  Json m_end;
};

class WholeWriter : public AnswerWriter {
 public:
  WholeWriter(std::shared_ptr<HttpExchange> exchange, const MessagesRequest& request,
              const std::string& model)
      : m_exchange(std::move(exchange)), m_stops(request.stops), m_message(messageJson(model)) {}

  void appended(int, const AnswerDelta& delta) override { m_blocks.add(delta); }
  void ended(int, const AnswerEnd& end) override {
    m_blocks.close();
    m_message.update(stopJson(end, m_stops));
  }
  void completed(const GenerationUsage& usage) override {
    for (const AnswerBlock& block : m_blocks.blocks()) {
      m_message["content"].push_back(blockJson(block, /*isEmpty=*/false));
    }
    m_message["usage"] = usageJson(usage.promptTokens, usage.cachedTokens, usage.outputTokens);
    respondJson(*m_exchange, jsonText(m_message));
  }
  void failed(const ApiError& error) override { respondError(*m_exchange, error); }

 private:
  const std::shared_ptr<HttpExchange> m_exchange;
  const std::vector<std::string> m_stops;
  Json m_message;
  BlockCollector m_blocks;
};

}  // namespace

std::unique_ptr<AnswerWriter> makeMessageWriter(std::shared_ptr<HttpExchange> exchange,
                                                const MessagesRequest& request,
                                                const std::string& model) {
  if (request.isStreamed) {
    return std::make_unique<StreamWriter>(std::move(exchange), request, model);
  }
  return std::make_unique<WholeWriter>(std::move(exchange), request, model);
}

}  // namespace quire
