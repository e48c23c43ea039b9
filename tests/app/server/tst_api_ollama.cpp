#include <QtTest>

#include "app/server/api/block_reader.h"
#include "app/server/api/ollama_requests.h"
#include "tests/app/server/api_fakes.h"
#include "tests/app/server/tool_model.h"
#include "tests/support/bundled_model.h"
#include "tests/support/thread_time.h"

using namespace quire;

/// Ollama's API: what its requests say, and how answers are written.
class TestApiOllama : public QObject {
  Q_OBJECT

 private slots:
  void requests_areRefused_data();
  void requests_areRefused();
  void options_areRead();
  void optionsOfTheMachine_areAccepted();
  void messages_becomeTurns();
  void manyToolResults_areReadInTime();
  void manyToolResults_areRead();
  void formats_areRead();
  void thinking_isToldToTheTemplate();
  void chat_isStreamedInLines();
  void chat_isOneObject();
  void toolCalls_haveObjects();
  void generate_isAResponse();
  void rawPrompt_hasNoTemplate();
  void emptyRequest_loadsTheModel();
  void contextThatIsTooSmall_isAnError();
  void latestTag_isAccepted();
  void embeddings_areLists();
  void models_areListed();
  void details_areThoseOfTheFiles();
  void model_isDescribed();
  void errors_haveOllamasShape();
};

namespace {

using Json = nlohmann::ordered_json;

std::string chatWith(const std::string& fields) {
  return R"({"model": "mini", "messages": [{"role": "user", "content": "Hi"}])" +
         (fields.empty() ? "" : ", " + fields) + "}";
}

std::string messagesOf(const std::string& messages) {
  return R"({"model": "mini", "messages": [)" + messages + "]}";
}

OllamaRequest parsed(const std::string& body) {
  OllamaRequest request;
  const auto error = parseOllamaChat(body, request);
  if (error) qWarning("%s", error->message.c_str());
  return request;
}

const std::string kTools = R"("tools": [{"type": "function", "function": {"name": "weather",
    "description": "d", "parameters": {"type": "object", "properties": {}}}}])";

}  // namespace

void TestApiOllama::requests_areRefused_data() {
  QTest::addColumn<QString>("path");
  QTest::addColumn<QString>("body");
  QTest::addColumn<QString>("words");
  const auto chat = [](const char* name, const std::string& body, const char* words) {
    QTest::newRow(name) << "/api/chat" << QString::fromStdString(body) << words;
  };
  const auto generate = [](const char* name, const std::string& fields, const char* words) {
    QTest::newRow(name) << "/api/generate"
                        << QString::fromStdString(R"({"model": "mini", "prompt": "Hi", )" + fields +
                                                  "}")
                        << words;
  };
  chat("unknown field", chatWith(R"("temperature": 1)"), "temperature is not known");
  chat("unknown option", chatWith(R"("options": {"heat": 1})"), "options.heat is not known");
  chat("mirostat", chatWith(R"("options": {"mirostat": 2})"), "Mirostat");
  chat("typical", chatWith(R"("options": {"typical_p": 0.5})"), "Typical");
  chat("a short penalty", chatWith(R"("options": {"repeat_penalty": 1.1, "repeat_last_n": 64})"),
       "whole chat");
  chat("no answer", chatWith(R"("options": {"num_predict": 0})"), "at least 1");
  chat("format", chatWith(R"("format": "yaml")"), "JSON Schema");
  chat("think", chatWith(R"("think": "much")"), "\"medium\"");
  chat("keep_alive", chatWith(R"("keep_alive": true)"), "duration");
  chat("logprobs", chatWith(R"("logprobs": true)"), "/v1/chat/completions");
  chat("role", messagesOf(R"({"role": "robot", "content": "x"})"), "'robot'");
  chat("images", messagesOf(R"({"role": "user", "content": "x", "images": ["aGk="]})"), "Images");
  chat("a result without a call", messagesOf(R"({"role": "tool", "content": "x",
       "tool_name": "weather"})"),
       "no tool call");
  chat("a call without a name", messagesOf(R"({"role": "assistant", "content": "",
       "tool_calls": [{"function": {"arguments": {}}}]})"),
       "needs a name");
  chat("a tool without a name",
       chatWith(R"("tools": [{"type": "function", "function": {"description": "d"}}])"),
       "needs a name");
  generate("suffix", R"("suffix": "end")", "suffix");
  generate("template", R"("template": "x")", "template");
  generate("context", R"("context": [1, 2])", "/api/chat");
  generate("raw with a system prompt", R"("raw": true, "system": "x")", "raw prompt");
}

void TestApiOllama::requests_areRefused() {
  QFETCH(QString, path);
  QFETCH(QString, body);
  QFETCH(QString, words);
  FakeApi api;
  const auto exchange = api.post(path.toStdString(), body.toStdString());
  QCOMPARE(exchange->response.status, 400);
  const std::string error = exchange->json()["error"].get<std::string>();
  QVERIFY2(QString::fromStdString(error).contains(words), error.c_str());
  QVERIFY(api.backend.asked.empty());
}

void TestApiOllama::options_areRead() {
  const GenerationRequest request =
      parsed(chatWith(R"("options": {"temperature": 0.5, "top_p": 0.9, "top_k": 20, "min_p": 0.1,
          "seed": 7, "num_predict": 30, "stop": ["END"], "repeat_penalty": 1.1,
          "repeat_last_n": -1, "presence_penalty": 0.2, "frequency_penalty": 0.3})"))
          .generation;
  QCOMPARE(request.open.temperature, std::optional(0.5f));
  QCOMPARE(request.open.topP, std::optional(0.9f));
  QCOMPARE(request.open.topK, std::optional(20));
  QCOMPARE(request.open.seed, std::optional(uint64_t{7}));
  QCOMPARE(request.open.maxTokens, std::optional(30));
  QCOMPARE(request.chat.sampling.min_p, 0.1f);
  QCOMPARE(request.chat.sampling.repetition_penalty, 1.1f);
  QCOMPARE(request.chat.sampling.presence_penalty, 0.2f);
  QCOMPARE(request.chat.sampling.frequency_penalty, 0.3f);
  QCOMPARE(request.chat.sampling.stop, std::vector<std::string>{"END"});
}

void TestApiOllama::optionsOfTheMachine_areAccepted() {
  OllamaRequest request;
  QVERIFY(!parseOllamaChat(chatWith(R"("keep_alive": "5m", "format": "", "tools": [],
      "options": {"num_ctx": 2048, "num_thread": 4, "num_gpu": 1, "use_mmap": true, "mirostat": 0,
      "num_predict": -1, "repeat_last_n": 64})"),
                           request));
  QCOMPARE(request.contextTokens, int64_t{2048});
  QVERIFY(!request.generation.open.maxTokens);
  QVERIFY(!request.generation.findsToolCalls);
}

void TestApiOllama::messages_becomeTurns() {
  using Kind = ContentPart::Kind;
  const QList<ChatTurn> turns = parsed(messagesOf(R"({"role": "system", "content": "Be brief."},
          {"role": "user", "content": "Hi"},
          {"role": "assistant", "content": "", "thinking": "Hm.", "tool_calls": [
            {"function": {"name": "now", "arguments": {}}},
            {"function": {"name": "weather", "arguments": {"city": "Ulm"}}}]},
          {"role": "tool", "content": "rain", "tool_name": "weather"},
          {"role": "tool", "content": "noon"})"))
                                    .generation.chat.turns;
  QCOMPARE(turns.size(), 5);
  QCOMPARE(turns[2].parts.size(), size_t{3});
  QCOMPARE(turns[2].parts[0].kind, Kind::kReasoning);
  QCOMPARE(turns[2].parts[2].text, std::string(R"({"city":"Ulm"})"));
  QCOMPARE(turns[2].parts[1].call_id.size(), size_t{9});
  QCOMPARE(turns[3].parts[0].call_id, turns[2].parts[2].call_id);
  QCOMPARE(turns[3].parts[0].tool, std::string("weather"));
  // Without a name it is the first call that has no result yet.
  QCOMPARE(turns[4].parts[0].call_id, turns[2].parts[1].call_id);
}

/// Without an id each is that of its tool's next call that has none, and finds it at once: four
/// times as many take some four to eight times as long, not sixteen times.
void TestApiOllama::manyToolResults_areReadInTime() {
  const auto taken_ms = [](int num_results) {
    const double begin = test::thread_ms();
    TurnBuilder builder;
    for (int i = 0; i < num_results; ++i) builder.addCall("a" + std::to_string(i), "a", "{}");
    for (int i = 0; i < num_results; ++i) builder.addCall("b" + std::to_string(i), "b", "{}");
    bool are_found = true;
    for (int i = 0; i < num_results; ++i) are_found &= builder.addResult({}, "b", "x");
    const double ms = test::thread_ms() - begin;
    const QList<ChatTurn> turns = builder.take();
    const bool is_last = turns.last().parts[0].call_id == turns[0].parts.back().call_id;
    return are_found && is_last && turns.size() == 1 + num_results ? ms : -1.0;
  };
  const double few = std::min({taken_ms(10'000), taken_ms(10'000), taken_ms(10'000)});
  const double many = std::min(taken_ms(40'000), taken_ms(40'000));
  QVERIFY(few > 0 && many > 0);
  QVERIFY2(many < 12 * few, (std::to_string(few) + " " + std::to_string(many)).c_str());
}

void TestApiOllama::manyToolResults_areRead() {
  constexpr int kResults = 2'000;
  std::string calls = R"({"function":{"name":"a"}})", results;
  for (int i = 1; i < kResults; ++i) calls += R"(,{"function":{"name":"a"}})";
  for (int i = 0; i < kResults; ++i) {
    calls += R"(,{"function":{"name":"b"}})";
    results += R"(,{"role":"tool","content":"x","tool_name":"b"})";
  }
  const std::string body =
      messagesOf(R"({"role":"assistant","content":"","tool_calls":[)" + calls + "]}" + results);
  OllamaRequest request;
  QVERIFY(!parseOllamaChat(body, request));
  const QList<ChatTurn>& turns = request.generation.chat.turns;
  QCOMPARE(turns.size(), 1 + kResults);
  QCOMPARE(turns.last().parts[0].call_id, turns[0].parts.back().call_id);
}

void TestApiOllama::formats_areRead() {
  const auto format = [](const std::string& fields) {
    return parsed(chatWith(fields)).generation.chat.format;
  };
  QCOMPARE(format("").kind, AnswerFormat::Kind::kText);
  QCOMPARE(format(R"("format": "json")").kind, AnswerFormat::Kind::kJson);
  QCOMPARE(format(R"("format": {"type": "object"})").kind, AnswerFormat::Kind::kJsonSchema);
  QCOMPARE(format(R"("format": {"type": "object"})").schema, std::string(R"({"type":"object"})"));
}

void TestApiOllama::thinking_isToldToTheTemplate() {
  const auto variables = [](const std::string& fields) {
    return parsed(chatWith(fields)).generation.chat.prompt.variables;
  };
  QCOMPARE(variables(""), std::string());
  QCOMPARE(variables(R"("think": false)"), std::string(R"({"enable_thinking":false})"));
  QCOMPARE(variables(R"("think": "low")"),
           std::string(R"({"enable_thinking":true,"reasoning_effort":"low"})"));
}

void TestApiOllama::chat_isStreamedInLines() {
  FakeApi api;
  const auto exchange = api.post("/api/chat", chatWith(""));
  api.backend.start(0);
  api.backend.say(0, "<think>Hm.</think>\n");
  api.backend.say(0, "Hello.");
  api.backend.finish(0);
  QCOMPARE(exchange->header("Content-Type"), std::string("application/x-ndjson"));
  QCOMPARE(exchange->parts.size(), size_t{3});
  for (const std::string& part : exchange->parts) QVERIFY(part.ends_with("}\n"));
  const Json first = Json::parse(exchange->parts[0]);
  QCOMPARE(first["message"].dump(),
           std::string(R"({"role":"assistant","content":"","thinking":"Hm."})"));
  QCOMPARE(first["done"].get<bool>(), false);
  QVERIFY(first.value("created_at", "").ends_with("Z"));
  QCOMPARE(Json::parse(exchange->parts[1])["message"]["content"].get<std::string>(),
           std::string("Hello."));
  const Json last = Json::parse(exchange->parts[2]);
  QCOMPARE(last["message"].dump(), std::string(R"({"role":"assistant","content":""})"));
  QCOMPARE(last["done"].get<bool>(), true);
  QCOMPARE(last.value("done_reason", ""), std::string("stop"));
  QCOMPARE(last["prompt_eval_count"].get<int>(), 10);
  QCOMPARE(last["eval_count"].get<int>(), 3);
  QVERIFY(last["total_duration"].is_number_integer());
  QVERIFY(exchange->isEnded);
}

void TestApiOllama::chat_isOneObject() {
  FakeApi api;
  const auto exchange = api.post("/api/chat", chatWith(R"("stream": false)"));
  api.backend.start(0);
  api.backend.say(0, "<think>Hm.</think>\nHel");
  api.backend.say(0, "lo.");
  api.backend.finish(0, FinishReason::kLength);
  const Json json = exchange->json();
  QCOMPARE(json["message"].dump(),
           std::string(R"({"role":"assistant","content":"Hello.","thinking":"Hm."})"));
  QCOMPARE(json.value("done_reason", ""), std::string("length"));
}

void TestApiOllama::toolCalls_haveObjects() {
  FakeApi api;
  api.texts.model.chat = toolModel();
  for (const char* stream : {"true", "false"}) {
    const size_t i = api.backend.asked.size();
    const auto exchange =
        api.post("/api/chat", chatWith(kTools + R"(, "stream": )" + std::string(stream)));
    api.backend.start(i);
    api.backend.say(i, kWeatherCall);
    api.backend.finish(i);
    const Json json = exchange->parts.empty() ? exchange->json() : Json::parse(exchange->parts[0]);
    const Json& call = json["message"]["tool_calls"].at(0);
    QCOMPARE(call["function"].dump(),
             std::string(R"({"index":0,"name":"weather","arguments":{"city":"Ulm"}})"));
    QCOMPARE(json["message"].value("content", "?"), std::string());
  }
}

void TestApiOllama::generate_isAResponse() {
  FakeApi api;
  const auto exchange = api.post(
      "/api/generate", R"({"model": "mini", "prompt": "Hi", "system": "Be brief.", "stream": false,
          "suffix": "", "template": "", "context": [], "images": []})");
  QCOMPARE(api.backend.asked.at(0).request.turns.size(), 2);
  api.backend.start(0);
  api.backend.say(0, "Hello.");
  api.backend.finish(0);
  QCOMPARE(exchange->json().value("response", ""), std::string("Hello."));
  QCOMPARE(exchange->json().value("done", false), true);
  QVERIFY(!exchange->json().contains("message"));
}

void TestApiOllama::rawPrompt_hasNoTemplate() {
  FakeApi api;
  api.post("/api/generate", R"({"model": "mini", "prompt": "Once", "raw": true})");
  QVERIFY(api.backend.asked.at(0).request.rawPrompt.has_value());
  QCOMPARE(api.backend.asked.at(0).request.rawPrompt->text, QString("Once"));
}

void TestApiOllama::emptyRequest_loadsTheModel() {
  FakeApi api;
  const auto chat = api.post("/api/chat", R"({"model": "mini", "messages": []})");
  const auto generate = api.post("/api/generate", R"({"model": "mini"})");
  QCOMPARE(chat->json().value("done_reason", ""), std::string("load"));
  QCOMPARE(generate->json().value("done_reason", ""), std::string("load"));
  QCOMPARE(generate->json().value("response", "?"), std::string());
  QCOMPARE(api.texts.opened.size(), 2);
  QVERIFY(api.backend.asked.empty());
  api.texts.model.error = "It is damaged.";
  api.texts.model.errorCode = ErrorCode::kCorruptFile;
  QCOMPARE(api.post("/api/generate", R"({"model": "mini"})")->response.status, 503);
}

void TestApiOllama::contextThatIsTooSmall_isAnError() {
  FakeApi api;
  const auto exchange = api.post("/api/chat", chatWith(R"("options": {"num_ctx": 4097})"));
  QCOMPARE(exchange->response.status, 400);
  QVERIFY(exchange->response.body.find("4096") != std::string::npos);
  QCOMPARE(api.post("/api/chat", chatWith(R"("options": {"num_ctx": 4096})"))->numResponses, 0);
  QCOMPARE(api.backend.asked.size(), size_t{1});
}

void TestApiOllama::latestTag_isAccepted() {
  FakeApi api;
  api.post("/api/chat", R"({"model": "mini:latest", "messages": [{"role": "user",
      "content": "Hi"}]})");
  QCOMPARE(api.backend.asked.size(), size_t{1});
  QCOMPARE(api.post("/api/show", R"({"model": "mini:8b"})")->response.status, 404);
}

void TestApiOllama::embeddings_areLists() {
  FakeApi api;
  api.texts.embeddings = {.vectors = {{0.5f, 0.25f}, {1.0f, 0.0f}}, .promptTokens = 6};
  const Json json = api.post("/api/embed", R"({"model": "mini", "input": ["a", "b"],
      "options": {}, "keep_alive": 5})")
                        ->json();
  QCOMPARE(json["embeddings"].dump(), std::string("[[0.5,0.25],[1.0,0.0]]"));
  QCOMPARE(json["prompt_eval_count"].get<int>(), 6);
  QCOMPARE(api.texts.embedded.at(0).inputs.size(), size_t{2});
  const Json older = api.post("/api/embeddings", R"({"model": "mini", "prompt": "a"})")->json();
  QCOMPARE(older.dump(), std::string(R"({"embedding":[0.5,0.25]})"));
  QCOMPARE(api.post("/api/embed", R"({"model": "mini", "input": "a", "truncate": true})")
               ->response.status,
           400);
}

void TestApiOllama::models_areListed() {
  FakeApi api;
  const auto listed = [&](const char* path) {
    const auto exchange = api.send("GET", path);
    static_cast<void>(QTest::qWaitFor([&] { return exchange->isEnded; }, 60'000));
    return exchange->json();
  };
  const Json tags = listed("/api/tags");
  QCOMPARE(tags["models"].size(), size_t{2});
  QCOMPARE(tags["models"][0].value("name", ""), std::string("mini"));
  QCOMPARE(tags["models"][0].value("digest", "").size(), size_t{64});
  QVERIFY(tags["models"][0]["digest"] != tags["models"][1]["digest"]);
  const Json loaded = listed("/api/ps");
  QCOMPARE(loaded["models"].size(), size_t{1});
  QCOMPARE(loaded["models"][0].value("model", ""), std::string("mini"));
  QVERIFY(api.send("GET", "/api/version")->json().contains("version"));
}

/// The bundled model's own files.
void TestApiOllama::details_areThoseOfTheFiles() {
  const std::string path = bundled_model_folder();
  FakeApi api;
  const auto list = [&](bool isOnGpu) {
    api.models.set({{.path = path, .isLoaded = true, .memoryBytes = 1000, .isOnGpu = isOnGpu}});
    const auto exchange = api.send("GET", "/api/ps");
    static_cast<void>(QTest::qWaitFor([&] { return exchange->isEnded; }, 60'000));
    return exchange->json()["models"].at(0);
  };
  const Json model = list(false);
  QCOMPARE(
      model["details"].dump(),
      std::string(R"({"parent_model":"","format":"safetensors","family":"llama",)"
                  R"("families":["llama"],"parameter_size":"11M","quantization_level":"BF16"})"));
  QCOMPARE(model["size"].get<int>(), 1000);
  QCOMPARE(model["size_vram"].get<int>(), 0);
  QCOMPARE(list(true)["size_vram"].get<int>(), 1000);
}

void TestApiOllama::model_isDescribed() {
  const QTemporaryDir folder;
  QFile file(folder.filePath("chat_template.jinja"));
  QVERIFY(file.open(QIODevice::WriteOnly));
  file.write("{{ tools }}<tool_call><think>");
  file.close();
  FakeApi api;
  api.models.set({{.path = folder.path().toStdString(), .contextLength = 4096}});
  const std::string name = api.models.models()->front().name;
  const auto exchange = api.post("/api/show", R"({"model": ")" + name + "\"}");
  QTRY_VERIFY(exchange->isEnded);
  const Json json = exchange->json();
  QCOMPARE(json["capabilities"].dump(), std::string(R"(["completion","tools","thinking"])"));
  QCOMPARE(json.value("template", ""), std::string("{{ tools }}<tool_call><think>"));
  QCOMPARE(json["model_info"]["model.context_length"].get<int>(), 4096);
}

void TestApiOllama::errors_haveOllamasShape() {
  FakeApi api;
  const auto unknown = api.post("/api/chat", R"({"model": "x", "messages": [{"role": "user",
      "content": "Hi"}]})");
  QCOMPARE(unknown->response.status, 404);
  QVERIFY(unknown->json()["error"].is_string());
  const auto exchange = api.post("/api/chat", chatWith(""));
  api.backend.start(0);
  api.backend.say(0, "Hel");
  api.backend.fail(0, ErrorCode::kDevice, "The device is gone.");
  QCOMPARE(exchange->parts.back(), std::string("{\"error\":\"The device is gone.\"}\n"));
  QVERIFY(exchange->isEnded);
}

QTEST_GUILESS_MAIN(TestApiOllama)
#include "tst_api_ollama.moc"
