#include <sys/resource.h>

#include <QtTest>
#include <bit>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "engine/template/chat_template.h"
#include "engine/template/parser.h"
#include "tests/support/sanitizers.h"
#include "tests/support/thread_time.h"

using namespace quire;
using quire::test::thread_ms;

namespace {

/// Compiling and rendering a template that asks for as much work as it can.
constexpr double kMostMs = 5000;
constexpr int kMany = 50'000;

std::string repeated(const std::string& part, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += part;
  return out;
}

/// The part many times, each # in it replaced by their number, joined by commas.
std::string listed(const std::string& part, int count = kMany) {
  std::string out;
  for (int i = 0; i < count; ++i) {
    if (i > 0) out += ',';
    for (const char c : part) out += c == '#' ? std::to_string(i) : std::string(1, c);
  }
  return out;
}

std::string loop(const std::string& body) {
  return "{% for i in range(99999) %}" + body + "{% endfor %}";
}

/// Numbers whose hashes share one place of a table of 85,229, by the standard library's hash of
/// doubles (Murmur's, which can be inverted) as it is without a seed.
std::string colliding_numbers(int count) {
  constexpr uint64_t kMix = 0xc6a4a7935bd1e995, kSeed = 0xc70f6907, kPlaces = 85'229;
  uint64_t inverse = kMix;  // Of kMix, modulo 2^64; each round doubles the correct bits.
  for (int i = 0; i < 6; ++i) inverse *= 2 - kMix * inverse;
  const auto unshifted = [](uint64_t x) { return x ^ (x >> 47); };
  std::string all;
  for (uint64_t i = 0; count > 0; ++i) {
    const uint64_t spread = i * kPlaces * 2'654'435'761;
    uint64_t key = unshifted(spread - spread % kPlaces) * inverse;
    key = unshifted(key) * inverse ^ kSeed ^ (8 * kMix);
    key = unshifted(key * inverse) * inverse;
    const uint64_t exponent = key >> 52;  // With the sign.
    if (exponent < 2 || exponent >= 0x7ff) continue;
    char text[40];
    std::snprintf(text, sizeof text, "%.17e:1,", std::bit_cast<double>(key));
    all += text;
    --count;
  }
  return all;
}

int64_t peak_mb() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss / 1024;
}

}  // namespace

/// A template can take neither long nor much memory, to compile or to render, whatever it says.
/// Measured is the thread's processor time, so that a busy machine fails nothing.
class TestTemplateBudgets : public QObject {
  Q_OBJECT

 private slots:
  void work_isBounded_data() {
    QTest::addColumn<QByteArray>("source");
    const auto row = [](const char* name, const std::string& source) {
      QTest::newRow(name) << QByteArray::fromStdString(source);
    };
    const std::string long_text = "{% set t = 'a' * 8000000 %}";
    row("dict literal", "{{ {" + listed("'k#':#") + "}|length }}");
    row("dict literal, one key", "{{ {" + listed("'k':#") + "}|length }}");
    row("dict literal, tuples", "{{ {" + listed("(#,#):1") + "}|length }}");
    row("dict literal, mixed", "{{ {" + listed("#.5:1,'#':2", kMany / 2) + "}|length }}");
    row("floats that collide", "{% set d = {" + colliding_numbers(72'000) + "0:1} %}x");
    row("dict()", "{{ dict(" + listed("k#=#") + ")|length }}");
    row("dict() of pairs",
        "{% set p = range(99999)|list %}{{ dict([" + listed("('k#',#)") + "])|length }}");
    row("dict() again and again",
        "{% set d = {" + listed("'k#':#") + "} %}" + loop("{% set x = dict(d, a=1) %}"));
    row("namespace()", "{{ namespace(" + listed("k#=#") + ") }}");
    row(
        "namespace attributes", "{% set n = namespace() %}" + [] {
          std::string sets;
          for (int i = 0; i < kMany; ++i) sets += "{% set n.a" + std::to_string(i) + "=1 %}";
          return sets;
        }());
    row("namespace reads",
        "{% set n = namespace(" + listed("k#=#") + ") %}" + loop("{% set x = n.k49999 %}"));
    row("macro parameters",
        "{% macro f(" + listed("a#") + ") %}{% endmacro %}{{ f(" + listed("#") + ") }}");
    row("macro defaults", "{% macro f(" + listed("a#=#") + ") %}{% endmacro %}{{ f() }}");
    row("macro named arguments",
        "{% macro f(" + listed("a#") + ") %}{% endmacro %}{{ f(" + listed("a#=#") + ") }}");
    row("unknown named arguments", "{% macro f(a) %}{% endmacro %}{{ f(" + listed("b#=#") + ") }}");
    row("named arguments of a filter", "{{ 'a'|replace(" + listed("b#=#") + ") }}");
    row("named arguments that fail", "{{ dict(" + listed("b#=x+1") + ") }}");
    row("positional arguments", "{{ range(" + listed("#") + ") }}");
    row("many macros", [] {
      std::string macros;
      for (int i = 0; i < kMany; ++i)
        macros += "{% macro f" + std::to_string(i) + "() %}{% endmacro %}";
      return macros;
    }());
    row("many variables", [] {
      std::string sets;
      for (int i = 0; i < kMany; ++i) sets += "{% set a" + std::to_string(i) + "=1 %}";
      return sets;
    }());
    row("unpacked", "{% set " + listed("a#") + " = range(50000) %}");
    row("macro in a loop", "{% macro f(" + listed("a#") + ") %}{% endmacro %}" + loop("{{ f() }}"));
    row("characters", long_text + "{% for c in t %}{% endfor %}");
    row("characters kept", long_text + "{{ t|list|length }}");
    row("characters of a list", long_text + "{{ t|list|map('upper')|join|length }}");
    row("words", "{% set t = 'a ' * 8000000 %}{{ t.split()|length }}");
    row("words again and again", "{% set t = 'a ' * 8000000 %}" + loop("{% set x = t.split() %}"));
    row("pieces", "{% set t = 'a,' * 4000000 %}{{ t.split(',')|length }}");
    row("last pieces",
        "{% set t = 'a,' * 4000000 %}{{ t.rsplit('aaaaaaaaaaaaaaaaaaaaaaaa')|length "
        "}}" +
            loop("{% set x = t.rsplit(',a,a,a,a,a,a,a,a,a,a,a,') %}"));
    row("lines", "{% set t = '\n' * 8000000 %}{{ t.splitlines()|length }}");
    row("indented", "{% set t = 'a\n' * 800000 %}{{ t|indent(20)|length }}");
    row("indented again",
        "{% set t = '\n' * 800000 %}" + loop("{% set x = t|indent(1000, true, true) %}"));
    row("numbers", long_text + loop("{% set x = t|int %}"));
    row("floats", long_text + loop("{% set x = t|float %}"));
    row("lengths", long_text + loop("{% set x = t|length %}"));
    row("beginnings",
        long_text + "{% set u = 'a' * 7999999 %}" + loop("{% set x = t.startswith(u) %}"));
    row("many beginnings", long_text + "{% set u = ('a' * 7999999 ~ 'b',) * 9999 %}" +
                               loop("{% set x = t.endswith(u) %}"));
    row("prefixes", long_text + loop("{% set x = t.removeprefix(t ~ 'b') %}"));
    row("counts of nothing", long_text + loop("{% set x = t.count('') %}"));
    row("last places", long_text + loop("{% set x = t.rfind('') %}"));
    row("places", long_text + loop("{% set x = t.find('aaaaaaaaaaaaaaab') %}"));
    row("long needles", long_text + loop("{% set x = t.find(t) %}"));
    row("replaced by nothing", long_text + loop("{% set x = t|replace('', '') %}"));
    row("slices", long_text + loop("{% set x = t[1:2] %}"));
    row("backwards", long_text + loop("{% set x = t[::-1] %}"));
    row("items of a text", long_text + loop("{% set x = t[7999999] %}"));
    row("stripped", long_text + loop("{% set x = t.strip('a') %}"));
    row("of many characters", long_text + loop("{% set x = 'b'.strip(t) %}"));
    row("upper case", long_text + loop("{% set x = t|upper|title|capitalize %}"));
    row("joined", long_text + loop("{% set x = [t, t]|join %}"));
    row("repeated", loop("{% set x = 'ab' * 8000000 %}"));
    row("escaped", "{% set t = '\"' * 8000000 %}" + loop("{% set x = t|tojson %}"));
    row("escaped as HTML", "{% set t = '<' * 4000000 %}" + loop("{% set x = t|e %}"));
    row("printed", "{% set t = '\\n' * 7000000 %}" + loop("{% set x = [t]|string %}"));
    row("separators", long_text + loop("{% set x = {}|tojson(separators=(t, t)) %}"));
    row("indents", long_text + loop("{% set x = {}|tojson(indent=t) %}"));
    row("keys sorted", "{% set d = {" + listed("'k#':#") + "} %}" +
                           loop("{% set x = d|tojson(sort_keys=true) %}"));
    row("dict sorted",
        "{% set d = {" + listed("'k#':#") + "} %}" + loop("{% set x = d|dictsort %}"));
    row("items", "{% set d = {" + listed("'k#':#") + "} %}" + loop("{% set x = d.items()|list %}"));
    row("sorted by many", "{{ range(99999)|sort(attribute='" + listed("a") + "') }}");
    row("sorted long texts",
        "{% set t = ['a' * 7000000, 'a' * 7000000 ~ 'b'] * 9999 %}{{ t|sort|length }}");
    row("unique", "{{ range(99999)|map('string')|unique|list|length }}");
    row("a long path", "{{ [{}]|map(attribute='" + repeated("a.", kMany) + "a')|list }}");
    row("missing names", loop(loop("{% set x = {}['" + std::string(200, 'a') + "'] %}")));
    row("methods", loop(loop("{% set x = ''.upper %}")));
    row("selected", loop("{% set x = range(99999)|select('odd')|reject('even')|list %}"));
    row("maps of maps",
        "{% set l = [[[[[1] * 20] * 20] * 20] * 20] * 20 %}{{ l|map('map', 'map', 'map', "
        "'list')|list|string|length }}");
    row("added lists", "{% set n = namespace(l=[]) %}" + loop("{% set n.l = n.l + [i] %}"));
    row("copied lists", "{% set l = [0] * 1000000 %}" + loop("{% set x = l|list %}"));
    row("copied, all kept",
        "{% set n = namespace(l=[0] * 1000000) %}" + loop("{% set n.l = [n.l|list, n.l] %}"));
    row("texts kept",
        "{% set n = namespace(l=[]) %}" + loop("{% set n.l = [n.l, 'a' * 1000000] %}"));
    row("ranges in texts",
        "{% set t = (messages[0].content[0] ~ 'x') * 8000000 %}" + loop("{% set x = t ~ 'a' %}"));
    const std::string long_name(1 << 20, 'n');
    row("long macro name in a loop", loop("{% macro " + long_name + "() %}{% endmacro %}"));
    row("long attribute in a loop",
        loop("{% set s = namespace() %}{% set s." + long_name + " = 1 %}"));
    row("long argument of namespace() in a loop",
        loop("{% set s = namespace(" + long_name + "=1) %}"));
    row("many small scopes",
        "{% macro m(a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q) %}{% endmacro %}" + loop(loop("{{ m() }}")));
    row("slice beside full limits", [] {
      std::string all = "{% set big = [" + repeated("1,", 78'000) + "1] %}{% set k = 'x' * 1000 %}";
      for (int i = 0; i < 7; ++i) all += "{% set t" + std::to_string(i) + " = k * 15990 %}";
      return all +
             "{% for i in range(30) %}{% set x = range(100000) %}{% endfor %}"
             "{{ t0[::2]|length }}{{ t0[::-2]|length }}";
    }());
    row("texts of nested macros",
        "{% set s = 'x' * 16000 %}{% set s = s * 1000 %}{% macro m(n) %}{{ s }}"
        "{% if n %}{{ m(n - 1)|length }}{% endif %}{% endmacro %}{{ m(150)|length }}");
    row("sums of nested macros", "{% macro m(n) %}{% if n %}{{ m(n - 1)|length" +
                                     repeated("+1", 70'000) +
                                     " }}{% endif %}{% endmacro %}{{ m(190) }}");
    row("arguments of nested macros", "{% macro m(n) %}{% if n %}{{ range(" +
                                          repeated("1,", 60'000) +
                                          "m(n - 1)) }}{% endif %}{% endmacro %}{{ m(190) }}");
    row("sorted by many, reversed",
        "{{ ([[1]] * 60000)|sort(reverse=true, attribute='" + repeated("0,", 32) + "0')|length }}");
    row("dates", loop("{% set x = strftime_now('%c' * 100000) %}"));
    row("joiners", "{% set j = joiner('a' * 1000000) %}" + loop("{% set x = j() %}"));
    row("recursive macros",
        "{% macro f(n) %}{% if n %}{{ f(n - 1) }}{{ f(n - 1) }}{% endif %}"
        "{% endmacro %}{{ f(99) }}");
    row("blocks", loop("{% set x %}" + std::string(1000, 'a') + "{% endset %}"));
    row("filter blocks", repeated("{% filter upper %}", 90) + std::string(99999, 'a') +
                             repeated("{% endfilter %}", 90));
  }
  void work_isBounded() {
    QFETCH(QByteArray, source);
    const std::string text = source.toStdString();
    const double begin = thread_ms();
    const auto compiled = ChatTemplate::compile(text);
    const double compiled_at = thread_ms();
    std::string says = compiled ? "" : compiled.error().message;
    if (compiled) {
      const auto rendered =
          compiled->render({{"messages", {{{"role", "user"}, {"content", "hi"}}}}});
      if (!rendered) says = rendered.error().message;
    }
    const double end = thread_ms();
    qInfo("compile %.0f ms, render %.0f ms, peak %lld MB: %s", compiled_at - begin,
          end - compiled_at, static_cast<long long>(peak_mb()), says.substr(0, 110).c_str());
    QVERIFY2(end - begin < kMostMs, qPrintable(QString::number(end - begin)));
  }

  void parserWork_isBounded_data() {
    QTest::addColumn<QByteArray>("source");
    const auto row = [](const char* name, const std::string& source) {
      QTest::newRow(name) << QByteArray::fromStdString(source);
    };
    row("operators", "{{ 0" + repeated("+", 4'000'000) + " }}");
    row("sums", "{{ 0" + repeated("+0", 2'000'000) + " }}");
    row("list", "{{ [" + repeated("0,", 2'000'000) + "] }}");
    row("empty lists", "{{ [" + repeated("[],", 1'300'000) + "] }}");
    row("printed", repeated("{{a}}", 800'000));
    row("comments", repeated("{##}", 1'000'000));
    row("texts", "{{ ''" + repeated("''", 2'000'000) + " }}");
    row("ifs", repeated("{%if a%}{%endif%}", 240'000));
    row("comparisons", "{{ 0" + repeated("<0", 2'000'000) + " }}");
    row("arguments", "{{ f(" + repeated("a=0,", 1'000'000) + ") }}");
    row("digits", "{{ " + repeated("01", 2'000'000) + " }}");
    row("exponents", "{{ " + repeated("1e1.", 1'000'000) + " }}");
    row("opened comments", repeated("{#", 2'000'000));
    row("white space", repeated("{%if a%} \n ", 300'000));
    row("stripped space", repeated("{{-a-}} \n ", 400'000));
    row("slices", "{{ a" + repeated("[:,:]", 800'000) + " }}");
  }
  void parserWork_isBounded() { work_isBounded(); }

  /// A slow machine may reach the limit of time before the one of memory.
  void parserWork_hasItsSentence() {
    const std::string source = "{{ [" + repeated("0,", 2'000'000) + "] }}";
    const auto compiled = ChatTemplate::compile(source);
    QVERIFY(!compiled && compiled.error().code == ErrorCode::kTemplate);
    const QString message = QString::fromStdString(compiled.error().message);
    QVERIFY2(message.contains("the template needs more than 64 MB of memory") ||
                 message.contains("the template takes more than 1000 ms of processor time"),
             qPrintable(message));
    const auto says = [](const std::string& text, const WorkBudget::Limits& limits) {
      WorkBudget budget(limits);
      const auto parsed = jinja::parse(text, 200, budget);
      return parsed ? QString() : QString::fromStdString(parsed.error().message);
    };
    const QString steps = says(source.substr(0, 400), {.steps = 100});
    QVERIFY2(steps.contains("the template takes more than 100 steps"), qPrintable(steps));
    const QString bytes = says(source, {.bytes = 2 << 20});
    QVERIFY2(bytes.contains("the template needs more than 2 MB of memory"), qPrintable(bytes));
  }

  /// Recursion keeps a text for each of its levels.
  void textsBeingBuilt_countAsLive_data() {
    QTest::addColumn<QByteArray>("first");
    QTest::addColumn<QByteArray>("open");
    QTest::addColumn<QByteArray>("middle");
    QTest::addColumn<QByteArray>("close");
    QTest::addColumn<QByteArray>("last");
    const auto row = [](const char* name, const char* first, const char* open, const char* middle,
                        const char* close, const char* last) {
      QTest::newRow(name) << QByteArray(first) << QByteArray(open) << QByteArray(middle)
                          << QByteArray(close) << QByteArray(last);
    };
    row("macro",
        "{% macro m(n) %}{{ s }}{% if n %}{{ m(n - 1)|length }}{% endif %}{% endmacro %}{{ m(0",
        "+1", ")|length", "", " }}");
    row("concatenation", "{{ ", "(s ~ ", "1", ")|length", " }}");
    row("filter block", "", "{% filter length %}{{ s }}", "", "{% endfilter %}", "");
  }
  void textsBeingBuilt_countAsLive() {
    QFETCH(QByteArray, first);
    QFETCH(QByteArray, open);
    QFETCH(QByteArray, middle);
    QFETCH(QByteArray, close);
    QFETCH(QByteArray, last);
    TemplateLimits limits;
    limits.max_output_bytes = 110'000;  // Eight of them may be alive.
    const auto rendered_of = [&](int levels) {
      const QByteArray source = "{% set s = 'x' * 100000 %}" + first + open.repeated(levels) +
                                middle + close.repeated(levels) + last;
      const auto compiled = ChatTemplate::compile(source.toStdString(), limits);
      return compiled ? compiled->render(nlohmann::ordered_json::object())
                      : Result<RenderedPrompt>(compiled.error());
    };
    const auto few = rendered_of(3);
    QVERIFY2(few, few ? "" : few.error().message.c_str());
    QCOMPARE(few->text(), "100006");
    const auto many = rendered_of(20);
    QVERIFY(!many);
    const QString message = QString::fromStdString(many.error().message);
    QVERIFY2(message.contains("110000 bytes of text"), qPrintable(message));
  }

  /// Steps are charged for the length of what is compared or hashed, not only for its number.
  void longNames_takeSteps_data() {
    QTest::addColumn<QByteArray>("begin");
    QTest::addColumn<QByteArray>("body");
    const auto row = [](const char* name, const std::string& begin, const std::string& body) {
      QTest::newRow(name) << QByteArray::fromStdString(begin) << QByteArray::fromStdString(body);
    };
    const std::string key = "{% set k = 'a' * 1000 %}{% set k = k * 1000 %}{% set q = k ~ 'z' %}";
    const std::string keys = listed("k~'#':1", 9);
    row("namespace", key + "{% set n = namespace({" + keys + "}) %}", "{% if n[q] %}{% endif %}");
    row("attribute of a dict", key + "{% set d = {" + keys + "} %}",
        "{% if d." + std::string(1'000'001, 'a') + " %}{% endif %}");
    row("hashed keys", key + "{% set d = {" + listed("#:1", 17) + "," + keys + "} %}",
        "{% set x = dict(d) %}");
    const std::string name(300'000, 'a');
    std::string sets;
    for (int i = 0; i < 4; ++i) sets += "{% set " + name + std::to_string(i) + " = 1 %}";
    row("variables", sets, "{% if " + name + "z %}{% endif %}");
  }
  void longNames_takeSteps() {
    QFETCH(QByteArray, begin);
    QFETCH(QByteArray, body);
    TemplateLimits limits;
    limits.max_steps = 2'000'000;
    limits.max_time = std::chrono::hours(1);
    const auto rendered_of = [&](int times) {
      const QByteArray source =
          begin + "{% for i in range(" + QByteArray::number(times) + ") %}" + body + "{% endfor %}";
      const auto compiled = ChatTemplate::compile(source.toStdString(), limits);
      return compiled ? compiled->render(nlohmann::ordered_json::object())
                      : Result<RenderedPrompt>(compiled.error());
    };
    const auto once = rendered_of(1);
    QVERIFY2(once, once ? "" : once.error().message.c_str());
    const auto often = rendered_of(200);
    QVERIFY(!often);
    const QString message = QString::fromStdString(often.error().message);
    QVERIFY2(message.contains("2000000 steps"), qPrintable(message));
  }

  /// By hash from some size on, with Python's rules: 1, 1.0 and true are one key.
  void dicts_ofManyKeysKeepTheirOrder() {
    const std::string many =
        listed("'k#':#", 50) + ",1:'a',1.0:'b',true:'c','k3':'d',(1,2):1,(1,2):2";
    for (const std::string& source : {"{{ {" + many + "} }}", "{{ dict({" + many + "}) }}"}) {
      const auto compiled = ChatTemplate::compile(source);
      QVERIFY(compiled);
      const auto rendered = compiled->render(nlohmann::ordered_json::object());
      QVERIFY2(rendered, rendered ? "" : rendered.error().message.c_str());
      const std::string text = rendered->text();
      QVERIFY2(text.starts_with("{'k0': 0, 'k1': 1, 'k2': 2, 'k3': 'd', 'k4': 4,"), text.c_str());
      QVERIFY2(text.ends_with("'k49': 49, 1: 'c', (1, 2): 2}"), text.c_str());
    }
    const auto named =
        ChatTemplate::compile("{{ dict({" + listed("'k#':#", 50) + "}, k7=1, z=2) }}");
    const auto rendered = named->render(nlohmann::ordered_json::object());
    QVERIFY(rendered && rendered->text().find("'k7': 1, 'k8'") != std::string::npos);
    QVERIFY(rendered->text().ends_with("'k49': 49, 'z': 2}"));
  }

  /// A text is searched in parts of 65,536 bytes: what lies over two of them is found too.
  void searches_findWhatLiesOverTwoParts() {
    const auto rendered_text = [](const std::string& source) {
      const auto compiled = ChatTemplate::compile(source);
      const auto rendered = compiled ? compiled->render(nlohmann::ordered_json::object())
                                     : Result<RenderedPrompt>(compiled.error());
      return rendered ? rendered->text() : rendered.error().message;
    };
    const std::string found =
        "{{ t.find('bcd') }} {{ t.rfind('bcd') }} {{ t.count('bcd') }} "
        "{{ 'bcd' in t }} {{ t.rfind('x') }}";
    for (const int at : {0, 65533, 65534, 65535, 65536, 131071, 131072}) {
      const std::string place = std::to_string(at);
      const std::string one = "{% set t = 'a' * " + place + " ~ 'bcd' ~ 'b' * 65535 %}";
      QCOMPARE(rendered_text(one + found), place + " " + place + " 1 True -1");
    }
    QCOMPARE(rendered_text("{% set t = 'bcd' * 50000 %}" + found), "0 149997 50000 True -1");
    QCOMPARE(rendered_text("{% set t = '' %}" + found + "{{ t.rfind('') }}"), "-1 -1 0 False -10");
  }

  /// The peak of the whole program, after all tests above.
  void memory_staysBounded() {
#ifdef QUIRE_IS_SANITIZED
    QSKIP("A sanitizer's own memory counts.");
#endif
    QVERIFY2(peak_mb() < 300, qPrintable(QString::number(peak_mb())));
  }
};

QTEST_APPLESS_MAIN(TestTemplateBudgets)
#include "tst_template_budgets.moc"
