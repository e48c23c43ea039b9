#include <QtTest>

#include "tests/app/server/api_fakes.h"
#include "tests/app/server/tool_model.h"
#include "tests/support/sanitizers.h"
#include "tests/support/thread_time.h"

using namespace quire;

/// Tool calls in /v1/chat/completions.
class TestApiTools : public QObject {
  Q_OBJECT

 private slots:
  void call_isPartOfTheMessage();
  void call_isStreamed();
  void textThatLooksLikeACall_isText();
  void calls_areNotLookedFor_withoutTools();
  void calls_areFoundBesideReasoning();
  void toolsOfManyAnswers_areReadOnce();
  void choices_constrainTheAnswer_data();
  void choices_constrainTheAnswer();
  void badSchemas_nameTheirField();
  void namesThatAreThereTwice_areRefused_data();
  void namesThatAreThereTwice_areRefused();
  void familiesWithoutAGrammar_areRefused_onlyIfConstrained();
  void modelsWithoutCalls_areRefused_data();
  void modelsWithoutCalls_areRefused();
};

namespace {

using Json = nlohmann::ordered_json;

std::string chatWith(const std::string& fields) {
  return R"({"model": "mini", "messages": [{"role": "user", "content": "Hi"}])" + fields + "}";
}

const std::string kTools = R"(, "tools": [{"type": "function", "function": {"name": "weather"}}])";

/// The whole response to a chat whose answer is this.
Json answerTo(const std::string& fields, const QString& answer) {
  FakeApi api;
  api.texts.model.chat = toolModel();
  const auto exchange = api.post("/v1/chat/completions", chatWith(fields));
  api.backend.start(0);
  for (const QChar c : answer) api.backend.say(0, c);
  api.backend.finish(0);
  return exchange->json();
}

}  // namespace

void TestApiTools::call_isPartOfTheMessage() {
  const Json choice = answerTo(kTools, "I look.\n" + kWeatherCall)["choices"].at(0);
  const Json& message = choice["message"];
  QCOMPARE(message.value("content", ""), std::string("I look."));
  QCOMPARE(message["tool_calls"].size(), size_t{1});
  const Json& call = message["tool_calls"][0];
  QCOMPARE(call.value("type", ""), std::string("function"));
  QCOMPARE(call.value("id", "").size(), size_t{9});
  QCOMPARE(call["function"].value("name", ""), std::string("weather"));
  QCOMPARE(call["function"].value("arguments", ""), std::string(R"({"city":"Ulm"})"));
  QCOMPARE(choice.value("finish_reason", ""), std::string("tool_calls"));
  QVERIFY(answerTo(kTools, kWeatherCall)["choices"][0]["message"]["content"].is_null());
}

void TestApiTools::call_isStreamed() {
  FakeApi api;
  api.texts.model.chat = toolModel();
  const auto exchange = api.post("/v1/chat/completions", chatWith(kTools + R"(, "stream": true)"));
  api.backend.start(0);
  api.backend.say(0, kWeatherCall + "\n" + kWeatherCall);
  api.backend.finish(0);
  std::vector<Json> calls;
  std::string finish;
  for (const std::string& event : exchange->events()) {
    if (event == "[DONE]") continue;
    const Json choice = Json::parse(event)["choices"].at(0);
    for (const Json& call : choice["delta"].value("tool_calls", Json::array())) {
      calls.push_back(call);
    }
    if (!choice["finish_reason"].is_null()) finish = choice["finish_reason"];
  }
  QCOMPARE(calls.size(), size_t{2});
  QCOMPARE(calls[0]["index"].get<int>(), 0);
  QCOMPARE(calls[1]["index"].get<int>(), 1);
  QVERIFY(calls[0]["id"] != calls[1]["id"]);
  QCOMPARE(calls[1]["function"].value("arguments", ""), std::string(R"({"city":"Ulm"})"));
  QCOMPARE(finish, std::string("tool_calls"));
}

void TestApiTools::textThatLooksLikeACall_isText() {
  const Json choice = answerTo(kTools, "<tool_call>{\"name\": \"weather\", ")["choices"].at(0);
  QCOMPARE(choice["message"].value("content", ""),
           std::string("<tool_call>{\"name\": \"weather\", "));
  QVERIFY(!choice["message"].contains("tool_calls"));
  QCOMPARE(choice.value("finish_reason", ""), std::string("stop"));
}

void TestApiTools::calls_areNotLookedFor_withoutTools() {
  for (const std::string& fields : {std::string(), kTools + R"(, "tool_choice": "none")"}) {
    const Json choice = answerTo(fields, kWeatherCall)["choices"].at(0);
    QCOMPARE(choice["message"].value("content", ""), kWeatherCall.toStdString());
    QCOMPARE(choice.value("finish_reason", ""), std::string("stop"));
  }
}

void TestApiTools::calls_areFoundBesideReasoning() {
  const Json message =
      answerTo(kTools, "<think>Maybe " + kWeatherCall + "?</think>\n\n" + kWeatherCall)["choices"]
          .at(0)["message"];
  QCOMPARE(message.value("reasoning_content", ""), "Maybe " + kWeatherCall.toStdString() + "?");
  QCOMPARE(message["tool_calls"].size(), size_t{1});
  QVERIFY(message["content"].is_null());
}

/// Reading these tools takes tens of milliseconds.
void TestApiTools::toolsOfManyAnswers_areReadOnce() {
  std::string values = "0";
  for (int i = 0; i < 240'000; ++i) values += ",0";
  const std::string tools = R"(, "tools": [{"type": "function", "function": {"name": "weather",
      "parameters": {"type": "object", "properties": {"a": {"enum": [)" +
                            values + "]}}}}}]";
  FakeApi api(128);
  api.texts.model.chat = toolModel();
  const double begin = test::thread_ms();
  const auto exchange = api.post(kChat, chatWith(tools + R"(, "n": 128)"));
  const double ms = test::thread_ms() - begin;
  QCOMPARE(api.backend.asked.size(), size_t{128});
  QVERIFY2(ms < 3000 * test::kSanitizerFactor, std::to_string(ms).c_str());
  api.backend.start(127);
  api.backend.say(127, kWeatherCall);
  for (size_t i = 0; i < 128; ++i) api.backend.finish(i);
  const Json message = exchange->json()["choices"][127]["message"];
  QCOMPARE(message["tool_calls"][0]["function"].value("name", ""), std::string("weather"));
}

void TestApiTools::choices_constrainTheAnswer_data() {
  QTest::addColumn<QString>("path");
  QTest::addColumn<QString>("body");
  QTest::addColumn<QString>("choice");
  const auto chat = [](const char* name, const std::string& fields, const char* choice) {
    QTest::newRow(name) << kChat << QString::fromStdString(chatWith(kTools + fields)) << choice;
  };
  chat("auto", R"(, "tool_choice": "auto", "parallel_tool_calls": true)", "free");
  chat("required", R"(, "tool_choice": "required")", "required");
  chat("one", R"(, "parallel_tool_calls": false)", "one");
  chat("required one", R"(, "tool_choice": "required", "parallel_tool_calls": false)",
       "required one");
  chat("named", R"(, "tool_choice": {"type": "function", "function": {"name": "weather"}})",
       "required one weather");
  QTest::newRow("strict")
      << kChat
      << QString::fromStdString(chatWith(
             R"(, "tools": [{"type": "function", "function": {"name": "f", "strict": true}}])"))
      << "any";
  const auto messages = [](const char* name, const char* choice, const char* wanted) {
    QTest::newRow(name) << "/v1/messages"
                        << QString(R"({"model": "mini", "max_tokens": 9,
        "messages": [{"role": "user", "content": "Hi"}], "tools": [{"name": "weather",
        "input_schema": {"type": "object"}}], "tool_choice": %1})")
                               .arg(choice)
                        << wanted;
  };
  messages("Anthropic's any", R"({"type": "any"})", "required");
  messages("Anthropic's tool", R"({"type": "tool", "name": "weather"})", "required one weather");
  messages("Anthropic's one", R"({"type": "auto", "disable_parallel_tool_use": true})", "one");
  const auto responses = [](const char* name, const char* fields, const char* wanted) {
    QTest::newRow(name) << "/v1/responses"
                        << QString(R"({"model": "mini", "input": "Hi",
        "tools": [{"type": "function", "name": "weather", "strict": %1})")
                               .arg(fields)
                        << wanted;
  };
  responses("Responses' required", R"(false}], "tool_choice": "required")", "required");
  responses("Responses' named", R"(null}], "tool_choice": {"type": "function",
      "name": "weather"})",
            "required one weather");
  responses("Responses' strict", "true}]", "any");
}

void TestApiTools::choices_constrainTheAnswer() {
  QFETCH(QString, path);
  QFETCH(QString, body);
  QFETCH(QString, choice);
  FakeApi api;
  api.texts.model.chat = toolModel();
  const auto exchange = api.post(path.toStdString(), body.toStdString());
  QVERIFY2(api.backend.asked.size() == 1, exchange->response.body.c_str());
  const AnswerFormat& format = api.backend.asked[0].request.format;
  const bool isFree = format.kind == AnswerFormat::Kind::kText;
  QVERIFY(isFree || format.kind == AnswerFormat::Kind::kToolCalls);
  QStringList words;
  if (format.tools.is_required) words += "required";
  if (!format.tools.allows_more) words += "one";
  if (!format.tools.name.empty()) words += QString::fromStdString(format.tools.name);
  if (words.isEmpty()) words += isFree ? "free" : "any";
  QCOMPARE(words.join(' '), choice);
  QVERIFY(api.backend.asked[0].request.prompt.tools.find("weather") != std::string::npos ||
          choice == "any");
}

void TestApiTools::badSchemas_nameTheirField() {
  const auto paramOf = [](const std::string& fields, ErrorCode code, const QString& error) {
    FakeApi api;
    api.texts.model.chat = toolModel();
    const auto exchange = api.post(kChat, chatWith(fields));
    api.backend.fail(0, code, error);
    return text(exchange->json()["error"]["param"]);
  };
  const std::string schema = R"(, "response_format": {"type": "json_schema", "json_schema": {
      "name": "x", "schema": {"enum": []}}})";
  const QString wrong = "The schema describes no value: \"enum\" at # of the schema is empty.";
  QCOMPARE(paramOf(schema, ErrorCode::kInvalidArgument, wrong),
           QString("\"response_format.json_schema.schema\""));
  QCOMPARE(paramOf(schema, ErrorCode::kDevice, wrong), QString("null"));
  QCOMPARE(paramOf(schema, ErrorCode::kInvalidArgument, "stop_token_ids has token 7."),
           QString("\"stop_token_ids\""));
  QCOMPARE(paramOf(kTools + R"(, "tool_choice": "required")", ErrorCode::kInvalidArgument,
                   "The tool \"weather\": " + wrong),
           QString("\"tools\""));
}

void TestApiTools::namesThatAreThereTwice_areRefused_data() {
  QTest::addColumn<std::string>("path");
  QTest::addColumn<std::string>("body");
  const std::string function = R"({"type": "function", "function": {"name": "now"}})";
  const std::string messages = R"({"messages": [{"role": "user", "content": "Hi"}], "tools": [)";
  QTest::newRow("OpenAI") << std::string(kChat) << messages + function + "," + function + "]}";
  QTest::newRow("not called") << std::string(kChat)
                              << messages + function + "," + function +
                                     R"(], "tool_choice": "none"})";
  QTest::newRow("Ollama") << std::string("/api/chat")
                          << messages + function + "," + function + "]}";
  const std::string flat = R"({"name": "now", "input_schema": {"type": "object"}})";
  QTest::newRow("Anthropic") << std::string("/v1/messages")
                             << messages + flat + "," + flat + R"(], "max_tokens": 9})";
  const std::string typed = R"({"type": "function", "name": "now", "parameters": {}})";
  QTest::newRow("Responses") << std::string("/v1/responses")
                             << R"({"input": "Hi", "tools": [)" + typed + "," + typed + "]}";
}

void TestApiTools::namesThatAreThereTwice_areRefused() {
  QFETCH(std::string, path);
  QFETCH(std::string, body);
  FakeApi api;
  api.texts.model.chat = toolModel();
  const auto refused = api.post(path, body);
  QCOMPARE(refused->response.status, 400);
  QVERIFY2(refused->response.body.find("tools has the name 'now' twice") != std::string::npos,
           refused->response.body.c_str());
  QVERIFY(api.backend.asked.empty());
}

void TestApiTools::familiesWithoutAGrammar_areRefused_onlyIfConstrained() {
  ChatFormat format;
  format.template_source = "{{ tools }}<function=";
  FakeApi api;
  api.texts.model.chat = std::make_shared<const ChatFormat>(std::move(format));
  const auto refused = api.post(kChat, chatWith(kTools + R"(, "tool_choice": "required")"));
  QCOMPARE(refused->response.status, 400);
  QCOMPARE(refused->json()["error"].value("param", ""), std::string("tool_choice"));
  QVERIFY(QString::fromStdString(refused->response.body).contains("Qwen3-Coder"));
  QVERIFY(api.backend.asked.empty());
  api.post(kChat, chatWith(kTools));
  QCOMPARE(api.backend.asked.size(), size_t{1});
}

void TestApiTools::modelsWithoutCalls_areRefused_data() {
  QTest::addColumn<QString>("source");
  QTest::addColumn<QString>("words");
  QTest::newRow("tools are not read") << "{{ messages }}"
                                      << "does not read tools";
  QTest::newRow("an unknown form") << "{{ tools }}"
                                   << "not known here";
}

void TestApiTools::modelsWithoutCalls_areRefused() {
  QFETCH(QString, source);
  QFETCH(QString, words);
  FakeApi api;
  ChatFormat format;
  format.template_source = source.toStdString();
  api.texts.model.chat = std::make_shared<const ChatFormat>(std::move(format));
  const auto exchange = api.post("/v1/chat/completions", chatWith(kTools));
  QCOMPARE(exchange->response.status, 400);
  QCOMPARE(exchange->json()["error"].value("param", ""), std::string("tools"));
  QVERIFY(QString::fromStdString(exchange->response.body).contains(words));
  QVERIFY(api.backend.asked.empty());
  QCOMPARE(api.post("/v1/chat/completions", chatWith(""))->numResponses, 0);
}

QTEST_GUILESS_MAIN(TestApiTools)
#include "tst_api_tools.moc"
