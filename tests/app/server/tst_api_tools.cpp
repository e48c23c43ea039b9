#include <QtTest>

#include "tests/app/server/api_fakes.h"
#include "tests/app/server/tool_model.h"

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
