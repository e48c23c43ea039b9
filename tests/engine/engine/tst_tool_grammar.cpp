#include <QtTest>

#include <random>

#include <nlohmann/json.hpp>

#include "engine/chat/channel_marks.h"
#include "engine/chat/tool_call_forms.h"
#include "engine/chat/tool_call_parser.h"
#include "engine/tool_grammar.h"
#include "tests/engine/engine/tool_walks.h"
#include "tests/engine/grammar/random_schemas.h"
#include "tests/engine/grammar/slow_schema_checker.h"

using namespace quire;
using namespace quire::test;

/// Grammars of tool calls: what they allow is read back as calls of the tools.
class TestToolGrammar : public QObject {
  Q_OBJECT

 private slots:
  void requiredCalls_areValid_data() { add_families(); }
  void requiredCalls_areValid();
  void strictCalls_areValid_withTextAround_data() { add_families(); }
  void strictCalls_areValid_withTextAround();
  void masks_holdWhatMayFollow_data() { add_families(); }
  void masks_holdWhatMayFollow();
  void oneTool_isCalledOnce();
  void text_mayHoldAllButMarks();
  void familiesInTags_areRefused_data();
  void familiesInTags_areRefused();
  void badTools_areNamed_data();
  void badTools_areNamed();

 private:
  static void add_families();
};

namespace {

constexpr const char* kTools = R"([
    {"type": "function", "function": {"name": "get_weather", "strict": true, "parameters": {
      "type": "object", "properties": {"city": {"type": "string", "maxLength": 6},
      "unit": {"enum": ["celsius", "kelvin"]}, "days": {"type": "integer", "minimum": 1,
      "maximum": 9}}, "required": ["city", "unit"], "additionalProperties": false}}},
    {"type": "function", "function": {"name": "get", "strict": true}},
    {"type": "function", "function": {"name": "note", "parameters": {"type": "object",
      "properties": {"list": {"type": "array", "items": {"type": "boolean"}, "maxItems": 3}},
      "required": ["list"]}}}])";

/// The calls must be of these tools; with `strict_only` the arguments of others may be anything.
void check_calls(const WalkedAnswer& answer, const std::string& tools, bool strict_only) {
  const auto list = nlohmann::json::parse(tools);
  for (const ToolCall& call : answer.calls) {
    const auto is_called = [&](const auto& tool) { return tool["function"]["name"] == call.name; };
    const auto tool = std::ranges::find_if(list, is_called);
    QVERIFY2(tool != list.end(), call.name.c_str());
    const auto& function = (*tool)["function"];
    if (strict_only && !function.value("strict", false)) continue;
    const auto arguments = nlohmann::json::parse(call.arguments);
    const auto schema = function.value(
        "parameters",
        nlohmann::json{{"properties", nlohmann::json::object()}, {"maxProperties", 0}});
    QVERIFY2(arguments.is_object() && is_valid(arguments, schema, schema), call.arguments.c_str());
    QVERIFY(function.contains("parameters") || arguments.empty());
  }
}

}  // namespace

void TestToolGrammar::add_families() {
  QTest::addColumn<ToolFamily>("family");
  for (const ToolFamily& family : tool_families()) {
    QTest::newRow(family.name.c_str()) << family;
  }
}

void TestToolGrammar::requiredCalls_areValid() {
  QFETCH(ToolFamily, family);
  const FamilyModel model(family);
  RandomSchemas schemas(7);
  std::mt19937 random(11);
  int finished = 0, compiled = 0;
  for (int i = 0; i < 40; ++i) {
    std::string tools = kTools;
    if (i > 0) {
      nlohmann::ordered_json inner = schemas.next();
      nlohmann::ordered_json schema = {{"type", "object"}, {"$defs", inner["$defs"]}};
      inner.erase("$defs");
      schema["properties"] = {{"x", inner}, {"y", {{"type", "boolean"}}}};
      schema["required"] = {"x"};
      nlohmann::ordered_json list = nlohmann::ordered_json::parse(kTools);
      list.push_back(
          {{"type", "function"}, {"function", {{"name", "random"}, {"parameters", schema}}}});
      tools = list.dump();
    }
    const auto grammar = model.grammar(tools, {.is_required = true});
    if (!grammar) {
      QVERIFY2(grammar.error().message.starts_with("The tool \"random\": "),
               grammar.error().message.c_str());
      continue;
    }
    ++compiled;
    for (int n = 0; n < 4; ++n) {
      const auto answer = model.walk(**grammar, tools, random);
      if (!answer) continue;
      ++finished;
      QVERIFY2(!answer->calls.empty() && answer->text.empty(), answer->all.c_str());
      check_calls(*answer, tools, false);
      if (QTest::currentTestFailed()) return;
    }
  }
  QVERIFY2(compiled > 20 && finished > compiled / 2,
           qPrintable(QString("%1 of %2").arg(finished).arg(compiled)));
}

void TestToolGrammar::strictCalls_areValid_withTextAround() {
  QFETCH(ToolFamily, family);
  const FamilyModel model(family);
  const auto grammar = model.grammar(kTools, {});
  QVERIFY2(grammar, grammar ? "" : grammar.error().message.c_str());
  std::mt19937 random(3);
  int with_calls = 0, with_text = 0;
  for (int i = 0; i < 150; ++i) {
    const auto answer = model.walk(**grammar, kTools, random);
    if (!answer) continue;
    with_calls += answer->calls.empty() ? 0 : 1;
    with_text += answer->text.empty() ? 0 : 1;
    check_calls(*answer, kTools, true);
    if (QTest::currentTestFailed()) return;
    QCOMPARE(answer->num_marks, size_t{0});
  }
  QVERIFY2(with_calls > 3 && with_text > 3,
           qPrintable(QString("%1 with calls, %2 with text").arg(with_calls).arg(with_text)));
}

void TestToolGrammar::masks_holdWhatMayFollow() {
  QFETCH(ToolFamily, family);
  const FamilyModel model(family);
  std::mt19937 random(5);
  for (const bool is_required : {true, false}) {
    const auto grammar = model.grammar(kTools, {.is_required = is_required});
    int checked = 0;
    for (int walk = 0; walk < 5; ++walk) {
      GrammarState state = (*grammar)->start();
      for (int step = 0; step < 90 && !state.is_finished(); ++step, ++checked) {
        const auto mask = (*grammar)->mask(state);
        for (TokenId id = 0; id < model.tokenizer().vocab_size(); ++id) {
          const bool fits = !(*grammar)->next(state, id).is_broken();
          const bool ends = id == model.tokenizer().end_token() && state.is_complete();
          QVERIFY2(has_token(*mask, id) == (fits || ends), qPrintable(QString::number(id)));
        }
        const auto token = model.choose(*mask, random);
        if (!token) break;
        state = (*grammar)->next(state, *token);
        QVERIFY(!state.is_broken());
      }
    }
    QVERIFY(checked > 50);
  }
}

void TestToolGrammar::oneTool_isCalledOnce() {
  std::mt19937 random(9);
  for (const ToolFamily& family : tool_families()) {
    const FamilyModel model(family);
    const auto grammar =
        model.grammar(kTools, {.is_required = true, .name = "get", .allows_more = false});
    int finished = 0;
    for (int i = 0; i < 20; ++i) {
      const auto answer = model.walk(**grammar, kTools, random);
      if (!answer) continue;
      ++finished;
      QCOMPARE(answer->calls.size(), size_t{1});
      QCOMPARE(answer->calls.front().name, std::string("get"));
      QCOMPARE(answer->calls.front().arguments, std::string("{}"));
    }
    QVERIFY2(finished > 5, family.name.c_str());
  }
}

void TestToolGrammar::text_mayHoldAllButMarks() {
  const FamilyModel model(tool_families().front());
  const auto grammar = model.grammar(kTools, {});
  const auto after = [&](std::string_view text) {
    GrammarState state = (*grammar)->start();
    for (const char c : text) state = (*grammar)->next(state, static_cast<uint8_t>(c));
    return state;
  };
  QVERIFY(after("a < b, <tool_cal <<tool_call {} \xff").is_complete());
  QVERIFY(after("x <tool_call").is_complete());
  QVERIFY(!after("x <tool_call>").is_complete() && !after("x <tool_call>").is_broken());
  QVERIFY(after("x <<tool_call>no").is_broken());
  QVERIFY(after("<tool_call>{\"name\": \"get\", \"arguments\": {}}</tool_call> So.").is_complete());
  QVERIFY(after("<tool_call>{\"name\": \"other\"").is_broken());
}

void TestToolGrammar::familiesInTags_areRefused_data() {
  QTest::addColumn<QString>("source");
  QTest::addColumn<QString>("words");
  QTest::newRow("Qwen3-Coder") << "<function="
                               << "Qwen3-Coder";
  QTest::newRow("GLM") << "<tool_call><arg_key>"
                       << "GLM";
  QTest::newRow("none") << "{{ tools }}"
                        << "unknown";
}

void TestToolGrammar::familiesInTags_areRefused() {
  QFETCH(QString, source);
  QFETCH(QString, words);
  const auto checked = check_tool_grammar(source.toStdString());
  QVERIFY(!checked);
  QVERIFY2(checked.error().message.find(words.toStdString()) != std::string::npos,
           checked.error().message.c_str());
}

void TestToolGrammar::badTools_areNamed_data() {
  QTest::addColumn<QString>("tool");
  QTest::addColumn<QString>("words");
  const auto row = [](const char* name, const char* tool, const char* words) {
    QTest::newRow(name) << QString(tool) << QString(words);
  };
  row("keyword", R"({"name": "f", "parameters": {"type": "object", "minProperties": 1}})",
      "The tool \"f\": The keyword \"minProperties\" at #");
  row("no object", R"({"name": "f", "parameters": {"type": "array"}})",
      "other values than objects");
  row("impossible", R"({"name": "f", "parameters": {"type": "object", "properties": {"a": false},
      "required": ["a"]}})",
      "The tool \"f\": The schema describes no value: false at #/properties/a");
  row("name", R"({"name": "a b"})", "Its name cannot be written");
  row("none", R"({"names": "f"})", "no tool");
}

void TestToolGrammar::badTools_areNamed() {
  QFETCH(QString, tool);
  QFETCH(QString, words);
  const FamilyModel model(tool_families().front());
  const std::string tools = R"([{"type": "function", "function": )" + tool.toStdString() + "}]";
  const auto grammar = model.grammar(tools, {.is_required = true});
  QVERIFY(!grammar);
  QVERIFY2(grammar.error().message.find(words.toStdString()) != std::string::npos,
           grammar.error().message.c_str());
}

QTEST_APPLESS_MAIN(TestToolGrammar)
#include "tst_tool_grammar.moc"
