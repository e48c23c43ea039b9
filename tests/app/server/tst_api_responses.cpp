#include <QtTest>

#include "app/server/api/responses_requests.h"
#include "tests/app/server/api_fakes.h"
#include "tests/app/server/tool_model.h"

using namespace quire;

/// OpenAI's Responses: what requests say, and how answers are written.
class TestApiResponses : public QObject {
  Q_OBJECT

 private slots:
  void requests_areRefused_data();
  void requests_areRefused();
  void usualFields_areAccepted();
  void items_becomeTurns();
  void formats_areRead();
  void answer_isOneResponse();
  void answer_isStreamed();
  void functionCall_isAnItem();
  void cutAnswer_isIncomplete();
  void failureWithinAStream_isAnEvent();
};

namespace {

using Json = nlohmann::ordered_json;

std::string requestWith(const std::string& fields) {
  return R"({"model": "mini", "input": "Hi")" + (fields.empty() ? "" : ", " + fields) + "}";
}

std::string inputOf(const std::string& items) {
  return R"({"model": "mini", "input": [)" + items + "]}";
}

ResponsesRequest parsed(const std::string& body) {
  ResponsesRequest request;
  const auto error = parseResponsesRequest(body, request);
  if (error) qWarning("%s", error->message.c_str());
  return request;
}

const std::string kTools = R"("tools": [{"type": "function", "name": "weather", "strict": false,
    "parameters": {"type": "object"}}])";

}  // namespace

void TestApiResponses::requests_areRefused_data() {
  QTest::addColumn<QString>("body");
  QTest::addColumn<QString>("param");
  QTest::addColumn<QString>("words");
  const auto row = [](const char* name, const std::string& body, const char* param,
                      const char* words) {
    QTest::newRow(name) << QString::fromStdString(body) << param << words;
  };
  row("no input", R"({"model": "mini"})", "input", "at least one item");
  row("unknown field", requestWith(R"("n": 2)"), "n", "not known");
  row("store", requestWith(R"("store": true)"), "store", "not stored");
  row("previous", requestWith(R"("previous_response_id": "resp_1")"), "previous_response_id",
      "whole chat");
  row("conversation", requestWith(R"("conversation": "c")"), "conversation", "whole chat");
  row("background", requestWith(R"("background": true)"), "background", "background");
  row("include", requestWith(R"("include": ["file_search_call.results"])"), "include", "Only");
  row("truncation", requestWith(R"("truncation": "some")"), "truncation", "auto or disabled");
  row("another choice", requestWith(kTools + R"(, "tool_choice": "always")"), "tool_choice",
      "required");
  row("a tool that is not offered",
      requestWith(kTools + R"(, "tool_choice": {"type": "function", "name": "g"})"), "tool_choice",
      "not among tools");
  row("a format and a required tool", requestWith(kTools + R"(, "tool_choice": "required",
                  "text": {"format": {"type": "json_object"}})"),
      "text", "together");
  row("a hosted tool", requestWith(R"("tools": [{"type": "web_search"}])"), "tools[0].type",
      "function");
  row("effort", requestWith(R"("reasoning": {"effort": "huge"})"), "reasoning.effort", "medium");
  row("summary", requestWith(R"("reasoning": {"summary": "detailed"})"), "reasoning.summary",
      "not summarised");
  row("format", requestWith(R"("text": {"format": {"type": "yaml"}})"), "text.format.type",
      "json_schema");
  row("image", inputOf(R"({"role": "user", "content": [{"type": "input_image"}]})"),
      "input[0].content[0]", "Images");
  row("role", inputOf(R"({"role": "robot", "content": "x"})"), "input[0].role", "'robot'");
  row("no content", inputOf(R"({"role": "user"})"), "input[0].content", "missing");
  row("item", inputOf(R"({"type": "item_reference", "id": "x"})"), "input[0]", "'item_reference'");
  row("an output without a call",
      inputOf(R"({"type": "function_call_output", "call_id": "c", "output": "x"})"),
      "input[0].call_id", "no call before");
  row("arguments",
      inputOf(R"({"type": "function_call", "call_id": "c", "name": "f", "arguments": "[1]"})"),
      "input[0].arguments", "JSON object");
  row("encrypted reasoning",
      inputOf(R"({"type": "reasoning", "summary": [], "encrypted_content": "abc"})"),
      "input[0].encrypted_content", "cannot be read");
  row("an answer at the end", inputOf(R"({"role": "user", "content": "Hi"},
      {"role": "assistant", "content": "Hello"})"),
      "input", "nothing to answer");
}

void TestApiResponses::requests_areRefused() {
  QFETCH(QString, body);
  QFETCH(QString, param);
  QFETCH(QString, words);
  ResponsesRequest request;
  const auto error = parseResponsesRequest(body.toStdString(), request);
  QVERIFY(error.has_value());
  QCOMPARE(error->status, 400);
  QCOMPARE(QString::fromStdString(error->param), param);
  QVERIFY2(QString::fromStdString(error->message).contains(words), error->message.c_str());
}

void TestApiResponses::usualFields_areAccepted() {
  const ResponsesRequest request = parsed(requestWith(
      R"("instructions": "Be brief.", "store": false, "stream": true, "user": "u",
         "metadata": {"a": "b"}, "include": ["reasoning.encrypted_content"], "temperature": 0.5,
         "top_p": 0.9, "max_output_tokens": 40, "truncation": "auto", "parallel_tool_calls": true,
         "service_tier": "auto", "reasoning": {"effort": "low", "summary": "auto"},
         "text": {"format": {"type": "text"}, "verbosity": "medium"}, "tool_choice": "auto")"));
  QVERIFY(request.isStreamed);
  QCOMPARE(request.generation.chat.turns.size(), 2);
  QCOMPARE(request.generation.chat.turns[0].role, QString("system"));
  QCOMPARE(request.generation.chat.turns[1].text, QString("Hi"));
  QCOMPARE(request.generation.open.temperature, std::optional(0.5f));
  QCOMPARE(request.generation.open.maxTokens, std::optional(40));
  QVERIFY(request.generation.chat.dropsOldTurns);
  QCOMPARE(request.generation.chat.prompt.variables, std::string(R"({"reasoning_effort":"low"})"));
  QVERIFY(!parsed(requestWith("")).generation.chat.dropsOldTurns);
}

void TestApiResponses::items_becomeTurns() {
  using Kind = ContentPart::Kind;
  const QList<ChatTurn> turns = parsed(inputOf(R"({"role": "developer", "content": "Be brief."},
          {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Hi"}]},
          {"type": "reasoning", "id": "rs_1", "summary": [],
           "content": [{"type": "reasoning_text", "text": "Hm."}], "encrypted_content": null},
          {"type": "message", "id": "msg_1", "status": "completed", "role": "assistant",
           "content": [{"type": "output_text", "text": "I look.", "annotations": [],
                        "logprobs": []}]},
          {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "weather",
           "arguments": "{\"city\": \"Ulm\"}", "status": "completed"},
          {"type": "function_call_output", "call_id": "c1", "output": "rain"},
          {"role": "user", "content": "So?"})"))
                                    .generation.chat.turns;
  QCOMPARE(turns.size(), 5);
  QCOMPARE(turns[0].role, QString("system"));
  QCOMPARE(turns[2].role, QString("assistant"));
  QCOMPARE(turns[2].parts.size(), size_t{3});
  QCOMPARE(turns[2].parts[0].kind, Kind::kReasoning);
  QCOMPARE(turns[2].parts[2].kind, Kind::kToolCall);
  QCOMPARE(turns[3].role, QString("tool"));
  QCOMPARE(turns[3].parts[0].tool, std::string("weather"));
  QCOMPARE(turns[4].text, QString("So?"));
}

void TestApiResponses::formats_areRead() {
  const AnswerFormat format =
      parsed(requestWith(R"("text": {"format": {"type": "json_schema", "name": "n", "strict": true,
          "schema": {"type": "object"}}})"))
          .generation.chat.format;
  QCOMPARE(format.kind, AnswerFormat::Kind::kJsonSchema);
  QCOMPARE(format.schema, std::string(R"({"type":"object"})"));
}

void TestApiResponses::answer_isOneResponse() {
  FakeApi api;
  const auto exchange = api.post("/v1/responses", requestWith(R"("temperature": 0.5)"));
  api.backend.start(0);
  api.backend.say(0, "<think>Hm.</think>\n");
  api.backend.say(0, "Hello.");
  api.backend.finish(0);
  const Json json = exchange->json();
  QCOMPARE(json.value("object", ""), std::string("response"));
  QCOMPARE(json.value("status", ""), std::string("completed"));
  QCOMPARE(json.value("model", ""), std::string("mini"));
  QCOMPARE(json.value("store", true), false);
  QCOMPARE(json.value("temperature", 0.0), 0.5);
  QCOMPARE(json["output"].size(), size_t{2});
  QCOMPARE(json["output"][0].value("type", ""), std::string("reasoning"));
  QCOMPARE(json["output"][0]["content"][0].value("text", ""), std::string("Hm."));
  QCOMPARE(json["output"][1].value("type", ""), std::string("message"));
  QCOMPARE(
      json["output"][1]["content"].dump(),
      std::string(R"([{"type":"output_text","text":"Hello.","annotations":[],"logprobs":[]}])"));
  QCOMPARE(json["usage"].dump(),
           std::string(R"({"input_tokens":10,"input_tokens_details":{"cached_tokens":4},)"
                       R"("output_tokens":3,"output_tokens_details":{"reasoning_tokens":1},)"
                       R"("total_tokens":13})"));
}

void TestApiResponses::answer_isStreamed() {
  FakeApi api;
  const auto exchange = api.post("/v1/responses", requestWith(R"("stream": true)"));
  api.backend.start(0);
  api.backend.say(0, "Hel");
  api.backend.say(0, "lo.");
  api.backend.finish(0);
  QStringList types;
  const auto events = exchange->events();
  for (size_t i = 0; i < events.size(); ++i) {
    const Json event = Json::parse(events[i]);
    const std::string type = event["type"];
    QCOMPARE(event["sequence_number"].get<size_t>(), i);
    QVERIFY(exchange->parts[i].starts_with("event: " + type + "\ndata: "));
    types.append(QString::fromStdString(type));
  }
  QCOMPARE(types.join(' '),
           QString("response.created response.in_progress response.output_item.added "
                   "response.content_part.added response.output_text.delta "
                   "response.output_text.delta response.output_text.done "
                   "response.content_part.done response.output_item.done response.completed"));
  QCOMPARE(Json::parse(events[4]).value("delta", ""), std::string("Hel"));
  QCOMPARE(Json::parse(events[6]).value("text", ""), std::string("Hello."));
  const Json last = Json::parse(events.back())["response"];
  QCOMPARE(last["output"][0]["content"][0].value("text", ""), std::string("Hello."));
  QCOMPARE(last["output"][0]["id"], Json::parse(events[2])["item"]["id"]);
  QCOMPARE(last["usage"]["output_tokens"].get<int>(), 3);
  QVERIFY(exchange->isEnded);
}

void TestApiResponses::functionCall_isAnItem() {
  FakeApi api;
  api.texts.model.chat = toolModel();
  const auto whole = api.post("/v1/responses", requestWith(kTools));
  const auto streamed = api.post("/v1/responses", requestWith(kTools + R"(, "stream": true)"));
  QCOMPARE(api.backend.asked.at(0).request.prompt.tools,
           std::string(R"([{"type":"function","function":{"name":"weather","description":"",)"
                       R"("parameters":{"type":"object"}}}])"));
  for (size_t i = 0; i < 2; ++i) {
    api.backend.start(i);
    api.backend.say(i, kWeatherCall);
    api.backend.finish(i);
  }
  const Json item = whole->json()["output"].at(0);
  QCOMPARE(item.value("type", ""), std::string("function_call"));
  QCOMPARE(item.value("name", ""), std::string("weather"));
  QCOMPARE(item.value("arguments", ""), std::string(R"({"city":"Ulm"})"));
  QVERIFY(!item.value("call_id", "").empty());
  QStringList types;
  for (const std::string& event : streamed->events()) {
    types.append(QString::fromStdString(Json::parse(event)["type"].get<std::string>()));
  }
  QCOMPARE(types.join(' '),
           QString("response.created response.in_progress response.output_item.added "
                   "response.function_call_arguments.delta response.function_call_arguments.done "
                   "response.output_item.done response.completed"));
}

void TestApiResponses::cutAnswer_isIncomplete() {
  FakeApi api;
  const auto exchange = api.post("/v1/responses", requestWith(""));
  api.backend.start(0);
  api.backend.say(0, "Hel");
  api.backend.finish(0, FinishReason::kLength);
  QCOMPARE(exchange->json().value("status", ""), std::string("incomplete"));
  QCOMPARE(exchange->json()["incomplete_details"].dump(),
           std::string(R"({"reason":"max_output_tokens"})"));
}

void TestApiResponses::failureWithinAStream_isAnEvent() {
  FakeApi api;
  const auto exchange = api.post("/v1/responses", requestWith(R"("stream": true)"));
  api.backend.start(0);
  api.backend.say(0, "Hel");
  api.backend.fail(0, ErrorCode::kDevice, "The device is gone.");
  const Json last = Json::parse(exchange->events().back());
  QCOMPARE(last["type"].get<std::string>(), std::string("response.failed"));
  QCOMPARE(last["response"]["error"].value("message", ""), std::string("The device is gone."));
  QVERIFY(exchange->isEnded);
}

QTEST_GUILESS_MAIN(TestApiResponses)
#include "tst_api_responses.moc"
