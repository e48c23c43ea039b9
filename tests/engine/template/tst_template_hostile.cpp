#include <QtTest>

#include <ctime>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <thread>

#include <nlohmann/json.hpp>

#include "engine/template/chat_template.h"
#include "engine/template/runtime.h"
#include "tests/support/sanitizers.h"

using quire::ChatTemplate;
using quire::RenderedPrompt;
using quire::TemplateLimits;

namespace {

const std::filesystem::path kConformance = QUIRE_SOURCE_DIR "/../shared/conformance/templates";
const std::filesystem::path kOwnCases = QUIRE_SOURCE_DIR "/tests/data/templates/cases.json";

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream content;
  content << file.rdbuf();
  return content.str();
}

nlohmann::ordered_json chat(const std::string& content) {
  return {{"messages", {{{"role", "user"}, {"name", "user"}, {"content", content}}}},
          {"bos_token", "<s>"}};
}

/// The error of compiling or rendering, empty where both succeed.
std::string error_of(const std::string& source, TemplateLimits limits = {}) {
  auto compiled = ChatTemplate::compile(source, limits);
  if (!compiled) return compiled.error().message;
  auto rendered = compiled->render(chat("hi"));
  return rendered ? std::string() : rendered.error().message;
}

/// Segments as text, what came from the input between guillemets.
std::string marked(const std::string& source, const std::string& content) {
  auto compiled = ChatTemplate::compile(source);
  if (!compiled) return compiled.error().message;
  auto rendered = compiled->render(chat(content));
  if (!rendered) return rendered.error().message;
  std::string out;
  for (const auto& segment : rendered->segments) {
    out += segment.is_input ? "«" + segment.text + "»" : segment.text;
  }
  return out;
}

std::string repeated(const std::string& text, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += text;
  return out;
}

/// Changes a template a little: bytes, pieces of it or of another.
std::string mutate(std::string text, const std::string& other, std::mt19937& random) {
  static const std::string kPieces[] = {"{{",         "}}",
                                        "{%",         "%}",
                                        "-",          "(",
                                        ")",          "[",
                                        "]",          "{",
                                        "'",          "\"",
                                        "|",          "\\",
                                        "9999999999", "**",
                                        "*",          "\xFF",
                                        "#}",         " for x in range(99999) ",
                                        "~",          "{% endfor %}",
                                        "loop"};
  const auto below = [&](size_t n) { return n == 0 ? size_t{0} : random() % n; };
  for (size_t edits = 1 + below(4); edits > 0; --edits) {
    const size_t at = below(text.size() + 1);
    switch (below(4)) {
      case 0:
        text.erase(at, below(12));
        break;
      case 1:
        text.insert(at, kPieces[below(std::size(kPieces))]);
        break;
      case 2:
        text.insert(at, text.substr(below(text.size() + 1), below(60)));
        break;
      default:
        text.insert(at, other.substr(below(other.size() + 1), below(80)));
        break;
    }
  }
  return text;
}

}  // namespace

/// Templates come with model files, so that they are as untrusted as those.
class TemplateHostile : public QObject {
  Q_OBJECT

 private slots:
  void methods_outliveTheTextThatNamedThem() {
    const auto compiled = ChatTemplate::compile(
        "{% set f = 'x'['upper_'[:5] ~ ''] %}{% for i in range(9) %}{{ 'y' ~ i }}{% endfor %}{{ f "
        "}}");
    QVERIFY(compiled.has_value());
    const auto rendered = compiled->render(nlohmann::ordered_json::object());
    QVERIFY(rendered.has_value());
    QVERIFY(rendered->text().ends_with("<function 'upper'>"));
  }

  void limits_stopHostileTemplates_data() {
    QTest::addColumn<QString>("source");
    const auto row = [](const char* name, const std::string& source) {
      QTest::newRow(name) << QString::fromStdString(source);
    };
    row("repeated text", "{{ 'a' * 1000000000 }}");
    row("repeated list", "{{ [0] * 1000000000 }}");
    row("long range", "{{ range(1000000000000) }}");
    row("wide indent", "{{ 'a\nb'|indent(1000000000) }}");
    row("integer overflow", "{{ 9223372036854775807 + 1 }}");
    row("least integer", "{{ (-9223372036854775807 - 1) // -1 }}");
    row("growing text",
        "{% set ns = namespace(s='ab') %}{% for i in range(99) %}"
        "{% set ns.s = ns.s + ns.s %}{% endfor %}");
    row("growing list",
        "{% set ns = namespace(l=[1]) %}{% for i in range(99) %}"
        "{% set ns.l = ns.l + ns.l %}{% endfor %}");
    row("growing replace", "{{ ('a' * 100000).replace('a', 'b' * 100000) }}");
    row("shared nesting",
        "{% set ns = namespace(l=[1]) %}{% for i in range(99) %}"
        "{% set ns.l = [ns.l, ns.l] %}{% endfor %}{{ ns.l }}");
    row("deep nesting",
        "{% set ns = namespace(l=[]) %}{% for i in range(9999) %}"
        "{% set ns.l = [ns.l] %}{% endfor %}");
    row("endless macro", "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}");
    row("many steps",
        "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}"
        "{% endfor %}");
    row("much output", "{% for i in range(99999) %}{{ 'abcdefghij' * 100 }}{% endfor %}");
    row("parentheses", "{{ " + repeated("(", 100000));
    row("closed parentheses", "{{ " + repeated("(", 5000) + "1" + repeated(")", 5000) + " }}");
    row("brackets", "{{ " + repeated("[", 5000) + repeated("]", 5000) + " }}");
    row("nots", "{{ " + repeated("not ", 100000) + "1 }}");
    row("minuses", "{{ " + repeated("- ", 100000) + "1 }}");
    row("attributes", "{{ a" + repeated(".a", 100000) + " }}");
    row("filters", "{{ 'a'" + repeated("|trim", 100000) + " }}");
    row("ifs", repeated("{% if true %}", 10000) + repeated("{% endif %}", 10000));
    row("conditionals", "{{ 1" + repeated(" if 0 else 1", 100000) + " }}");
    row("include", "{% include 'x' %}");
    row("multiplied text", "{% for i in range(99999) %}{% set x = 'a' * 16000000 %}{% endfor %}");
    row("multiplied list", "{% for i in range(99999) %}{% set x = [0] * 1000000 %}{% endfor %}");
    row("compared texts",
        "{% set a = 'a' * 8000000 %}{% set b = 'a' * 8000000 %}"
        "{% for i in range(99999) %}{% set x = a == b %}{% endfor %}");
    row("searched text",
        "{% set a = 'a' * 8000000 %}{% for i in range(99999) %}{% set x = 'ab' in a %}{% endfor "
        "%}");
    row("compared lists",
        "{% set a = [range(9999)|list] * 999 %}{% set b = [range(9999)|list] * 999 %}"
        "{% for i in range(99999) %}{% set x = a == b %}{% endfor %}");
    row("exponential macro",
        "{% macro f(n) %}{% if n %}{{ f(n - 1) }}{{ f(n - 1) }}{% endif %}{% endmacro %}"
        "{{ f(60) }}");
    row("exponential text",
        "{% macro f(n) %}{% if n %}{{ f(n - 1) * 2 }}x{% endif %}{% endmacro %}{{ f(60) }}");
    row("ranges", "{% for i in range(99999) %}{% set x = range(99999)|list %}{% endfor %}");
    row("sorted", "{% for i in range(99999) %}{% set x = range(99999)|sort %}{% endfor %}");
    row("large dict",
        "{% set ns = namespace(d=[]) %}{% for i in range(99999) %}"
        "{% set ns.d = ns.d + [(i, i)] %}{% set x = dict(ns.d) %}{% endfor %}");
    row("unique",
        "{{ range(99999)|map('string')|unique|list|length }}{{ range(99999)|unique|list }}"
        "{% for i in range(99) %}{% set x = range(99999)|unique|list %}{% endfor %}");
    row("printed lists",
        "{% set a = [range(99999)|list] * 99 %}{% for i in range(999) %}"
        "{% set x = a|string %}{{ a|tojson|length }}{% endfor %}");
    row("many variables",
        "{% for i in range(99999) %}{% set x = namespace() %}{% for j in range(999) %}"
        "{% set x.a = i ~ j %}{% endfor %}{% endfor %}");
  }

  void limits_stopHostileTemplates() {
    QFETCH(QString, source);
    const std::clock_t start = std::clock();
    QVERIFY(!error_of(source.toStdString()).empty());
    // A template is stopped after 800 ms, but only once the list or text at hand is complete;
    // the allowance is for that, on a slow machine. Without a limit they compute for minutes.
    const auto cpu_ms = (std::clock() - start) * 1000 / CLOCKS_PER_SEC;
    QVERIFY2(cpu_ms < 800 + 1200 * quire::test::kSanitizerFactor,
             qPrintable(QString("took %1 ms").arg(cpu_ms)));
  }

  void longChains_areNoNesting() {
    QCOMPARE(error_of("{{ 0" + repeated(" + 1", 20000) + " }}"), std::string());
    QCOMPARE(error_of("{{ ''" + repeated(" ~ 'a'", 20000) + " }}"), std::string());
    QCOMPARE(error_of("{{ 0" + repeated(" or 0", 20000) + " }}"), std::string());
  }

  void namespaceCycles_areFreed() {
    QCOMPARE(error_of("{% set ns = namespace() %}{% set ns.l = [ns] %}{{ ns.l }}"), std::string());
  }

  void timeLimit_isNamed() {
    TemplateLimits limits;
    limits.max_time = std::chrono::milliseconds(1);
    limits.max_steps = SIZE_MAX / 2;
    const std::string source =
        "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}";
    QVERIFY(error_of(source, limits).find("1 ms") != std::string::npos);
  }

  /// A thread that waits, on a machine that is busy or asleep, uses up no time.
  void timeLimit_countsOnlyTheThreadsWork() {
    TemplateLimits limits;
    limits.max_time = std::chrono::milliseconds(20);
    quire::jinja::Runtime runtime(limits, {});
    std::this_thread::sleep_for(std::chrono::milliseconds(60));
    QVERIFY2(runtime.charge(), runtime.error().c_str());
  }

  void errors_nameLineAndColumn() {
    QCOMPARE(error_of("a\n  {{ 안 + 1 }}"),
             std::string("Chat template, line 2, column 8: '안' is undefined, at: {{ 안 + 1 }}"));
    QCOMPARE(error_of("{{ 'é' }}\n{{ raise_exception('roles must alternate') }}"),
             std::string("The chat template refuses this conversation: roles must alternate "
                         "(line 2, column 19)"));
    QVERIFY(error_of("x\ny {% if %}").find("line 2, column 9") != std::string::npos);
  }

  void errors_sayWhatIsWrong_data() {
    QTest::addColumn<QString>("source");
    QTest::addColumn<QString>("expected");
    const auto row = [](const char* source, const char* expected) {
      QTest::newRow(source) << QString::fromUtf8(source) << QString::fromUtf8(expected);
    };
    row("{{ 'a' }", "column 8: '}' closes nothing that is open here, at: {{ 'a' }");
    row("{{ messages[0['role'] }}", "column 23: '}' stands where ']' is missing");
    row("{% for m in messages %}\n{% if m %}x\n{% endfor %}",
        "line 3, column 4: {% endfor %} stands where {% endif %} is missing, at: {% endfor %}");
    row("a{% endif %}", "{% endif %} belongs to nothing that is open here");
    row("{% if x %}a", "the template ends where endif is missing");
    row("{% do x %}", "{% do %} is no tag that chat templates have");
    row("{% include 'x' %}", "is one file and cannot use {% include %}");
    row("{{ x ? 1 : 2 }}", "column 6: the character '?' means nothing here");
    row("{{ message.content }}", "'message' is undefined, at: {{ message.content }}");
    row("{{ messages[0].text.strip() }}", "type dict has no attribute 'text'");
    row("{{ 'a'|upercase }}", "Quire has no filter 'upercase' for chat templates");
    row("{{ 'a' is textual }}", "Quire has no test 'textual' for chat templates");
    row("{{ messages|selectattr('role', 'equals', 'u')|list }}",
        "Quire has no test 'equals' for chat templates");
    row("{{ 'a' + 1 }}", "str and int (~ joins anything as text)");
    row("{{ raise_exception('no\x01\xFFsystem') }}",
        "The chat template refuses this conversation: no<U+0001><0xFF>system (line 1, column 19)");
  }

  void errors_sayWhatIsWrong() {
    QFETCH(QString, expected);
    // The bytes of the row's name: a QString would not keep those that are no UTF-8.
    const QString message = QString::fromStdString(error_of(QTest::currentDataTag()));
    QVERIFY2(message.contains(expected), qPrintable(message));
  }

  /// What Jinja has and chat templates do not use is refused by its name.
  void unsupportedFeatures_areNamed_data() {
    QTest::addColumn<QString>("expected");
    const auto row = [](const char* source, const char* expected) {
      QTest::newRow(source) << QString::fromUtf8(expected);
    };
    row("{{ 'a b'|wordwrap(3) }}", "no filter 'wordwrap'");
    row("{{ messages|groupby('role') }}", "no filter 'groupby'");
    row("{{ ['a']|map('center')|list }}", "no filter 'center'");
    row("{{ 'a' is upper }}", "no test 'upper'");
    row("{{ '%s' % 1 }}", "text cannot be formatted with %");
    row("{{ '{}'.format(1) }}", "type str has no attribute 'format'");
    row("{{ cycler(1) }}", "'cycler' is undefined");
    row("{% raw %}{{ ? }}{% endraw %}", "{% raw %} is not supported");
    row("{% with x = 1 %}{% endwith %}", "{% with %} is no tag that chat templates have");
    row("{% block b %}{% endblock %}", "{% block %} is no tag that chat templates have");
    row("{% call f() %}{% endcall %}", "{% call %} is no tag that chat templates have");
    row("{% for x in [] recursive %}{% endfor %}", "recursive loops are not supported");
    row("{{ range(*[1]) }}", "*args are not supported");
    row("{{ 2 ** 3 }}", "** is not supported");
    row("{{ '\\101' }}", "escape that is malformed or not supported");
    row("{% for x in [1] %}{{ loop.cycle(1) }}{% endfor %}", "has no attribute 'cycle'");
  }

  void unsupportedFeatures_areNamed() {
    QFETCH(QString, expected);
    const QString message = QString::fromStdString(error_of(QTest::currentDataTag()));
    QVERIFY2(message.contains(expected), qPrintable(message));
  }

  void errors_areOfModerateLength() {
    const std::string long_name = repeated("n", 100'000);
    QVERIFY(error_of("{{ " + long_name + " + 1 }}").size() < 1500);
    QVERIFY(error_of("{{ raise_exception('" + long_name + "') }}").size() < 1500);
  }

  void anyVariable_reachesTheTemplate() {
    auto compiled = ChatTemplate::compile(
        "{{ tools[0].function.name }} {{ documents[0]['title'] }} {{ enable_thinking }} "
        "{{ tools|tojson }}");
    QVERIFY(compiled.has_value());
    auto rendered = compiled->render({{"tools", {{{"function", {{"name", "f"}}}}}},
                                      {"documents", {{{"title", "T"}}}},
                                      {"enable_thinking", false}});
    QVERIFY(rendered.has_value());
    QCOMPARE(rendered->text(), std::string("f T False [{\"function\": {\"name\": \"f\"}}]"));
  }

  void invalidUtf8_isKept() {
    auto compiled = ChatTemplate::compile(
        "{{ messages[0].content|upper }}{{ messages[0].content[::-1]|length }}");
    QVERIFY(compiled.has_value());
    auto rendered = compiled->render(chat("a\xFF\xE2\x82z"));
    QVERIFY(rendered.has_value());
    QCOMPARE(rendered->text(), std::string("A\xFF\xE2\x82Z5"));
  }

  void segments_tellInputFromTemplate_data() {
    QTest::addColumn<QString>("source");
    QTest::addColumn<QString>("expected");
    const auto row = [](const char* name, const char* source, const char* expected) {
      QTest::newRow(name) << QString::fromUtf8(source) << QString::fromUtf8(expected);
    };
    row("printed", "<u>{{ messages[0].content }}</u>", "<u>« a<s>b »</u>");
    row("joined", "{{ '<u>' + messages[0]['content'] + '</u>' }}", "<u>« a<s>b »</u>");
    row("tilde", "{{ '<u>' ~ messages[0].content|trim ~ '</u>' }}", "<u>«a<s>b»</u>");
    row("a known role", "{{ '<|' + messages[0].role + '|>' }}", "<|user|>");
    row("special token", "{{ bos_token + messages[0].name }}", "<s>«user»");
    row("upper", "{{ ('x' ~ messages[0].content)|upper }}", "X« A<S>B »");
    row("replace", "{{ messages[0].content|replace('<s>', '<t>') }}", "« a»<t>«b »");
    row("split", "{{ messages[0].content.split('<')[1] }}", "«s>b »");
    row("slice", "{{ ('xy' ~ messages[0].content)[1:4] }}", "y« a»");
    row("reversed", "{{ ('xy' ~ messages[0].name)[::-1] }}", "«resu»yx");
    row("join", "{{ ['a', messages[0].name]|join('+') }}", "a+«user»");
    row("json", "{{ {'a': messages[0].name}|tojson }}", "«{\"a\": \"user\"}»");
    row("json of the template's", "{{ {'a': 1}|tojson }}", "{\"a\": 1}");
    row("repr", "{{ [messages[0].name] }}", "«['user']»");
    row("set block", "{% set x %}<{{ messages[0].name }}>{% endset %}{{ x }}", "<«user»>");
    row("macro", "{% macro f(x) %}<{{ x }}>{% endmacro %}{{ f(messages[0].name) }}", "<«user»>");
    row("keys", "{% for k in messages[0] %}{{ k }},{% endfor %}", "«role»,«name»,«content»,");
    row("characters", "{% for c in messages[0].name %}{{ c }}{% endfor %}", "«user»");
  }

  void segments_tellInputFromTemplate() {
    QFETCH(QString, source);
    QFETCH(QString, expected);
    QCOMPARE(QString::fromStdString(marked(source.toStdString(), " a<s>b ")), expected);
  }

  /// Whatever is done to a template, it compiles and renders within its limits or says why not.
  /// QUIRE_LONG_TESTS=1 tries many more.
  void mutatedTemplates_neverCrash() {
    const auto own = nlohmann::ordered_json::parse(read_file(kOwnCases));
    std::vector<std::string> sources;
    for (const auto& entry : own["cases"]) sources.push_back(entry["template"]);
    if (std::filesystem::exists(kConformance)) {
      for (const auto& entry : std::filesystem::directory_iterator(kConformance)) {
        if (entry.path().extension() == ".jinja") sources.push_back(read_file(entry.path()));
      }
    }
    std::sort(sources.begin(), sources.end());
    TemplateLimits limits;
    limits.max_steps = 200'000;
    limits.max_output_bytes = 1 << 20;
    limits.max_time = std::chrono::milliseconds(200);
    constexpr unsigned kSeed = 20261120;
    std::mt19937 random(kSeed);
    const int rounds = qEnvironmentVariableIsSet("QUIRE_LONG_TESTS") ? 100'000 : 600;
    int num_rendered = 0;
    for (int round = 0; round < rounds; ++round) {
      const std::string& other = sources[random() % sources.size()];
      const std::string source = mutate(sources[random() % sources.size()], other, random);
      auto compiled = ChatTemplate::compile(source, limits);
      if (!compiled) continue;
      auto rendered = compiled->render(own["input"]);
      if (!rendered) continue;
      ++num_rendered;
      QVERIFY2(rendered->text().size() <= limits.max_output_bytes, source.c_str());
      for (size_t i = 0; i < rendered->segments.size(); ++i) {
        QVERIFY(!rendered->segments[i].text.empty());
        QVERIFY(i == 0 || rendered->segments[i].is_input != rendered->segments[i - 1].is_input);
      }
    }
    qInfo("seed %u: %d of %d mutated templates rendered", kSeed, num_rendered, rounds);
    QVERIFY(num_rendered > 0);
  }
};

QTEST_APPLESS_MAIN(TemplateHostile)
#include "tst_template_hostile.moc"
