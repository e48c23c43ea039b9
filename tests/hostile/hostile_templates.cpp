// Chat templates that are broken, endless or grow without bound.
#include "tests/hostile/hostile_folder.h"

namespace quire::test {
namespace {

constexpr const char* kKind = "template";

HostileFile& add(HostileFolder& to, const std::string& title, const std::string& source) {
  HostileFile& made = to.file(kKind, title + ".jinja", "line", source);
  return made.as(HostileUse::kTemplate).with((to.root() / kKind / "chat.json").string());
}

void addBroken(HostileFolder& to) {
  for (const auto& [title, source] :
       {std::pair("open-tag", "a\nb {% if"),
        std::pair("open-expression", "a\n{{ x"),
        std::pair("open-comment", "a\n{# x"),
        std::pair("open-text", "{{ 'abc }}"),
        std::pair("open-block", "{% for x in y %}\n"),
        std::pair("wrong-end", "{% if a %}\n{% endfor %}"),
        std::pair("end-of-nothing", "x\n{% endif %}"),
        std::pair("unknown-tag", "{% explode %}"),
        std::pair("unknown-filter", "{{ 'a'|explode }}"),
        std::pair("unknown-test", "{{ 'a' is explosive }}"),
        std::pair("include", "{% include '/etc/passwd' %}"),
        std::pair("import", "{% import 'x' as y %}"),
        std::pair("extends", "{% extends '/etc/passwd' %}"),
        std::pair("undefined", "{{ nobody.home }}"),
        std::pair("refusal", "{{ raise_exception('no\x1b[2J\u202e!') }}"),
        std::pair("class-chain", "{{ ''.__class__.__mro__[1].__subclasses__() }}"),
        std::pair("division-by-zero", "{{ 1 // 0 }}"),
        std::pair("modulo-zero", "{{ 1 % 0 }}"),
        std::pair("overflow", "{{ 9223372036854775807 + 1 }}"),
        std::pair("least-integer", "{{ (-9223372036854775807 - 1) // -1 }}"),
        std::pair("power", "{{ 9 ** 9 ** 9 }}"),
        std::pair("format", "{{ '%999999999d' % 1 }}"),
        std::pair("text-and-number", "{{ 'a' + 1 }}"),
        std::pair("call-of-a-number", "{{ 7() }}"),
        std::pair("slice-step-zero", "{{ 'abc'[::0] }}"),
        std::pair("escapes", "\x1b[2J{{ \x1b }}"),
        std::pair("open-and-wrong", "{{ ) }}")}) {
    add(to, title, source);
  }
  add(to, "no-utf-8", "{{ \xff\xfe }}").ends(HostileEnd::kEither);
  add(to, "nul", std::string("{{ \0 }}", 7));
  add(to, "long-number", "{{ " + std::string(1'000'000, '9') + " }}");
  add(to, "long-name", "{{ " + std::string(1'000'000, 'n') + " + 1 }}");
  add(to, "long-escape", "{{ '" + repeated("\\", 999'999) + " }}");
}

void addDeep(HostileFolder& to) {
  add(to, "parentheses", "{{ " + repeated("(", 200'000));
  add(to, "closed-parentheses", "{{ " + repeated("(", 5000) + "1" + repeated(")", 5000) + " }}");
  add(to, "brackets", "{{ " + repeated("[", 100'000));
  add(to, "dicts", "{{ " + repeated("{1:", 100'000));
  add(to, "nots", "{{ " + repeated("not ", 100'000) + "1 }}");
  add(to, "minuses", "{{ " + repeated("- ", 100'000) + "1 }}");
  add(to, "attributes", "{{ a" + repeated(".a", 100'000) + " }}");
  add(to, "subscripts", "{{ a" + repeated("[0]", 100'000) + " }}");
  add(to, "filters", "{{ 'a'" + repeated("|trim", 100'000) + " }}");
  add(to, "calls", "{{ a" + repeated("()", 100'000) + " }}");
  add(to, "ifs", repeated("{% if true %}", 20'000) + repeated("{% endif %}", 20'000));
  add(to, "elifs", "{% if 0 %}" + repeated("{% elif 0 %}", 100'000) + "{% endif %}")
      .ends(HostileEnd::kEither);
  add(to, "fors", repeated("{% for x in [1] %}", 20'000));
  add(to, "macros", repeated("{% macro f() %}", 20'000));
  add(to, "conditionals", "{{ 1" + repeated(" if 0 else 1", 100'000) + " }}");
  add(to, "sums", "{{ 0" + repeated(" + 1", 500'000) + " }}").ends(HostileEnd::kEither);
  add(to, "joins", "{{ ''" + repeated(" ~ 'a'", 500'000) + " }}").ends(HostileEnd::kEither);
  add(to, "comparisons", "{{ 0" + repeated(" < 1", 100'000) + " }}").ends(HostileEnd::kEither);
}

/// `count` of "a0=0, a1=0, ...".
std::string numbered(const char* before, const char* between, size_t count) {
  std::string all;
  for (size_t i = 0; i < count; ++i) {
    all += (i > 0 ? ", " : "") + std::string(before) + std::to_string(i) + between;
  }
  return all;
}

void addWide(HostileFolder& to) {
  const size_t many = 100'000;
  const auto wide = [&](const char* title, const std::string& source) {
    add(to, title, source).ends(HostileEnd::kEither).ofRow("E");
  };
  wide("E-macro-parameters", "{% macro f(" + numbered("a", "", many) + ") %}{% endmacro %}{{ f(" +
                                 numbered("", "", many) + ") }}");
  wide("E-macro-parameters-named", "{% macro f(" + numbered("a", "=0", many) +
                                       ") %}{% endmacro %}{{ f(" + numbered("a", "=1", many) +
                                       ") }}");
  wide("E-named-arguments", "{{ namespace(" + numbered("a", "=0", many) + ") }}");
  wide("E-named-arguments-of-dict", "{{ dict(" + numbered("a", "=0", many) + ")|length }}");
  wide("E-dict-literal", "{{ {" + numbered("", ": 0", many) + "}|length }}");
  wide("E-dict-literal-of-texts", "{{ {" + numbered("'a", "': 0", many) + "}|length }}");
  wide("E-list-literal", "{{ [" + numbered("", "", many) + "]|length }}");
  wide("E-many-names", repeated("{% set a = 1 %}", many) + "{{ a }}");
  std::string names;
  for (size_t i = 0; i < 50'000; ++i) names += "{% set a" + std::to_string(i) + " = 1 %}";
  wide("E-many-different-names", names);
  wide("E-many-expressions", repeated("{{ a }}", 500'000));
  wide("E-many-tags", repeated("{% if a %}{% endif %}", 180'000));
  add(to, "five-megabytes", std::string(5 << 20, 'x')).place = "bytes";
  add(to, "five-megabytes-of-tags", repeated("{{ a }}", 800'000)).place = "bytes";
  add(to, "F-sparse-3-gigabytes", "").ofRow("F").place = "bytes";
  makeSparse(to.files().back().path, uint64_t{3} << 30);
}

void addEndless(HostileFolder& to) {
  for (const auto& [title, source] : {
           std::pair("text-times-billion", "{{ 'a' * 1000000000 }}"),
           std::pair("list-times-billion", "{{ [0] * 1000000000 }}"),
           std::pair("range-of-billions", "{{ range(1000000000000)|list }}"),
           std::pair("range-negative-step", "{{ range(0, -1000000000000, -1)|list }}"),
           std::pair(
               "loops",
               "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}"),
           std::pair("loops-of-output",
                     "{% for i in range(99999) %}{{ 'abcdefghij' * 100 }}{% endfor %}"),
           std::pair("endless-macro", "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}"),
           std::pair("two-macros",
                     "{% macro f() %}{{ g() }}{% endmacro %}{% macro g() %}{{ f() }}{% endmacro "
                     "%}{{ f() }}"),
           std::pair("exponential-macro",
                     "{% macro f(n) %}{% if n %}{{ f(n - 1) }}{{ f(n - 1) }}{% endif %}{% endmacro "
                     "%}{{ f(60) }}"),
           std::pair("doubling-text",
                     "{% set n = namespace(s='ab') %}{% for i in range(99) %}{% set n.s = n.s + "
                     "n.s %}{% endfor %}"),
           std::pair("doubling-list",
                     "{% set n = namespace(l=[1]) %}{% for i in range(99) %}{% set n.l = n.l + n.l "
                     "%}{% endfor %}"),
           std::pair("shared-lists",
                     "{% set n = namespace(l=[1]) %}{% for i in range(99) %}{% set n.l = [n.l, "
                     "n.l] %}{% endfor %}{{ n.l }}"),
           std::pair("shared-lists-as-json",
                     "{% set n = namespace(l=[1]) %}{% for i in range(60) %}{% set n.l = [n.l, "
                     "n.l] %}{% endfor %}{{ n.l|tojson }}"),
           std::pair("shared-lists-compared",
                     "{% set n = namespace(l=[1], m=[1]) %}{% for i in range(60) %}{% set n.l = "
                     "[n.l, n.l] %}{% set n.m = [n.m, n.m] %}{% endfor %}{{ n.l == n.m }}"),
           std::pair("nested-lists",
                     "{% set n = namespace(l=[]) %}{% for i in range(9999) %}{% set n.l = [n.l] "
                     "%}{% endfor %}{{ n.l }}"),
           std::pair("growing-replace", "{{ ('a' * 100000).replace('a', 'b' * 100000) }}"),
           std::pair("growing-replace-again",
                     "{% set n = namespace(s='a') %}{% for i in range(60) %}{% set n.s = "
                     "n.s|replace('a', 'aa') %}{% endfor %}"),
           std::pair("growing-join", "{% set x = ('ab' * 1000)|list %}{{ x|join('c' * 1000000) }}"),
           std::pair("wide-indent", "{{ ('a\n' * 10000)|indent(1000000000) }}"),
           std::pair("sorting",
                     "{% for i in range(99999) %}{% set x = range(99999)|sort %}{% endfor %}"),
           std::pair("searching",
                     "{% set a = 'a' * 8000000 %}{% for i in range(99999) %}{% set x = 'ab' in a "
                     "%}{% endfor %}"),
           std::pair("splitting",
                     "{% set a = 'a ' * 4000000 %}{% for i in range(9999) %}{% set x = a.split(' "
                     "') %}{% endfor %}"),
           std::pair("json-again",
                     "{% set a = [range(99999)|list] * 99 %}{% for i in range(999) %}{% set x = "
                     "a|tojson %}{% endfor %}"),
           std::pair("unique",
                     "{% for i in range(99) %}{% set x = range(99999)|unique|list %}{% endfor %}"),
           std::pair("map-of-map",
                     "{% for i in range(999) %}{% set x = "
                     "range(99999)|map('string')|map('length')|list %}{% endfor %}"),
           std::pair("long-texts-compared",
                     "{% set a = 'a' * 8000000 %}{% set b = 'a' * 8000000 %}{% for i in "
                     "range(99999) %}{% set x = a == b %}{% endfor %}"),
       }) {
    add(to, title, source);
  }
  for (const auto& [title, source] : {
           std::pair("namespace-cycle",
                     "{% set n = namespace() %}{% set n.self = n %}{{ n }}{{ n.self.self == n }}"),
           std::pair("namespace-cycle-as-json",
                     "{% set n = namespace() %}{% set n.l = [n] %}{{ n.l|tojson }}"),
           std::pair("namespace-cycle-compared",
                     "{% set n = namespace() %}{% set n.l = [n] %}{% set m = namespace() %}{% set "
                     "m.l = [m] %}{{ n.l == m.l }}"),
           std::pair("list-in-itself", "{% set x = [] %}{% set y = x.append(x) %}{{ x }}"),
           std::pair("dict-in-itself", "{% set x = {} %}{% set y = x.update({'a': x}) %}{{ x }}"),
           std::pair("output-of-escapes", "\x1b[2J\x1b]0;owned\7{{ messages }}"),
       }) {
    add(to, title, source).ends(HostileEnd::kEither);
  }
}

}  // namespace

void addTemplates(HostileFolder& to) {
  std::filesystem::create_directories(to.root() / kKind);
  writeFile(
      to.root() / kKind / "chat.json",
      R"({"messages": [{"role": "user", "content": "Hello"}], "add_generation_prompt": true})");
  addBroken(to);
  addDeep(to);
  addWide(to);
  addEndless(to);
}

}  // namespace quire::test
