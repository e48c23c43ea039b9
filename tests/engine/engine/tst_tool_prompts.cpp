#include <QTest>

#include <nlohmann/json.hpp>

#include "engine/chat/chat_prompt.h"
#include "engine/chat/tool_calls.h"
#include "tests/support/template_model.h"

using namespace quire;

namespace {

using Json = nlohmann::ordered_json;
using Kind = ContentPart::Kind;

/// The moment that strftime_now showed when the expected texts were made.
constexpr std::chrono::local_seconds kNow =
    std::chrono::local_days(std::chrono::year(2026) / 11 / 20) + std::chrono::hours(12);

/// A message of OpenAI's API in parts.
ChatMessage message_of(const Json& json) {
  const auto text = [&](const char* field) { return json.value(field, std::string()); };
  ChatMessage message;
  message.role = json["role"];
  if (message.role == "tool") {
    message.parts.push_back(
        {Kind::kToolResult, text("content"), text("name"), text("tool_call_id")});
    return message;
  }
  if (!text("content").empty()) message.parts.push_back({Kind::kText, text("content")});
  for (const Json& call : json.value("tool_calls", Json::array())) {
    const Json& function = call["function"];
    message.parts.push_back(
        {Kind::kToolCall, function["arguments"].dump(), function["name"], call["id"]});
  }
  return message;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

}  // namespace

/// Chats with tools, made of parts, are rendered as Jinja renders the messages of OpenAI's API.
class TestToolPrompts : public QObject {
  Q_OBJECT

 private slots:
  void chatsWithTools_areRenderedAsByJinja_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<QString>("name");
    if (!std::filesystem::exists(kConformanceFolder)) QSKIP("../shared/conformance is not there");
    for (const auto& entry :
         std::filesystem::directory_iterator(kConformanceFolder / "templates")) {
      if (entry.path().extension() != ".jinja") continue;
      const auto stem = QString::fromStdString(entry.path().stem().string());
      for (const char* name : {"tools", "tool_round_trip"}) {
        QTest::addRow("%s, %s", qUtf8Printable(stem), name) << stem << QString(name);
      }
    }
  }
  void chatsWithTools_areRenderedAsByJinja() {
    QFETCH(QString, file);
    QFETCH(QString, name);
    const LoadedModel model =
        template_model("ggml-vocab-gpt-2.gguf", file.toStdString() + ".jinja");
    const Json cases = Json::parse(read_template(file.toStdString() + ".expected.json"));
    const Json& wanted = cases[name.toStdString()];
    std::vector<ChatMessage> messages;
    for (const Json& json : wanted["input"]["messages"]) messages.push_back(message_of(json));
    const auto prompt =
        chat_prompt(*model.chat, messages, {.tools = wanted["input"]["tools"].dump(), .now = kNow});
    if (!template_reads_tools(model.chat->template_source)) {
      QVERIFY(!prompt);
      QCOMPARE(prompt.error().code, ErrorCode::kUnsupported);
      QVERIFY(prompt.error().message.find("does not read tools") != std::string::npos);
      return;
    }
    QVERIFY2(prompt.has_value(), prompt ? "" : prompt.error().message.c_str());
    const Tokenizer& tokenizer = *model.chat->tokenizer;
    std::string text = wanted["rendered"];
    text = replaced(text, "</s>", std::string(tokenizer.token_piece(*tokenizer.eos_token())));
    text = replaced(text, "<s>", std::string(tokenizer.token_piece(*tokenizer.bos_token())));
    QCOMPARE(QString::fromStdString(tokenizer.decode(prompt->tokens, /*with_special=*/true)),
             QString::fromStdString(text));
  }

  /// gpt-oss goes on from its reasoning after a call, and reads it by another name.
  void reasoningBeforeACall_reachesHarmony() {
    if (!std::filesystem::exists(kConformanceFolder)) QSKIP("../shared/conformance is not there");
    const LoadedModel model = template_model("ggml-vocab-gpt-2.gguf", "openai-gpt-oss-120b.jinja");
    std::vector<ChatMessage> messages(3);
    messages[0] = {"user", "Weather?"};
    messages[1].role = "assistant";
    messages[1].parts = {{Kind::kReasoning, "Hm."}, {Kind::kToolCall, "{}", "weather", "1"}};
    messages[2].role = "tool";
    messages[2].parts = {{Kind::kToolResult, "rain", "weather", "1"}};
    const auto text = [&] {
      const auto prompt = chat_prompt(*model.chat, messages);
      return prompt ? model.chat->tokenizer->decode(prompt->tokens, /*with_special=*/true)
                    : prompt.error().message;
    };
    const auto call = [](const std::string& reasoning) {
      return "<|start|>assistant<|channel|>analysis<|message|>" + reasoning +
             "<|end|><|start|>assistant to=functions.weather<|channel|>";
    };
    QVERIFY2(text().find(call("Hm.")) != std::string::npos, text().c_str());
    messages[1].parts.push_back({Kind::kText, "I look."});
    QVERIFY2(text().find(call("I look.")) != std::string::npos, text().c_str());
  }

  /// DeepSeek's published templates join the arguments with text.
  void argumentsAreText_forTemplatesThatJoinThem() {
    if (!std::filesystem::exists(kConformanceFolder)) QSKIP("../shared/conformance is not there");
    LoadedModel model = template_model("ggml-vocab-gpt-2.gguf", "");
    set_template(model,
                 "{% for m in messages %}{% for c in m.tool_calls or [] %}"
                 "{{ c.function.name + ':' + c.function.arguments }}{% endfor %}{% endfor %}");
    std::vector<ChatMessage> messages(1);
    messages[0].role = "assistant";
    messages[0].parts = {{Kind::kToolCall, R"({"city": "Ulm"})", "weather", "1"}};
    const auto prompt = chat_prompt(*model.chat, messages);
    QVERIFY2(prompt.has_value(), prompt ? "" : prompt.error().message.c_str());
    QCOMPARE(model.chat->tokenizer->decode(prompt->tokens),
             std::string(R"(weather:{"city": "Ulm"})"));
  }
};

QTEST_APPLESS_MAIN(TestToolPrompts)
#include "tst_tool_prompts.moc"
