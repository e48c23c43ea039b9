#include <QTest>

#include "engine/chat/tool_call_parser.h"
#include "tests/support/template_model.h"

using namespace quire;

/// Declared before its rows: moc loses count of brackets in their strings.
class TestToolCalls : public QObject {
  Q_OBJECT

 private slots:
  void formats_areFoundByTheTemplate_data();
  void formats_areFoundByTheTemplate();
  void calls_areFound_data();
  void calls_areFound();
  void whatLooksLikeACall_isText_data();
  void whatLooksLikeACall_isText();
  void aCallAfterABadOne_isFound();
  void text_isNotHeldBack_longerThanAMark();
  void hostileAnswers_areBounded_data();
  void hostileAnswers_areBounded();
  void aCallThatIsTooLong_isText();
  void callsBeyondTheMost_areText();
  void ids_areNineLettersAndDigits_andDiffer();
};

namespace {

const std::string kTools =
    "[{\"type\": \"function\", \"function\": {\"name\": \"get_weather\", \"parameters\": {"
    "\"type\": \"object\", \"properties\": {\"city\": {\"type\": \"string\"}, "
    "\"days\": {\"type\": \"integer\"}, \"unit\": {\"enum\": [\"celsius\", \"fahrenheit\"]}, "
    "\"note\": {\"type\": [\"string\", \"null\"]}, \"codes\": {\"type\": \"array\"}}}}}, "
    "{\"type\": \"function\", \"function\": {\"name\": \"now\"}}]";

/// What a parser made of an answer: its text, and its calls as NAME(ARGUMENTS).
struct Parsed {
  std::string text;
  std::string calls;
  bool operator==(const Parsed&) const = default;
};

void add(std::vector<ToolCallStep> steps, Parsed& parsed) {
  for (const ToolCallStep& step : steps) {
    parsed.text += step.text;
    for (const ToolCall& call : step.calls) parsed.calls += call.name + "(" + call.arguments + ")";
  }
}

/// The answer in pieces of `size` bytes, the first one of `first` bytes.
Parsed parsed_in_pieces(const std::string& sign, const std::string& answer, size_t first,
                        size_t size) {
  const ToolCallFormat* format = find_tool_call_format(sign);
  if (format == nullptr) qFatal("no format for %s", sign.c_str());
  ToolCallParser parser(*format, kTools);
  Parsed parsed;
  const std::string_view all = answer;
  add(parser.push(all.substr(0, first)), parsed);
  for (size_t at = first; at < all.size(); at += size)
    add(parser.push(all.substr(at, size)), parsed);
  add(parser.finish(), parsed);
  return parsed;
}

Parsed parsed_whole(const std::string& sign, const std::string& answer) {
  return parsed_in_pieces(sign, answer, answer.size(), 1);
}

std::string show(const Parsed& parsed) {
  return "text: \"" + parsed.text + "\" calls: " + parsed.calls;
}

constexpr const char* kHermes = "<tool_call>";
constexpr const char* kCoder = "<function=";
constexpr const char* kLlama = "<|python_tag|>";
constexpr const char* kMistral = "[TOOL_CALLS]";
constexpr const char* kCommand = "<|START_ACTION|>";
constexpr const char* kGranite = "<|tool_call|>";
constexpr const char* kPhi = "<|/tool|>";
constexpr const char* kDeepSeek = "<｜tool▁call▁begin｜>";
constexpr const char* kKimi = "<|tool_call_begin|>";
constexpr const char* kHarmony = "to=functions.";

void add_columns() {
  QTest::addColumn<QString>("sign");
  QTest::addColumn<QString>("answer");
  QTest::addColumn<QString>("text");
  QTest::addColumn<QString>("calls");
}
void row(const char* name, const char* sign, const char* answer, const char* text,
         const char* calls) {
  QTest::newRow(name) << QString(sign) << QString(answer) << QString(text) << QString(calls);
}
/// What only looks like a call.
void text_row(const char* name, const char* sign, const char* answer) {
  row(name, sign, answer, answer, "");
}
void check_all_splits() {
  QFETCH(QString, sign);
  QFETCH(QString, answer);
  QFETCH(QString, text);
  QFETCH(QString, calls);
  const std::string whole = answer.toStdString();
  const Parsed wanted = {text.toStdString(), calls.toStdString()};
  for (size_t first = 0; first <= whole.size(); ++first) {
    for (const size_t size : {size_t{1}, size_t{7}, whole.size()}) {
      const Parsed parsed =
          parsed_in_pieces(sign.toStdString(), whole, first, std::max<size_t>(size, 1));
      QVERIFY2(parsed == wanted, (show(parsed) + " split at " + std::to_string(first)).c_str());
    }
  }
}

}  // namespace

void TestToolCalls::formats_areFoundByTheTemplate_data() {
  QTest::addColumn<QString>("file");
  QTest::addColumn<QString>("family");
  QTest::addColumn<bool>("reads_tools");
  if (!std::filesystem::exists(kConformanceFolder)) QSKIP("../shared/conformance is not there");
  const auto add = [](const char* file, const char* family, bool reads_tools) {
    QTest::newRow(file) << QString(file) << QString(family) << reads_tools;
  };
  add("CohereForAI-c4ai-command-r7b-12-2024-tool_use.jinja", "Command", true);
  add("GLM-4.6.jinja", "Hermes", true);
  add("HuggingFaceTB-SmolLM3-3B.jinja", "", false);
  add("Qwen-Qwen2.5-7B-Instruct.jinja", "Hermes", true);
  add("Qwen-Qwen3-0.6B.jinja", "Hermes", true);
  add("deepseek-ai-DeepSeek-R1-Distill-Llama-8B.jinja", "DeepSeek", false);
  add("google-gemma-2-2b-it.jinja", "", false);
  add("ibm-granite-granite-3.3-2B-Instruct.jinja", "Granite", true);
  add("meta-llama-Llama-3.1-8B-Instruct.jinja", "Llama", true);
  add("microsoft-Phi-3.5-mini-instruct.jinja", "", false);
  add("mistralai-Mistral-Nemo-Instruct-2407.jinja", "Mistral", true);
  add("openai-gpt-oss-120b.jinja", "harmony", true);
}
void TestToolCalls::formats_areFoundByTheTemplate() {
  QFETCH(QString, file);
  QFETCH(QString, family);
  QFETCH(bool, reads_tools);
  const std::string source = read_template(file.toStdString());
  QVERIFY(!source.empty());
  const ToolCallFormat* format = find_tool_call_format(source);
  QCOMPARE(QString::fromStdString(std::string(format ? format->name : "")), family);
  QCOMPARE(template_reads_tools(source), reads_tools);
}

void TestToolCalls::calls_areFound_data() {
  add_columns();
  row("no call", kHermes, "It is 12 °C.\n", "It is 12 °C.\n", "");
  row("Hermes", kHermes,
      "<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"서울\"}}\n"
      "</tool_call>",
      "", R"(get_weather({"city":"서울"}))");
  row("text before and after", kHermes,
      "Let me see.\n\n<tool_call>{\"name\": \"now\", \"arguments\": {}}</tool_call>\nSo.",
      "Let me see.\nSo.", "now({})");
  row("two calls", kHermes,
      "<tool_call>\n{\"name\": \"now\", \"arguments\": {}}\n</tool_call>\n<tool_call>\n"
      "{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Ulm\", \"days\": 2}}\n"
      "</tool_call>\n",
      "", R"(now({})get_weather({"city":"Ulm","days":2}))");
  row("marks within the arguments", kHermes,
      "<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": "
      "\"</tool_call>\\\"}{[<tool_call>\"}}\n</tool_call>",
      "", "get_weather({\"city\":\"</tool_call>\\\"}{[<tool_call>\"})");
  row("the end cut off", kHermes, "<tool_call>{\"name\": \"now\", \"arguments\": {}}\n</tool_c", "",
      "now({})");
  row("arguments in a string", kHermes,
      "<tool_call>{\"name\": \"now\", \"arguments\": \"{\\\"a\\\": 1}\"}</tool_call>", "",
      R"(now({"a":1}))");
  row("no arguments", kHermes, "<tool_call>{\"name\": \"now\"}</tool_call>", "", "now({})");
  row("Qwen3-Coder", kCoder,
      "I look.\n<tool_call>\n<function=get_weather>\n<parameter=city>\nUlm\nan der Donau\n"
      "</parameter>\n<parameter=days>\n2\n</parameter>\n<parameter=codes>\n[1, \"a\"]\n"
      "</parameter>\n</function>\n</tool_call>",
      "I look.", "get_weather({\"city\":\"Ulm\\nan der Donau\",\"days\":2,\"codes\":[1,\"a\"]})");
  row("Qwen3-Coder, text that is a number", kCoder,
      "<tool_call>\n<function=get_weather>\n<parameter=city>\n12\n</parameter>\n"
      "<parameter=note>\nnull\n</parameter>\n<parameter=unit>\n3\n</parameter>\n</function>\n"
      "</tool_call>",
      "", R"(get_weather({"city":"12","note":"null","unit":"3"}))");
  row("Qwen3-Coder, marks in a value", kCoder,
      "<tool_call>\n<function=get_weather>\n<parameter=city>\n</tool_call></parameter>x\n"
      "</parameter>\n</function>\n</tool_call>",
      "", R"(get_weather({"city":"</tool_call></parameter>x"}))");
  row("Qwen3-Coder without the outer mark", kCoder, "<function=now>\n</function>\n</tool_call>", "",
      "now({})");
  row("Qwen3-Coder, the end cut off", kCoder,
      "<tool_call>\n<function=now>\n<parameter=x>\nTrue\n</parameter>\n</function>\n</tool", "",
      R"(now({"x":true}))");
  row("a function with JSON", kCoder, "<function=now>{\"a\": 1}</function></tool_call>", "",
      R"(now({"a":1}))");
  row("GLM", kHermes,
      "\n<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Ulm</arg_value>\n"
      "<arg_key>days</arg_key>\n<arg_value>2</arg_value>\n</tool_call>",
      "", R"(get_weather({"city":"Ulm","days":2}))");
  row("GLM without arguments", kHermes, "<tool_call>now\n</tool_call>", "", "now({})");
  row("Llama", kLlama, R"({"name": "get_weather", "parameters": {"city": "Ulm"}})", "",
      R"(get_weather({"city":"Ulm"}))");
  row("Llama, two calls", kLlama,
      " {\"name\": \"now\", \"parameters\": {}}; {\"name\": \"now\", \"parameters\": {}}", "",
      "now({})now({})");
  row("Llama's tag", kLlama, R"(<|python_tag|>{"name": "now", "parameters": {"a": "{"}})", "",
      R"(now({"a":"{"}))");
  row("Mistral", kMistral,
      R"([TOOL_CALLS][{"name": "get_weather", "arguments": {"city": "Ulm"}, "id": "abcdefghi"},)"
      R"( {"name": "now", "arguments": {}}])",
      "", R"(get_weather({"city":"Ulm"})now({}))");
  row("Mistral, named", kMistral, R"(Ok[TOOL_CALLS]get_weather{"city": "Ulm"})", "Ok",
      R"(get_weather({"city":"Ulm"}))");
  row("Mistral, tokenizer 11", kMistral,
      R"([TOOL_CALLS]now[ARGS]{}[TOOL_CALLS]get_weather[CALL_ID]abcdefghi[ARGS]{"city": "Ulm"})",
      "", R"(now({})get_weather({"city":"Ulm"}))");
  row("Command", kCommand,
      "<|START_ACTION|>[\n    {\"tool_call_id\": \"0\", \"tool_name\": \"get_weather\", "
      "\"parameters\": {\"city\": \"Ulm\"}}\n]<|END_ACTION|>",
      "", R"(get_weather({"city":"Ulm"}))");
  row("Granite", kGranite,
      R"(<|tool_call|>[{"name": "get_weather", "arguments": {"city": "Ulm"}}])", "",
      R"(get_weather({"city":"Ulm"}))");
  row("Phi", kPhi, R"(<|tool_call|>[{"name": "now", "arguments": {}}]<|/tool_call|>)", "",
      "now({})");
  row("Phi, functools", kPhi, R"(functools[{"name": "now", "arguments": {}}])", "", "now({})");
  row("DeepSeek R1", kDeepSeek,
      "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n```json\n"
      "{\"city\": \"Ulm\"}\n```<｜tool▁call▁end｜>\n<｜tool▁call▁begin｜>function"
      "<｜tool▁sep｜>now\n```json\n{}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
      "", R"(get_weather({"city":"Ulm"})now({}))");
  row("DeepSeek V3.1", kDeepSeek,
      "Yes.<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>now<｜tool▁sep｜>{\"a\": [1]}"
      "<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
      "Yes.", R"(now({"a":[1]}))");
  row("Kimi", kKimi,
      "<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0"
      "<|tool_call_argument_begin|>{\"city\": \"Ulm\"}<|tool_call_end|><|tool_call_begin|>"
      "functions.now:1<|tool_call_argument_begin|>{}<|tool_call_end|>"
      "<|tool_calls_section_end|>",
      "", R"(get_weather({"city":"Ulm"})now({}))");
  row("harmony", kHarmony,
      "<|channel|>commentary to=functions.get_weather<|message|>{\"city\": \"Ulm\"}<|call|>", "",
      R"(get_weather({"city":"Ulm"}))");
}
void TestToolCalls::calls_areFound() {
  check_all_splits();
}

void TestToolCalls::whatLooksLikeACall_isText_data() {
  add_columns();
  text_row("a mark in prose", kHermes, "Write <tool_call> and then JSON.");
  text_row("an unfinished mark", kHermes, "See <tool_");
  text_row("white space at the end", kHermes, "See \n\n ");
  text_row("broken JSON", kHermes, "Hm. <tool_call>\n{\"name\": \"now\", }\n</tool_call> So.");
  text_row("unfinished JSON", kHermes, "<tool_call>\n{\"name\": \"now\", \"arguments\": {");
  text_row("no name", kHermes, "<tool_call>{\"arguments\": {}}</tool_call>");
  text_row("a name that is none", kHermes, R"(<tool_call>{"name": "a b", "arguments": {}})");
  text_row("arguments that are a list", kHermes, R"(<tool_call>{"name": "now", "arguments": []})");
  text_row("an empty list", kMistral, "[TOOL_CALLS][]");
  text_row("one bad call in a list", kMistral,
           R"([TOOL_CALLS][{"name": "now", "arguments": {}}, {"name": 1}])");
  text_row("a function that is not closed", kCoder,
           "<tool_call>\n<function=now>\n<parameter=x>\n1\n</parameter>\n");
  text_row("GLM, cut off", kHermes,
           "<tool_call>now\n<arg_key>a</arg_key>\n<arg_value>1</arg_value>");
  text_row("JSON that names no tool of ours", kLlama, R"({"name": "Ann", "parameters": {}})");
  text_row("JSON without arguments", kLlama, R"({"name": "now"})");
  text_row("JSON within a text", kLlama, R"(So: {"name": "now", "parameters": {}})");
  text_row("code for Python", kLlama, "<|python_tag|>import math");
  text_row("a header without its separator", kDeepSeek, "<｜tool▁call▁begin｜>now{\"a\": 1}");
  text_row("an end without a beginning", kHermes, "See </tool_call>.");
}
void TestToolCalls::whatLooksLikeACall_isText() {
  check_all_splits();
}

void TestToolCalls::aCallAfterABadOne_isFound() {
  const Parsed parsed = parsed_whole(
      kHermes, "<tool_call> no <tool_call>{\"name\": \"now\", \"arguments\": {}}</tool_call>");
  QCOMPARE(parsed.text, std::string("<tool_call> no"));
  QCOMPARE(parsed.calls, std::string("now({})"));
}

void TestToolCalls::text_isNotHeldBack_longerThanAMark() {
  ToolCallParser parser(*find_tool_call_format(kHermes), kTools);
  Parsed parsed;
  add(parser.push("Hello <tool_ca"), parsed);
  QCOMPARE(parsed.text, std::string("Hello"));
  add(parser.push("re"), parsed);
  QCOMPARE(parsed.text, std::string("Hello <tool_care"));
  QVERIFY(!parser.has_calls());
}

/// Each of these would take hours if it were scanned again with each piece.
void TestToolCalls::hostileAnswers_areBounded_data() {
  QTest::addColumn<QString>("sign");
  QTest::addColumn<QByteArray>("answer");
  const auto add = [](const char* name, const char* sign, const QByteArray& answer) {
    QTest::newRow(name) << QString(sign) << answer;
  };
  constexpr qsizetype kMany = 200'000;
  add("marks", kHermes, QByteArray("<tool_call>").repeated(kMany));
  add("marks with names", kHermes, QByteArray("<tool_call>a\n").repeated(kMany));
  add("ends", kHermes, "<tool_call>a\n<x>" + QByteArray("</tool_call>").repeated(kMany));
  add("brackets", kHermes, "<tool_call>" + QByteArray("[").repeated(3 * kMany));
  add("closed brackets", kMistral, QByteArray("[TOOL_CALLS]{}").repeated(kMany));
  add("keys", kHermes,
      "<tool_call>{\"name\": \"now\", \"arguments\": {" + QByteArray("\"a\":1,").repeated(kMany) +
          "\"b\":1}}");
  add("space", kHermes, QByteArray(" ").repeated(10 * kMany));
  add("bare objects", kLlama, QByteArray("{}").repeated(kMany));
  QByteArray parameters;
  for (int i = 0; i < 20'000; ++i) {
    parameters += "<parameter=" + QByteArray::number(i) + "></parameter>";
  }
  add("parameters", kCoder, "<function=now>" + parameters + "</function></tool_call>");
}
void TestToolCalls::hostileAnswers_areBounded() {
  QFETCH(QString, sign);
  QFETCH(QByteArray, answer);
  const std::string text = answer.toStdString();
  const Parsed whole = parsed_whole(sign.toStdString(), text);
  QCOMPARE(whole.calls, std::string());
  QVERIFY(whole.text == text);
  QVERIFY(parsed_in_pieces(sign.toStdString(), text, 0, 3) == whole);
}

void TestToolCalls::aCallThatIsTooLong_isText() {
  const std::string big(ToolCallParser::kMaxHeldBytes, 'x');
  const std::string text =
      "<tool_call>{\"name\": \"now\", \"arguments\": {\"a\": \"" + big + "\"}}</tool_call>";
  // What follows is looked at again.
  const std::string call = "<tool_call>{\"name\": \"now\", \"arguments\": {}}</tool_call>";
  QVERIFY(parsed_whole(kHermes, text + call) == (Parsed{text, "now({})"}));
  QVERIFY(parsed_in_pieces(kHermes, text + call, 0, 4096) == (Parsed{text, "now({})"}));
}

void TestToolCalls::callsBeyondTheMost_areText() {
  std::string text;
  const std::string call = "<tool_call>{\"name\": \"now\", \"arguments\": {}}</tool_call>";
  for (size_t i = 0; i < ToolCallParser::kMaxCalls; ++i) text += call;
  const Parsed parsed = parsed_whole(kHermes, text + call);
  QCOMPARE(parsed.text, call);
  QCOMPARE(parsed.calls.size(), ToolCallParser::kMaxCalls * std::string("now({})").size());
}

void TestToolCalls::ids_areNineLettersAndDigits_andDiffer() {
  const std::string id = new_tool_call_id();
  QCOMPARE(id.size(), size_t{9});
  QVERIFY(std::ranges::all_of(id, [](unsigned char c) { return std::isalnum(c) != 0; }));
  QVERIFY(id != new_tool_call_id());
}

QTEST_APPLESS_MAIN(TestToolCalls)
#include "tst_tool_calls.moc"
