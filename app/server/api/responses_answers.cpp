#include "app/server/api/responses_answers.h"

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

/// The part of an item that its text stands in; null for a call, which has none.
Json partJson(Kind kind, const std::string& text) {
  if (kind == Kind::kReasoning) return {{"type", "reasoning_text"}, {"text", text}};
  if (kind == Kind::kCall) return nullptr;
  return {{"type", "output_text"},
          {"text", text},
          {"annotations", Json::array()},
          {"logprobs", Json::array()}};
}

/// An item of the output. While it is written it has no content yet.
Json itemJson(const AnswerBlock& block, const std::string& id, bool isDone) {
  const char* const status = isDone ? "completed" : "in_progress";
  Json content = Json::array();
  if (isDone) content.push_back(partJson(block.kind, block.text));
  switch (block.kind) {
    case Kind::kReasoning:
      return {{"id", id},
              {"type", "reasoning"},
              {"summary", Json::array()},
              {"content", std::move(content)},
              {"status", status}};
    case Kind::kText:
      return {{"id", id},
              {"type", "message"},
              {"status", status},
              {"role", "assistant"},
              {"content", std::move(content)}};
    case Kind::kCall:
      break;
  }
  return {{"id", id},           {"type", "function_call"},
          {"status", status},   {"call_id", block.id},
          {"name", block.name}, {"arguments", isDone ? block.text : std::string()}};
}

std::string itemId(Kind kind) {
  return makeAnswerId(kind == Kind::kReasoning ? "rs_" : kind == Kind::kText ? "msg_" : "fc_");
}

Json usageJson(const GenerationUsage& usage, int reasoningTokens) {
  return {{"input_tokens", usage.promptTokens},
          {"input_tokens_details", {{"cached_tokens", usage.cachedTokens}}},
          {"output_tokens", usage.outputTokens},
          {"output_tokens_details", {{"reasoning_tokens", reasoningTokens}}},
          {"total_tokens", usage.promptTokens + usage.outputTokens}};
}

/// The response as a whole; its items are added as they are complete.
class ResponseObject {
 public:
  ResponseObject(const ResponsesRequest& request, const std::string& model)
      : m_json({{"id", makeAnswerId("resp_")}, {"object", "response"}}) {
    m_json["created_at"] = secondsNow();
    m_json["status"] = "in_progress";
    m_json["background"] = false;
    m_json["error"] = nullptr;
    m_json["incomplete_details"] = nullptr;
    m_json["model"] = model;
    m_json["output"] = Json::array();
    m_json["previous_response_id"] = nullptr;
    m_json.update(request.echo);
    m_json["usage"] = nullptr;
  }

  void addItem(Json item) { m_json["output"].push_back(std::move(item)); }
  void count(const AnswerDelta& delta) {
    const bool isReasoning = !delta.reasoning.empty() && delta.text.empty();
    if (isReasoning) m_reasoningTokens += static_cast<int>(delta.tokens.size());
  }
  void end(const AnswerEnd& end) {
    m_isCut = end.finish == FinishReason::kLength || end.finish == FinishReason::kContext;
    m_json["status"] = m_isCut ? "incomplete" : "completed";
    if (m_isCut) m_json["incomplete_details"] = {{"reason", "max_output_tokens"}};
  }
  void complete(const GenerationUsage& usage) {
    m_json["usage"] = usageJson(usage, m_reasoningTokens);
  }
  void fail(const ApiError& error) {
    m_json["status"] = "failed";
    m_json["error"] = {{"code", "server_error"}, {"message", error.message}};
  }
  bool isCut() const { return m_isCut; }
  const Json& json() const { return m_json; }

 private:
  Json m_json;
  bool m_isCut = false;
  int m_reasoningTokens = 0;
};

class StreamWriter : public AnswerWriter, private AnswerBlocks {
 public:
  StreamWriter(std::shared_ptr<HttpExchange> exchange, const ResponsesRequest& request,
               const std::string& model)
      : m_exchange(exchange), m_stream(std::move(exchange)), m_response(request, model) {}

  void started(const GenerationStart&) override {
    sendResponse("response.created");
    sendResponse("response.in_progress");
  }
  void appended(int, const AnswerDelta& delta) override {
    m_response.count(delta);
    add(delta);
  }
  void ended(int, const AnswerEnd& end) override {
    close();
    m_response.end(end);
  }
  void completed(const GenerationUsage& usage) override {
    m_response.complete(usage);
    sendResponse(m_response.isCut() ? "response.incomplete" : "response.completed");
    m_stream.end();
  }
  void failed(const ApiError& error) override {
    if (!m_stream.hasBegun()) return respondError(*m_exchange, error);
    m_response.fail(error);
    sendResponse("response.failed");
    m_stream.end();
  }

 private:
  void send(const char* type, const Json& members) {
    Json event = {{"type", type}, {"sequence_number", m_number++}};
    event.update(members);
    m_stream.send(jsonText(event), type);
  }
  void sendResponse(const char* type) { send(type, {{"response", m_response.json()}}); }
  /// An event about the open item, or about its only part.
  void sendItem(const char* type, const AnswerBlock& block, Json members) {
    members["item_id"] = m_itemId;
    members["output_index"] = block.index;
    if (block.kind != Kind::kCall) members["content_index"] = 0;
    send(type, members);
  }

  void opened(const AnswerBlock& block) override {
    m_itemId = itemId(block.kind);
    send("response.output_item.added",
         {{"output_index", block.index}, {"item", itemJson(block, m_itemId, false)}});
    if (block.kind == Kind::kCall) return;
    sendItem("response.content_part.added", block, {{"part", partJson(block.kind, {})}});
  }
  void grown(const AnswerBlock& block, const std::string& piece) override {
    switch (block.kind) {
      case Kind::kReasoning:
        return sendItem("response.reasoning_text.delta", block, {{"delta", piece}});
      case Kind::kText:
        return sendItem("response.output_text.delta", block,
                        {{"delta", piece}, {"logprobs", Json::array()}});
      case Kind::kCall:
        return sendItem("response.function_call_arguments.delta", block, {{"delta", piece}});
    }
  }
  void closed(const AnswerBlock& block) override {
    switch (block.kind) {
      case Kind::kReasoning:
        sendItem("response.reasoning_text.done", block, {{"text", block.text}});
        break;
      case Kind::kText:
        sendItem("response.output_text.done", block,
                 {{"text", block.text}, {"logprobs", Json::array()}});
        break;
      case Kind::kCall:
        sendItem("response.function_call_arguments.done", block,
                 {{"name", block.name}, {"arguments", block.text}});
        break;
    }
    if (block.kind != Kind::kCall) {
      sendItem("response.content_part.done", block, {{"part", partJson(block.kind, block.text)}});
    }
    Json item = itemJson(block, m_itemId, true);
    m_response.addItem(item);
    send("response.output_item.done", {{"output_index", block.index}, {"item", std::move(item)}});
  }

  const std::shared_ptr<HttpExchange> m_exchange;
  EventStream m_stream;
  ResponseObject m_response;
  std::string m_itemId;
  int64_t m_number = 0;
};

class WholeWriter : public AnswerWriter {
 public:
  WholeWriter(std::shared_ptr<HttpExchange> exchange, const ResponsesRequest& request,
              const std::string& model)
      : m_exchange(std::move(exchange)), m_response(request, model) {}

  void appended(int, const AnswerDelta& delta) override {
    m_response.count(delta);
    m_blocks.add(delta);
  }
  void ended(int, const AnswerEnd& end) override {
    m_blocks.close();
    m_response.end(end);
  }
  void completed(const GenerationUsage& usage) override {
    for (const AnswerBlock& block : m_blocks.blocks()) {
      m_response.addItem(itemJson(block, itemId(block.kind), true));
    }
    m_response.complete(usage);
    respondJson(*m_exchange, jsonText(m_response.json()));
  }
  void failed(const ApiError& error) override { respondError(*m_exchange, error); }

 private:
  const std::shared_ptr<HttpExchange> m_exchange;
  ResponseObject m_response;
  BlockCollector m_blocks;
};

}  // namespace

std::unique_ptr<AnswerWriter> makeResponseWriter(std::shared_ptr<HttpExchange> exchange,
                                                 const ResponsesRequest& request,
                                                 const std::string& model) {
  if (request.isStreamed) {
    return std::make_unique<StreamWriter>(std::move(exchange), request, model);
  }
  return std::make_unique<WholeWriter>(std::move(exchange), request, model);
}

}  // namespace quire
