#include <QtTest>
#include <algorithm>

#include "app/server/api/anthropic_requests.h"
#include "app/server/api/block_reader.h"
#include "tests/app/server/api_fakes.h"
#include "tests/app/server/tool_model.h"
#include "tests/support/thread_time.h"

using namespace quire;

/// Anthropic's API: what its requests say, and how answers are written.
class TestApiMessages : public QObject {
  Q_OBJECT

 private slots:
  void requests_areRefused_data();
  void requests_areRefused();
  void usualFields_areAccepted();
  void messages_becomeTurns();
  void resultOfAnId_isOfItsFirstCall();
  void manyToolResults_areReadInTime();
  void manyToolResults_areRead();
  void assistantAtTheEnd_isContinued();
  void thinking_isToldToTheTemplate();
  void tools_arePassedInOpenAisForm();
  void schemas_areFormats();
  void answer_isOneMessage();
  void answer_isStreamed();
  void toolUse_isABlock();
  void stopReasons_data();
  void stopReasons();
  void errors_haveAnthropicsShape();
  void failureWithinAStream_isAnEvent();
  void tokens_areCounted();
};

namespace {

using Json = nlohmann::ordered_json;

std::string messageWith(const std::string& fields) {
  return R"({"model": "mini", "max_tokens": 50, "messages": [{"role": "user", "content": "Hi"}])" +
         (fields.empty() ? "" : ", " + fields) + "}";
}

std::string messagesOf(const std::string& messages) {
  return R"({"model": "mini", "max_tokens": 50, "messages": [)" + messages + "]}";
}

MessagesRequest parsed(const std::string& body) {
  MessagesRequest request;
  const auto error = parseMessagesRequest(body, request);
  if (error) qWarning("%s", error->message.c_str());
  return request;
}

const std::string kTools =
    R"("tools": [{"name": "weather", "description": "d", "input_schema": {"type": "object"}}])";

}  // namespace

void TestApiMessages::requests_areRefused_data() {
  QTest::addColumn<QString>("body");
  QTest::addColumn<QString>("param");
  QTest::addColumn<QString>("words");
  const auto row = [](const char* name, const std::string& body, const char* param,
                      const char* words) {
    QTest::newRow(name) << QString::fromStdString(body) << param << words;
  };
  const auto content = [](const std::string& blocks) {
    return messagesOf(R"({"role": "user", "content": [)" + blocks + "]}");
  };
  row("no max_tokens", R"({"messages": [{"role": "user", "content": "Hi"}]})", "max_tokens",
      "missing");
  row("no messages", R"({"max_tokens": 5})", "messages", "at least one");
  row("unknown field", messageWith(R"("top_a": 1)"), "top_a", "not known");
  row("temperature", messageWith(R"("temperature": 1.5)"), "temperature", "from 0 to 1");
  row("stop sequences", messageWith(R"("stop_sequences": [""])"), "stop_sequences", "not empty");
  row("another choice", messageWith(kTools + R"(, "tool_choice": {"type": "required"})"),
      "tool_choice.type", "auto, any, tool or none");
  row("a choice without a name", messageWith(kTools + R"(, "tool_choice": {"type": "tool"})"),
      "tool_choice.name", "missing");
  row("a tool that is not offered",
      messageWith(kTools + R"(, "tool_choice": {"type": "tool", "name": "g"})"), "tool_choice",
      "not among tools");
  row("a choice without tools", messageWith(R"("tool_choice": {"type": "any"})"), "tool_choice",
      "needs tools");
  row("a server's tool", messageWith(R"("tools": [{"type": "bash_20250124", "name": "bash"}])"),
      "tools[0].type", "custom");
  row("a tool without a name", messageWith(R"("tools": [{"input_schema": {}}])"), "tools[0].name",
      "needs a name");
  row("thinking", messageWith(R"("thinking": {"type": "maybe"})"), "thinking.type", "adaptive");
  row("a budget too large", messageWith(R"("thinking": {"type": "enabled",
      "budget_tokens": 1024})"),
      "thinking.budget_tokens", "less than max_tokens");
  row("effort", messageWith(R"("output_config": {"effort": "huge"})"), "output_config.effort",
      "xhigh");
  row("a format without a schema",
      messageWith(R"("output_config": {"format": {"type": "json_schema"}})"),
      "output_config.format.schema", "needs a schema");
  row("MCP servers", messageWith(R"("mcp_servers": [{}])"), "mcp_servers", "not supported");
  row("role", messagesOf(R"({"role": "tool", "content": "x"})"), "messages[0].role",
      "user or assistant");
  row("content", messagesOf(R"({"role": "user", "content": 5})"), "messages[0].content",
      "one block");
  row("no blocks", content(""), "messages[0].content", "at least one");
  row("image", content(R"({"type": "image", "source": {}})"), "messages[0].content[0]", "Images");
  row("document", content(R"({"type": "document"})"), "messages[0].content[0]", "'document'");
  row("text without text", content(R"({"type": "text"})"), "messages[0].content[0].text",
      "needs a text");
  row("unknown block field", content(R"({"type": "text", "text": "x", "y": 1})"),
      "messages[0].content[0].y", "not known");
  row("a result without a call",
      content(R"({"type": "tool_result", "tool_use_id": "a", "content": "x"})"),
      "messages[0].content[0].tool_use_id", "no tool_use");
  row("thinking of the user", content(R"({"type": "thinking", "thinking": "x"})"),
      "messages[0].content[0]", "not supported");
  row("an answer alone", messagesOf(R"({"role": "assistant", "content": "x"})"), "messages",
      "after a user's");
}

void TestApiMessages::requests_areRefused() {
  QFETCH(QString, body);
  QFETCH(QString, param);
  QFETCH(QString, words);
  MessagesRequest request;
  const auto error = parseMessagesRequest(body.toStdString(), request);
  QVERIFY(error.has_value());
  QCOMPARE(error->status, 400);
  QCOMPARE(QString::fromStdString(error->param), param);
  QVERIFY2(QString::fromStdString(error->message).contains(words), error->message.c_str());
}

void TestApiMessages::usualFields_areAccepted() {
  const MessagesRequest request = parsed(messageWith(
      R"("metadata": {"user_id": "u"}, "service_tier": "auto", "stream": true, "temperature": 0.5,
         "top_p": 0.9, "top_k": 20, "stop_sequences": ["END"],
         "system": [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}])"));
  QVERIFY(request.isStreamed);
  QCOMPARE(request.generation.open.temperature, std::optional(0.5f));
  QCOMPARE(request.generation.open.topP, std::optional(0.9f));
  QCOMPARE(request.generation.open.topK, std::optional(20));
  QCOMPARE(request.generation.open.maxTokens, std::optional(50));
  QCOMPARE(request.generation.chat.sampling.stop, std::vector<std::string>{"END"});
  QCOMPARE(request.generation.chat.turns.first().role, QString("system"));
  QCOMPARE(request.generation.chat.turns.first().text, QString("Be brief."));
  QVERIFY(!request.generation.chat.dropsOldTurns);
}

void TestApiMessages::messages_becomeTurns() {
  using Kind = ContentPart::Kind;
  const MessagesRequest request = parsed(messagesOf(R"(
      {"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]},
      {"role": "assistant", "content": [
        {"type": "thinking", "thinking": "Hm.", "signature": ""}, {"type": "text", "text": "So"},
        {"type": "tool_use", "id": "t1", "name": "weather", "input": {"city": "Ulm"}},
        {"type": "tool_use", "id": "t2", "name": "now", "input": {}}]},
      {"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "rain"}]},
        {"type": "tool_result", "tool_use_id": "t2", "content": "no clock", "is_error": true},
        {"type": "text", "text": "Go on."}]})"));
  const QList<ChatTurn>& turns = request.generation.chat.turns;
  QCOMPARE(turns.size(), 5);
  QCOMPARE(turns[0].text, QString("a\nb"));
  QCOMPARE(turns[1].text, QString("So"));
  QCOMPARE(turns[1].parts.size(), size_t{4});
  QCOMPARE(turns[1].parts[0].kind, Kind::kReasoning);
  QCOMPARE(turns[1].parts[2].kind, Kind::kToolCall);
  QCOMPARE(turns[1].parts[2].text, std::string(R"({"city":"Ulm"})"));
  QCOMPARE(turns[2].role, QString("tool"));
  QCOMPARE(turns[2].parts[0].kind, Kind::kToolResult);
  QCOMPARE(turns[2].parts[0].tool, std::string("weather"));
  QCOMPARE(turns[2].parts[0].call_id, std::string("t1"));
  QCOMPARE(turns[2].parts[0].text, std::string("rain"));
  QCOMPARE(turns[3].parts[0].text, std::string("Error: no clock"));
  QCOMPARE(turns[4].role, QString("user"));
  QCOMPARE(turns[4].text, QString("Go on."));
}

void TestApiMessages::resultOfAnId_isOfItsFirstCall() {
  const QList<ChatTurn> turns = parsed(messagesOf(R"({"role": "user", "content": "Hi"},
      {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "first"},
        {"type": "tool_use", "id": "a", "name": "second"}]},
      {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "x"},
        {"type": "tool_result", "tool_use_id": "a", "content": "y"}]})"))
                                    .generation.chat.turns;
  QCOMPARE(turns.size(), 4);
  for (const qsizetype i : {2, 3}) QCOMPARE(turns[i].parts[0].tool, std::string("first"));
}

/// Each finds its call at once: four times as many take four to eight times as long, not sixteen.
void TestApiMessages::manyToolResults_areReadInTime() {
  const auto taken_ms = [](int num_calls) {
    const double begin = test::thread_ms();
    TurnBuilder builder;
    for (int i = 0; i < num_calls; ++i) builder.addCall("t" + std::to_string(i), "a", "{}");
    const std::string last = "t" + std::to_string(num_calls - 1);
    bool are_found = true;
    for (int i = 0; i < num_calls; ++i) are_found &= builder.addResult(last, {}, "x");
    const double ms = test::thread_ms() - begin;
    return are_found && builder.take().size() == 1 + num_calls ? ms : -1.0;
  };
  const double few = std::min({taken_ms(10'000), taken_ms(10'000), taken_ms(10'000)});
  const double many = std::min(taken_ms(40'000), taken_ms(40'000));
  QVERIFY(few > 0 && many > 0);
  QVERIFY2(many < 12 * few, (std::to_string(few) + " " + std::to_string(many)).c_str());
}

void TestApiMessages::manyToolResults_areRead() {
  constexpr int kCalls = 2'000;
  std::string calls, results;
  for (int i = 0; i < kCalls; ++i) {
    const std::string comma = i == 0 ? "" : ",";
    calls += comma + R"({"type":"tool_use","name":"a","id":"t)" + std::to_string(i) + "\"}";
    results +=
        comma + R"({"type":"tool_result","tool_use_id":"t)" + std::to_string(kCalls - 1) + "\"}";
  }
  MessagesRequest request;
  QVERIFY(!parseMessagesRequest(
      messagesOf(R"({"role":"user","content":"a"},{"role":"assistant","content":[)" + calls +
                 R"(]},{"role":"user","content":[)" + results + "]}"),
      request));
  const QList<ChatTurn>& turns = request.generation.chat.turns;
  QCOMPARE(turns.size(), 2 + kCalls);
  QCOMPARE(turns.last().parts[0].call_id, turns[1].parts.back().call_id);
}

void TestApiMessages::assistantAtTheEnd_isContinued() {
  const MessagesRequest request = parsed(
      messagesOf(R"({"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Once"})"));
  QVERIFY(request.generation.chat.continueAnswer);
  QVERIFY(!parsed(messageWith("")).generation.chat.continueAnswer);
}

void TestApiMessages::thinking_isToldToTheTemplate() {
  const auto variables = [](const std::string& fields) {
    return parsed(messageWith(fields)).generation.chat.prompt.variables;
  };
  QCOMPARE(variables(""), std::string());
  QCOMPARE(variables(R"("thinking": {"type": "disabled"})"),
           std::string(R"({"enable_thinking":false})"));
  QCOMPARE(variables(R"("thinking": {"type": "adaptive"}, "output_config": {"effort": "low"})"),
           std::string(R"({"enable_thinking":true,"reasoning_effort":"low"})"));
}

void TestApiMessages::tools_arePassedInOpenAisForm() {
  const GenerationRequest request = parsed(messageWith(kTools)).generation;
  QVERIFY(request.findsToolCalls);
  QCOMPARE(request.chat.prompt.tools,
           std::string(R"([{"type":"function","function":{"name":"weather","description":"d",)"
                       R"("parameters":{"type":"object"}}}])"));
  const GenerationRequest none =
      parsed(messageWith(kTools + R"(, "tool_choice": {"type": "none"})")).generation;
  QVERIFY(!none.findsToolCalls);
  QCOMPARE(none.chat.prompt.tools, std::string());
}

void TestApiMessages::schemas_areFormats() {
  const AnswerFormat format =
      parsed(
          messageWith(
              R"("output_config": {"format": {"type": "json_schema", "schema": {"type": "object"}}})"))
          .generation.chat.format;
  QCOMPARE(format.kind, AnswerFormat::Kind::kJsonSchema);
  QCOMPARE(format.schema, std::string(R"({"type":"object"})"));
}

void TestApiMessages::answer_isOneMessage() {
  FakeApi api;
  const auto exchange = api.post("/v1/messages", messageWith(""));
  api.backend.start(0);
  api.backend.say(0, "<think>Hm.</think>\n");
  api.backend.say(0, "Hello.");
  api.backend.finish(0);
  const Json json = exchange->json();
  QCOMPARE(exchange->response.status, 200);
  QVERIFY(json.value("id", "").starts_with("msg_"));
  QCOMPARE(json.value("type", ""), std::string("message"));
  QCOMPARE(json.value("role", ""), std::string("assistant"));
  QCOMPARE(json.value("model", ""), std::string("mini"));
  QCOMPARE(json["content"].dump(),
           std::string(R"([{"type":"thinking","thinking":"Hm.","signature":""},)"
                       R"({"type":"text","text":"Hello."}])"));
  QCOMPARE(json.value("stop_reason", ""), std::string("end_turn"));
  QVERIFY(json["stop_sequence"].is_null());
  QCOMPARE(json["usage"].dump(), std::string(R"({"input_tokens":6,"cache_creation_input_tokens":0,)"
                                             R"("cache_read_input_tokens":4,"output_tokens":3})"));
}

void TestApiMessages::answer_isStreamed() {
  FakeApi api;
  const auto exchange = api.post("/v1/messages", messageWith(R"("stream": true)"));
  api.backend.start(0);
  api.backend.say(0, "<think>Hm.</think>\n");
  api.backend.say(0, "Hel");
  api.backend.say(0, "lo.");
  api.backend.finish(0);
  QStringList types;
  for (size_t i = 0; i < exchange->parts.size(); ++i) {
    const Json event = Json::parse(exchange->events()[i]);
    const std::string type = event["type"];
    QVERIFY(exchange->parts[i].starts_with("event: " + type + "\ndata: "));
    types.append(QString::fromStdString(type));
  }
  QCOMPARE(types.join(' '),
           QString("message_start content_block_start content_block_delta content_block_stop "
                   "content_block_start content_block_delta content_block_delta "
                   "content_block_stop message_delta message_stop"));
  const auto event = [&](size_t i) { return Json::parse(exchange->events()[i]); };
  QCOMPARE(event(0)["message"]["usage"]["input_tokens"].get<int>(), 6);
  QCOMPARE(event(1)["content_block"]["type"].get<std::string>(), std::string("thinking"));
  QCOMPARE(event(2)["delta"].dump(), std::string(R"({"type":"thinking_delta","thinking":"Hm."})"));
  QCOMPARE(event(4).dump(), std::string(R"({"type":"content_block_start","index":1,)"
                                        R"("content_block":{"type":"text","text":""}})"));
  QCOMPARE(event(5)["delta"].dump(), std::string(R"({"type":"text_delta","text":"Hel"})"));
  QCOMPARE(event(8)["delta"].dump(),
           std::string(R"({"stop_reason":"end_turn","stop_sequence":null})"));
  QCOMPARE(event(8)["usage"]["output_tokens"].get<int>(), 3);
  QVERIFY(exchange->isEnded);
}

void TestApiMessages::toolUse_isABlock() {
  FakeApi api;
  api.texts.model.chat = toolModel();
  const auto whole = api.post("/v1/messages", messageWith(kTools));
  const auto streamed = api.post("/v1/messages", messageWith(kTools + R"(, "stream": true)"));
  for (size_t i = 0; i < 2; ++i) {
    api.backend.start(i);
    api.backend.say(i, "I look.\n");
    for (const QChar c : kWeatherCall) api.backend.say(i, c);
    api.backend.finish(i);
  }
  const Json json = whole->json();
  QCOMPARE(json["content"].size(), size_t{2});
  QCOMPARE(json["content"][0]["text"].get<std::string>(), std::string("I look."));
  QCOMPARE(json["content"][1]["type"].get<std::string>(), std::string("tool_use"));
  QCOMPARE(json["content"][1]["name"].get<std::string>(), std::string("weather"));
  QCOMPARE(json["content"][1]["input"].dump(), std::string(R"({"city":"Ulm"})"));
  QCOMPARE(json.value("stop_reason", ""), std::string("tool_use"));
  const auto events = streamed->events();
  QVERIFY(events.size() > 5);
  const Json start = Json::parse(events[events.size() - 5]);
  QCOMPARE(start["content_block"]["type"].get<std::string>(), std::string("tool_use"));
  QCOMPARE(start["content_block"]["input"].dump(), std::string("{}"));
  const Json delta = Json::parse(events[events.size() - 4]);
  QCOMPARE(delta["delta"].value("type", ""), std::string("input_json_delta"));
  QCOMPARE(delta["delta"].value("partial_json", ""), std::string(R"({"city":"Ulm"})"));
}

void TestApiMessages::stopReasons_data() {
  QTest::addColumn<int>("finish");
  QTest::addColumn<QString>("stop");
  QTest::addColumn<QString>("reason");
  QTest::addColumn<QString>("sequence");
  const auto row = [](const char* name, FinishReason finish, const char* stop, const char* reason,
                      const char* sequence) {
    QTest::newRow(name) << static_cast<int>(finish) << QString(stop) << QString(reason)
                        << QString(sequence);
  };
  row("end", FinishReason::kEnd, "", "end_turn", "");
  row("length", FinishReason::kLength, "", "max_tokens", "");
  row("context", FinishReason::kContext, "", "max_tokens", "");
  row("the client's stop", FinishReason::kStop, "END", "stop_sequence", "END");
  row("the template's stop", FinishReason::kStop, "\nUser:", "end_turn", "");
}

void TestApiMessages::stopReasons() {
  QFETCH(int, finish);
  QFETCH(QString, stop);
  QFETCH(QString, reason);
  QFETCH(QString, sequence);
  FakeApi api;
  const auto exchange = api.post("/v1/messages", messageWith(R"("stop_sequences": ["END"])"));
  AnswerReport report;
  report.finish = static_cast<FinishReason>(finish);
  report.stop = stop;
  api.backend.start(0);
  std::exchange(api.backend.asked.at(0).sink, nullptr)->finished(report);
  const Json json = exchange->json();
  QCOMPARE(QString::fromStdString(json.value("stop_reason", "")), reason);
  const Json& own = json["stop_sequence"];
  QCOMPARE(QString::fromStdString(own.is_null() ? std::string() : own.get<std::string>()),
           sequence);
}

void TestApiMessages::errors_haveAnthropicsShape() {
  FakeApi api;
  const auto unknown = api.post("/v1/messages", R"({"model": "x", "max_tokens": 5,
      "messages": [{"role": "user", "content": "Hi"}]})");
  QCOMPARE(unknown->response.status, 404);
  QCOMPARE(unknown->json()["type"].get<std::string>(), std::string("error"));
  QCOMPARE(unknown->json()["error"]["type"].get<std::string>(), std::string("not_found_error"));
  const auto bad = api.post("/v1/messages", "{}");
  QCOMPARE(bad->response.status, 400);
  QCOMPARE(bad->json()["error"]["type"].get<std::string>(), std::string("invalid_request_error"));
}

void TestApiMessages::failureWithinAStream_isAnEvent() {
  FakeApi api;
  const auto exchange = api.post("/v1/messages", messageWith(R"("stream": true)"));
  api.backend.start(0);
  api.backend.say(0, "Hel");
  api.backend.fail(0, ErrorCode::kDevice, "The device is gone.");
  QVERIFY(exchange->parts.back().starts_with("event: error\ndata: "));
  QVERIFY(exchange->parts.back().find("The device is gone.") != std::string::npos);
  QVERIFY(exchange->isEnded);
}

void TestApiMessages::tokens_areCounted() {
  FakeApi api;
  api.texts.tokens.tokens = {1, 2, 3};
  const auto exchange = api.post("/v1/messages/count_tokens",
                                 R"({"model": "mini", "messages": [{"role": "user",
                                     "content": "Hi"}], )" +
                                     kTools + "}");
  QCOMPARE(exchange->json().dump(), std::string(R"({"input_tokens":3})"));
  QCOMPARE(api.texts.tokenized.first().turns.first().text, QString("Hi"));
  QVERIFY(!api.texts.tokenized.first().prompt.tools.empty());
  const auto bad = api.post("/v1/messages/count_tokens", R"({"max_tokens": 5})");
  QCOMPARE(bad->response.status, 400);
}

QTEST_GUILESS_MAIN(TestApiMessages)
#include "tst_api_messages.moc"
