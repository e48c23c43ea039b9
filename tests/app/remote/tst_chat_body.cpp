#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include "app/remote/chat_body.h"

using namespace quire;

namespace {

ChatRequest sampleRequest() {
  ChatRequest request;
  request.turns = {{"system", "Be brief.", {}}, {"user", "Grüße?", {}}};
  request.sampling.temperature = 0.7f;
  request.sampling.seed = 5;
  return request;
}

QJsonObject bodyOf(const ChatRequest& request, ServerKind server = ServerKind::kUnknown,
                   const ChatDialect& dialect = {}) {
  const ChatBody body = chatBody(request, {.name = "x", .server = server}, "org/m", dialect);
  return QJsonDocument::fromJson(body.json).object();
}

QString problemOf(const ChatRequest& request, ServerKind server = ServerKind::kUnknown) {
  const ChatBody body = chatBody(request, {.name = "Office", .server = server}, "m", {});
  return body.json.isEmpty() ? body.problem : QString();
}

}  // namespace

class ChatBodyTest : public QObject {
  Q_OBJECT

 private slots:
  void chatBody_saysWhatWasSet() {
    const QJsonObject body = bodyOf(sampleRequest());
    QCOMPARE(body["model"].toString(), QString("org/m"));
    QCOMPARE(body["messages"].toArray().size(), 2);
    QCOMPARE(body["messages"][1]["content"].toString(), QString("Grüße?"));
    QCOMPARE(body["messages"][0]["role"].toString(), QString("system"));
    QCOMPARE(body["stream"].toBool(), true);
    QCOMPARE(body["temperature"].toDouble(), 0.7);
    QCOMPARE(body["seed"].toInt(), 5);
    QCOMPARE(body["max_tokens"].toInt(), 1024);
    // The API's own defaults are not sent, because some servers know only those.
    for (const char* name : {"top_p", "top_k", "min_p", "stop", "presence_penalty",
                             "frequency_penalty", "repetition_penalty", "response_format"})
      QVERIFY2(!body.contains(QLatin1String(name)), name);
  }

  void chatBody_usesTheServersNames() {
    ChatRequest request = sampleRequest();
    request.sampling.repetition_penalty = 1.1f;
    request.sampling.top_k = 40;
    request.sampling.stop = {"END"};
    QCOMPARE(bodyOf(request)["repetition_penalty"].toDouble(), 1.1);
    QCOMPARE(bodyOf(request)["top_k"].toInt(), 40);
    QCOMPARE(bodyOf(request)["stop"][0].toString(), QString("END"));
    QCOMPARE(bodyOf(request, ServerKind::kLlamaCpp)["repeat_penalty"].toDouble(), 1.1);
    QVERIFY(problemOf(request, ServerKind::kOllama).contains("Office"));
  }

  /// A server that is known would take its model's own in place of a 1 that is left out.
  void chatBody_sendsDefaultsToKnownServers() {
    ChatRequest request = sampleRequest();
    request.sampling.temperature = 1.0f;
    request.sampling.top_p = 1.0f;
    QVERIFY(!bodyOf(request).contains("temperature") && !bodyOf(request).contains("top_p"));
    for (const ServerKind server : {ServerKind::kQuire, ServerKind::kVllm, ServerKind::kOllama}) {
      QCOMPARE(bodyOf(request, server)["temperature"].toDouble(), 1.0);
      QCOMPARE(bodyOf(request, server)["top_p"].toDouble(), 1.0);
    }
  }

  void chatBody_leavesOutReasoning() {
    ChatRequest request = sampleRequest();
    request.turns += {ChatTurn{"assistant", "<think>hm</think>\n\nHello.", {}},
                      ChatTurn{"user", "Why <think>?", {}}};
    const QJsonObject body = bodyOf(request);
    QCOMPARE(body["messages"][2]["content"].toString(), QString("Hello."));
    QCOMPARE(body["messages"][3]["content"].toString(), QString("Why <think>?"));
  }

  void chatBody_continuesWhereTheServerCan() {
    ChatRequest request = sampleRequest();
    request.turns += ChatTurn{"assistant", "<think>hm</think>\nOnce upon", {}};
    request.continueAnswer = true;
    const QJsonObject body = bodyOf(request, ServerKind::kVllm);
    QCOMPARE(body["messages"][2]["content"].toString(), QString("Once upon"));
    QCOMPARE(body["continue_final_message"].toBool(), true);
    QCOMPARE(body["add_generation_prompt"].toBool(true), false);
    QCOMPARE(bodyOf(request, ServerKind::kQuire), body);
    QVERIFY(!bodyOf(request, ServerKind::kLlamaCpp).contains("add_generation_prompt"));
    QVERIFY(problemOf(request).contains("Office cannot continue"));
    request.turns.last().text = "<think>hm";
    QVERIFY(problemOf(request, ServerKind::kVllm).contains("thinking"));
  }

  void chatBody_refusesWhatNeedsThisComputer() {
    const auto refuses = [](const std::function<void(ChatRequest&)>& change) {
      ChatRequest request = sampleRequest();
      change(request);
      return !problemOf(request).isEmpty();
    };
    QVERIFY(refuses([](ChatRequest& r) { r.adapterPath = "/a"; }));
    QVERIFY(refuses([](ChatRequest& r) { r.rawPrompt = RawPrompt(); }));
    QVERIFY(refuses([](ChatRequest& r) { r.prompt.tools = "[]"; }));
    QVERIFY(refuses([](ChatRequest& r) { r.sampling.num_logprobs = 0; }));
    QVERIFY(refuses([](ChatRequest& r) { r.sampling.stop_token_ids = {1}; }));
    QVERIFY(refuses([](ChatRequest& r) { r.sampling.logit_bias = {{1, 1.0f}}; }));
    QVERIFY(refuses([](ChatRequest& r) { r.sampling.min_tokens = 1; }));
    QVERIFY(!refuses([](ChatRequest&) {}));
  }

  void chatBody_asksForJson() {
    ChatRequest request = sampleRequest();
    request.format = {.kind = AnswerFormat::Kind::kJsonSchema, .schema = R"({"type":"object"})"};
    const QJsonObject format = bodyOf(request)["response_format"].toObject();
    const QJsonObject schema = format["json_schema"].toObject()["schema"].toObject();
    QCOMPARE(schema["type"].toString(), QString("object"));
    request.format = {.kind = AnswerFormat::Kind::kJson};
    QCOMPARE(bodyOf(request)["response_format"].toObject()["type"].toString(),
             QString("json_object"));
  }

  void learnFrom_changesOneFieldAtATime() {
    ChatDialect dialect;
    QVERIFY(!dialect.learnFrom(R"({"error":{"message":"temperature is too high"}})"));
    QCOMPARE(dialect, ChatDialect());
    QVERIFY(dialect.learnFrom(R"({"detail":[{"loc":["body","stream_options"],"msg":"extra"}]})"));
    QVERIFY(!bodyOf(sampleRequest(), {}, dialect).contains("stream_options"));
    QVERIFY(dialect.learnFrom(R"({"detail":[{"loc":["body","seed"],"msg":"extra"}]})"));
    QVERIFY(!bodyOf(sampleRequest(), {}, dialect).contains("seed"));
    QVERIFY(dialect.learnFrom("'max_tokens' is not supported. Use 'max_completion_tokens'."));
    const QJsonObject body = bodyOf(sampleRequest(), {}, dialect);
    QVERIFY(!body.contains("max_tokens"));
    QCOMPARE(body["max_completion_tokens"].toInt(), 1024);
    QVERIFY(!dialect.learnFrom("'stream_options' 'seed' max_completion_tokens"));
  }
};

QTEST_APPLESS_MAIN(ChatBodyTest)
#include "tst_chat_body.moc"
