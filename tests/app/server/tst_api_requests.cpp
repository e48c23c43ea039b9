#include <QtTest>

#include "app/server/api/openai_requests.h"

using namespace quire;

/// What the requests of OpenAI's API say, and which ones are refused with which words.
class TestApiRequests : public QObject {
  Q_OBJECT

 private slots:
  void chat_refuses_data();
  void chat_refuses();
  void chat_accepts_data();
  void chat_accepts();
  void chat_readsSampling();
  void chat_readsMessages();
  void chat_readsTools();
  void chat_readsFormats();
  void completion_refuses_data();
  void completion_refuses();
  void completion_readsPrompts();
  void hostileJson_isRefused_data();
  void hostileJson_isRefused();
};

namespace {

/// A chat with these further fields.
std::string chatWith(const std::string& fields) {
  return R"({"model": "mini", "messages": [{"role": "user", "content": "Hi"}])" +
         (fields.empty() ? "" : ", " + fields) + "}";
}

std::string messagesOf(const std::string& messages) {
  return R"({"messages": [)" + messages + "]}";
}

OpenAiRequest parsedChat(const std::string& body) {
  OpenAiRequest request;
  const auto error = parseChatRequest(body, request);
  if (error) qWarning("%s", error->message.c_str());
  return request;
}

}  // namespace

void TestApiRequests::chat_refuses_data() {
  QTest::addColumn<QString>("body");
  QTest::addColumn<QString>("param");
  QTest::addColumn<QString>("words");
  const auto row = [](const char* name, const std::string& body, const char* param,
                      const char* words) {
    QTest::newRow(name) << QString::fromStdString(body) << param << words;
  };
  row("not an object", "[1]", "", "must be a JSON object");
  row("not JSON", "{", "", "is not JSON (column 2: ");
  row("huge number", R"({"seed": 1e999})", "", "(column 14: a number is too large).");
  row("number of 400 digits", "{\"seed\":\n1" + std::string(400, '0') + "}", "",
      "(line 2, column 401: a number is too large).");
  row("half a character", R"({"model": "\ud800"})", "", "surrogate");
  row("no messages", "{}", "messages", "at least one message");
  row("empty messages", messagesOf(""), "messages", "at least one message");
  row("unknown field", chatWith(R"("temprature": 1)"), "temprature", "not known");
  row("temperature as text", chatWith(R"("temperature": "1")"), "temperature", "from 0 to 100");
  row("negative temperature", chatWith(R"("temperature": -1)"), "temperature", "from 0 to 100");
  row("top_p 0", chatWith(R"("top_p": 0)"), "top_p", "more than 0");
  row("fractional top_k", chatWith(R"("top_k": 1.5)"), "top_k", "whole number");
  row("huge seed", chatWith(R"("seed": 99999999999999999999)"), "seed", "whole number");
  row("tiny penalty", chatWith(R"("repetition_penalty": 1e-40)"), "repetition_penalty",
      "from 0.001 to 100");
  row("n 0", chatWith(R"("n": 0)"), "n", "from 1 to 128");
  row("n as bool", chatWith(R"("n": true)"), "n", "whole number");
  row("empty stop", chatWith(R"("stop": [""])"), "stop", "not empty");
  row("stop as number", chatWith(R"("stop": 1)"), "stop", "string");
  row("bias of text", chatWith(R"("logit_bias": {"abc": 1})"), "logit_bias", "'abc'");
  row("huge bias", chatWith(R"("logit_bias": {"5": 101})"), "logit_bias", "-100 to 100");
  row("negative min_tokens", chatWith(R"("min_tokens": -1)"), "min_tokens", "whole number");
  row("negative stop token", chatWith(R"("stop_token_ids": [-1])"), "stop_token_ids", "token ids");
  row("two lengths", chatWith(R"("max_tokens": 5, "max_completion_tokens": 6)"), "max_tokens",
      "differ");
  row("max_tokens 0", chatWith(R"("max_tokens": 0)"), "max_tokens", "from 1");
  row("stream options alone", chatWith(R"("stream_options": {})"), "stream_options",
      "needs stream");
  row("unknown stream option", chatWith(R"("stream": true, "stream_options": {"x": 1})"),
      "stream_options.x", "not known");
  row("top_logprobs alone", chatWith(R"("top_logprobs": 2)"), "top_logprobs", "needs logprobs");
  row("best_of below n", chatWith(R"("n": 3, "best_of": 2)"), "best_of", "at least n");
  row("streamed best_of", chatWith(R"("best_of": 2, "stream": true)"), "best_of", "streamed");
  row("store", chatWith(R"("store": true)"), "store", "not stored");
  row("functions", chatWith(R"("functions": [])"), "functions", "use tools");
  row("tool_choice alone", chatWith(R"("tool_choice": "auto")"), "tool_choice", "needs tools");
  const std::string tool = R"("tools": [{"type": "function", "function": {"name": "f"}}], )";
  row("another choice", chatWith(tool + R"("tool_choice": "always")"), "tool_choice", "required");
  row("a choice of another kind", chatWith(tool + R"("tool_choice": {"type": "allowed_tools"})"),
      "tool_choice", "a function");
  row("a choice without a name", chatWith(tool + R"("tool_choice": {"type": "function"})"),
      "tool_choice", "needs a name");
  row("a tool that is not offered",
      chatWith(tool + R"("tool_choice": {"type": "function", "function": {"name": "g"}})"),
      "tool_choice", "'g', which is not among tools");
  row("a required tool and a format",
      chatWith(tool + R"("tool_choice": "required", "response_format": {"type": "json_object"})"),
      "response_format", "together");
  row("tool without a name", chatWith(R"("tools": [{"type": "function", "function": {}}])"),
      "tools[0].function.name", "needs a name");
  row("strict tool", chatWith(R"("tools": [{"function": {"name": "f", "strict": 1}}])"),
      "tools[0].function.strict", "strict");
  row("format", chatWith(R"("response_format": {"type": "yaml"})"), "response_format.type",
      "json_schema");
  row("schema missing", chatWith(R"("response_format": {"type": "json_schema"})"),
      "response_format.json_schema.schema", "needs a schema");
  row("effort", chatWith(R"("reasoning_effort": "huge")"), "reasoning_effort", "medium");
  row("audio", chatWith(R"("modalities": ["text", "audio"])"), "modalities", "text only");
  row("priority", chatWith(R"("priority": 100)"), "priority", "from -99 to 99");
  row("continue a question", chatWith(R"("continue_final_message": true)"),
      "continue_final_message", "assistant's message");
  row("bad role", messagesOf(R"({"role": "robot", "content": "x"})"), "messages[0].role",
      "'robot'");
  row("no role", messagesOf(R"({"content": "x"})"), "messages[0].role", "role is missing");
  row("no content", messagesOf(R"({"role": "user"})"), "messages[0].content", "missing");
  row("content as number", messagesOf(R"({"role": "user", "content": 5})"), "messages[0].content",
      "string or an array");
  row("message as text", messagesOf(R"("hello")"), "messages[0]", "must be a JSON object");
  row("named speaker", messagesOf(R"({"role": "user", "content": "x", "name": "Bob"})"),
      "messages[0].name", "not supported");
  row("image",
      messagesOf(
          R"({"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x"}}]})"),
      "messages[0].content[0]", "Images are not supported");
  row("part without text", messagesOf(R"({"role": "user", "content": [{"type": "text"}]})"),
      "messages[0].content[0].text", "needs a text");
  row("bad call arguments", messagesOf(R"({"role": "assistant",
                     "tool_calls": [{"function": {"name": "f", "arguments": "[1]"}}]})"),
      "messages[0].tool_calls[0].function.arguments", "JSON object");
}

void TestApiRequests::chat_refuses() {
  QFETCH(QString, body);
  QFETCH(QString, param);
  QFETCH(QString, words);
  OpenAiRequest request;
  const auto error = parseChatRequest(body.toStdString(), request);
  QVERIFY(error.has_value());
  QCOMPARE(error->status, 400);
  QCOMPARE(QString::fromStdString(error->param), param);
  QVERIFY2(error->message.find(words.toStdString()) != std::string::npos, error->message.c_str());
}

void TestApiRequests::chat_accepts_data() {
  QTest::addColumn<QString>("fields");
  const auto row = [](const char* fields) { QTest::newRow(fields) << fields; };
  row("");
  row(R"("user": "x", "metadata": {"a": "b"}, "store": false, "service_tier": "auto")");
  row(R"("temperature": null, "n": null, "tools": null, "stop": null)");
  row(R"("n": 1.0, "max_tokens": 16.0)");
  row(R"("top_k": -1, "min_p": 0.05, "repetition_penalty": 0.001, "presence_penalty": -100)");
  row(R"("skip_special_tokens": true, "use_beam_search": false)");
  row(R"("response_format": {"type": "text"})");
  row(R"("parallel_tool_calls": true)");
  row(R"("stream": true, "stream_options": {"include_usage": true})");
}

void TestApiRequests::chat_accepts() {
  QFETCH(QString, fields);
  OpenAiRequest request;
  const auto error = parseChatRequest(chatWith(fields.toStdString()), request);
  QVERIFY2(!error, error ? error->message.c_str() : "");
}

void TestApiRequests::chat_readsSampling() {
  const OpenAiRequest request = parsedChat(chatWith(
      R"("temperature": 0.5, "top_p": 0.9, "top_k": 40, "min_p": 0.25, "seed": -2, "n": 3,
         "presence_penalty": 0.5, "frequency_penalty": -0.5, "repetition_penalty": 1.25,
         "stop": "END", "stop_token_ids": [5, 6], "logit_bias": {"7": -3.5}, "best_of": 5,
         "max_completion_tokens": 33, "min_tokens": 9, "logprobs": true, "top_logprobs": 4, "priority": 20)"));
  const OpenSampling& open = request.generation.open;
  QCOMPARE(open.temperature, std::optional(0.5f));
  QCOMPARE(open.topP, std::optional(0.9f));
  QCOMPARE(open.topK, std::optional(40));
  QCOMPARE(open.seed, std::optional(static_cast<uint64_t>(-2)));
  QCOMPARE(open.maxTokens, std::optional(33));
  const SamplingParams& sampling = request.generation.chat.sampling;
  QCOMPARE(sampling.min_tokens, 9);
  QCOMPARE(sampling.min_p, 0.25f);
  QCOMPARE(sampling.presence_penalty, 0.5f);
  QCOMPARE(sampling.frequency_penalty, -0.5f);
  QCOMPARE(sampling.repetition_penalty, 1.25f);
  QCOMPARE(sampling.stop, std::vector<std::string>{"END"});
  QCOMPARE(sampling.stop_token_ids, (std::vector<TokenId>{5, 6}));
  QCOMPARE(sampling.logit_bias.size(), size_t{1});
  QVERIFY(sampling.logit_bias[0] == (LogitBias{.id = 7, .bias = -3.5f}));
  QCOMPARE(sampling.num_logprobs, 4);
  QCOMPARE(request.numLogprobs, 4);
  QCOMPARE(request.generation.numAnswers, 3);
  QCOMPARE(request.generation.numSampled, 5);
  QCOMPARE(request.generation.chat.priority, kApiPriority - 20);
  QVERIFY(!request.generation.chat.dropsOldTurns);
  QVERIFY(!parsedChat(chatWith("")).generation.open.seed);
}

void TestApiRequests::chat_readsMessages() {
  const OpenAiRequest chat = parsedChat(
      R"({"messages": [
      {"role": "developer", "content": "Be brief."},
      {"role": "user", "content": [{"type": "text", "text": "Rain "}, {"type": "text", "text": "in Rome?"}]},
      {"role": "assistant", "content": null, "reasoning_content": "I look.", "tool_calls": [
        {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": "{\"city\": \"Rome\"}"}}]},
      {"role": "tool", "tool_call_id": "c1", "content": "Dry"},
      {"role": "assistant", "content": "No"}], "continue_final_message": true})");
  const QList<ChatTurn>& turns = chat.generation.chat.turns;
  QCOMPARE(turns.size(), 5);
  QCOMPARE(turns[0].role, QString("system"));
  QCOMPARE(turns[1].text, QString("Rain in Rome?"));
  QCOMPARE(turns[2].parts.size(), size_t{2});
  QVERIFY(turns[2].parts[0].kind == ContentPart::Kind::kReasoning);
  QVERIFY(turns[2].parts[1].kind == ContentPart::Kind::kToolCall);
  QCOMPARE(turns[2].parts[1].tool, std::string("weather"));
  QVERIFY(turns[3].parts[0].kind == ContentPart::Kind::kToolResult);
  QCOMPARE(turns[3].parts[0].tool, std::string("weather"));
  QCOMPARE(turns[3].parts[0].text, std::string("Dry"));
  QVERIFY(chat.generation.chat.continueAnswer);
}

void TestApiRequests::chat_readsTools() {
  const std::string tools =
      R"("tools": [{"type": "function", "function": {"name": "f", "parameters": {"b": 1, "a": 2}}}])";
  const OpenAiRequest request = parsedChat(chatWith(tools));
  QVERIFY(request.generation.findsToolCalls);
  // In their order: templates write them as they come.
  QVERIFY(request.generation.chat.prompt.tools.find(R"({"b":1,"a":2})") != std::string::npos);
  const OpenAiRequest none = parsedChat(chatWith(tools + R"(, "tool_choice": "none")"));
  QVERIFY(!none.generation.findsToolCalls);
  QVERIFY(none.generation.chat.prompt.tools.empty());
}

void TestApiRequests::chat_readsFormats() {
  const OpenAiRequest json = parsedChat(chatWith(R"("response_format": {"type": "json_object"})"));
  QVERIFY(json.generation.chat.format.kind == AnswerFormat::Kind::kJson);
  const OpenAiRequest schema = parsedChat(chatWith(
      R"("response_format": {"type": "json_schema",
         "json_schema": {"name": "x", "strict": true, "schema": {"type": "object"}}})"));
  QVERIFY(schema.generation.chat.format.kind == AnswerFormat::Kind::kJsonSchema);
  QCOMPARE(schema.generation.chat.format.schema, std::string(R"({"type":"object"})"));
  const OpenAiRequest effort =
      parsedChat(chatWith(R"("reasoning_effort": "none", "chat_template_kwargs": {"a": 1})"));
  QCOMPARE(effort.generation.chat.prompt.variables,
           std::string(R"({"a":1,"reasoning_effort":"none","enable_thinking":false})"));
}

void TestApiRequests::completion_refuses_data() {
  QTest::addColumn<QString>("body");
  QTest::addColumn<QString>("param");
  const auto row = [](const char* body, const char* param) {
    QTest::newRow(body) << body << param;
  };
  row("{}", "prompt");
  row(R"({"prompt": ""})", "prompt");
  row(R"({"prompt": []})", "prompt");
  row(R"({"prompt": ["a", ""]})", "prompt[1]");
  row(R"({"prompt": [1, "a"]})", "prompt");
  row(R"({"prompt": [[1], [-2]]})", "prompt[1]");
  row(R"({"prompt": [4294967296]})", "prompt");
  row(R"({"prompt": {"a": 1}})", "prompt");
  row(R"({"prompt": "a", "echo": 1})", "echo");
  row(R"({"prompt": "a", "echo": true, "logprobs": 0})", "logprobs");
  row(R"({"prompt": "a", "suffix": "b"})", "suffix");
  row(R"({"prompt": "a", "logprobs": 101})", "logprobs");
  row(R"({"prompt": "a", "messages": []})", "messages");
  row(R"({"prompt": "a", "prompt_logprobs": 1})", "prompt_logprobs");
}

void TestApiRequests::completion_refuses() {
  QFETCH(QString, body);
  QFETCH(QString, param);
  OpenAiRequest request;
  const auto error = parseCompletionRequest(body.toStdString(), request);
  QVERIFY(error.has_value());
  QCOMPARE(QString::fromStdString(error->param), param);
}

void TestApiRequests::completion_readsPrompts() {
  const auto prompts = [](const std::string& prompt) {
    OpenAiRequest request;
    const auto error = parseCompletionRequest(R"({"prompt": )" + prompt + "}", request);
    if (error) qWarning("%s", error->message.c_str());
    return request.generation;
  };
  QCOMPARE(prompts(R"("one")").prompts[0].text, QString("one"));
  QCOMPARE(prompts(R"(["one", "two"])").prompts[1].text, QString("two"));
  QCOMPARE(prompts("[1, 2]").prompts[0].tokens, (QList<qint32>{1, 2}));
  QCOMPARE(prompts("[[1, 2], [3]]").prompts[1].tokens, QList<qint32>{3});
  QCOMPARE(prompts(R"("one")").open.maxTokens, std::optional(16));
  QVERIFY(!prompts(R"("one")").splitsReasoning);
}

void TestApiRequests::hostileJson_isRefused_data() {
  QTest::addColumn<QByteArray>("body");
  QTest::newRow("deep") << QByteArray(100'000, '[');
  QTest::newRow("deep objects") << QByteArray(R"({"a":)").repeated(50'000);
  QTest::newRow("not UTF-8") << QByteArray("{\"messages\": \"\xff\xfe\"}");
  QTest::newRow("lone surrogate") << QByteArray(R"({"messages": "\ud800"})");
  QTest::newRow("a key twice") << QByteArray(R"({"messages": [], "messages": []})");
  QTest::newRow("infinite") << QByteArray(R"({"temperature": 1e999})");
  QTest::newRow("empty") << QByteArray();
}

void TestApiRequests::hostileJson_isRefused() {
  QFETCH(QByteArray, body);
  OpenAiRequest request;
  const auto error = parseChatRequest(body.toStdString(), request);
  QVERIFY(error.has_value());
  QCOMPARE(error->status, 400);
  QVERIFY(error->message.size() < 400);
}

QTEST_APPLESS_MAIN(TestApiRequests)
#include "tst_api_requests.moc"
