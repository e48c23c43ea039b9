#include "tests/engine/grammar/grammar_cases.h"

#include <nlohmann/json.hpp>
#include <utility>

namespace quire::test {
namespace {

using Texts = std::vector<std::string>;

/// As JSON strings, whose contents the texts are.
Texts quoted(Texts texts) {
  for (std::string& text : texts) text = "\"" + text + "\"";
  return texts;
}

}  // namespace

std::vector<GrammarCase> schema_cases() {
  std::vector<GrammarCase> cases;
  const auto row = [&](const char* name, const char* schema, Texts allowed, Texts refused) {
    cases.push_back({name, schema, std::move(allowed), std::move(refused)});
  };
  row("any object", R"({"type": "object"})",
      {R"({})", R"({ })", R"({"a":1})", R"({"a": [1, -2.5e+3, true, null, {"b": "c"}]})", " {}",
       "\n{\n  \"a\": {\n    \"b\": []\n  }\n}", R"({"é\n\u00e9\"": "\\"})"},
      {"", "1", "[]", "{", R"({"a":1,})", R"({"a" :1})", R"({a:1})", "{}}", "{} ", "  {}",
       R"({"a":01})", R"({"a":1.})", R"({"a":"\x"})", R"({"a":"\ud800"})", "{\"a\":\"\n\"}",
       R"({"a":+1})", R"({"a":tru})", "{\"a\":\"\xff\"}", "{\"a\":\"\xc0\x80\"}"});
  row("any value", "{}", {"1", "\"a\"", "[]", "{}", "null"}, {"nul", "'a'"});
  row("true", "true", {"1", "[{}]"}, {});
  row("string", R"({"type": "string"})", {R"("")", R"("a b")", "\"\xf0\x9f\x98\x80\""},
      {"\"", "a", "\"\xf0\x9f\x98\"", "\"\xed\xa0\x80\"", "\"\xf4\x90\x80\x80\""});
  row("lengths", R"({"type": "string", "minLength": 2, "maxLength": 3})",
      {R"("ab")", R"("abc")", "\"é한\"", R"("\n\u0041")"},
      {R"("")", R"("a")", R"("abcd")", "\"é\"", "\"é한é한\""});
  row("no length", R"({"type": "string", "maxLength": 0})", {R"("")"}, {R"("a")"});
  row("integer", R"({"type": "integer"})", {"0", "-1", "120", "999999999999999999"},
      {"-0", "01", "1.0", "1e3", "1000000000000000000", "--1"});
  row("number", R"({"type": "number"})", {"0", "-0.5", "1e9", "1.25E-10", "0.000000000000000001"},
      {".5", "1.", "1e", "1e100", "0.0000000000000000001", "Infinity"});
  row("whole bounds", R"({"type": "integer", "minimum": -12, "maximum": 345})",
      {"-12", "-9", "-1", "0", "7", "99", "100", "345"}, {"-13", "-20", "-100", "346", "400"});
  row("positive", R"({"type": "integer", "exclusiveMinimum": 0, "exclusiveMaximum": 11})",
      {"1", "9", "10"}, {"0", "-1", "11", "12", "100"});
  row("of one length", R"({"type": "integer", "minimum": 234, "maximum": 271})",
      {"234", "239", "240", "269", "271"}, {"233", "272", "300", "199", "24", "2345"});
  row("bounds between", R"({"type": "integer", "minimum": 1.5, "maximum": 3.5})", {"2", "3"},
      {"1", "4"});
  row("a part", R"({"type": "number", "minimum": 0, "maximum": 1})",
      {"0", "0.5", "1", "0.999999999999999999"}, {"-0.1", "1.0", "1.1", "2", "5e-1"});
  row("above", R"({"type": "number", "exclusiveMinimum": 0, "maximum": 20})",
      {"0.01", "1", "19.9", "20"}, {"0", "0.0", "0.000", "20.1", "-1"});
  row("around zero", R"({"type": "number", "exclusiveMinimum": -2, "exclusiveMaximum": 3})",
      {"-1.9", "-1", "-0.5", "0", "2", "2.9"}, {"-2", "-2.1", "3", "3.0"});
  row("negative", R"({"type": "number", "minimum": -3, "exclusiveMaximum": -1})",
      {"-3", "-2.5", "-1.01"}, {"-1", "-1.0", "-3.1", "-4", "0", "-0.5"});
  row("constant", R"({"const": {"a": [1, "b"]}})", {R"({"a":[1,"b"]})"}, {R"({"a":[1]})", "1"});
  row("enum", R"({"enum": ["a", "ab", 1, 12, null, true]})",
      {R"("a")", R"("ab")", "1", "12", "null", "true"},
      {R"("b")", "2", "123", "false", R"("abc")"});
  row("enum with type", R"({"type": "string", "enum": ["x", 1]})", {R"("x")"}, {"1"});
  row("types", R"({"type": ["string", "null"], "maxLength": 1})", {R"("x")", "null"},
      {"1", R"("xy")"});
  row("anyOf", R"({"anyOf": [{"type": "integer"}, {"type": "boolean"}]})", {"1", "true", "false"},
      {"null", "1.5"});
  row("oneOf", R"({"oneOf": [{"type": "integer"}, {"type": "string"}]})", {"1", R"("1")"}, {"1.5"});
  row("oneOf with a mark",
      R"({"oneOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/b"}], "$defs": {
          "a": {"type": "object", "properties": {"k": {"const": "a"}}, "required": ["k"]},
          "b": {"type": "object", "properties": {"k": {"enum": ["b", 1]}}, "required": ["k"]}}})",
      {R"({"k":"a"})", R"({"k":"b"})", R"({"k":1})"}, {"{}", R"({"k":"c"})"});
  row("oneOf of values", R"({"oneOf": [{"enum": ["a", 1]}, {"const": "b"}]})",
      {R"("a")", R"("b")", "1"}, {"2"});
  row("properties",
      R"({"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "null"},
            "c": {"type": "boolean"}}, "required": ["b"]})",
      {R"({"b":null})", R"({"a":1,"b":null})", R"({"a": 1, "b": null, "c": true})",
       R"({"b":null,"c":false})"},
      {"{}", R"({"a":1})", R"({"b":1})", R"({"b":null,"a":1})", R"({"b":null,"d":1})",
       R"({"b":null,})", R"({,"b":null})", R"({"b":null,"b":null})", R"({"a":1 ,"b":null})"});
  row("no properties", R"({"type": "object", "properties": {}, "additionalProperties": false})",
      {"{}"}, {R"({"a":1})"});
  row("other properties",
      R"({"properties": {"ab": {"type": "integer"}}, "additionalProperties": {"type": "null"}})",
      {"{}", R"({"ab":1})", R"({"ab":1,"x":null})", R"({"a":null,"abc":null})", R"({"":null})"},
      {R"({"ab":null})", R"({"x":1})", R"({"x":null,"ab":1})", R"({"x":null,"ab":null})",
       R"({"\u0061b":null})"});
  row("required and not described", R"({"properties": {"a": {}}, "required": ["b"]})",
      {R"({"a":1,"b":[]})", R"({"b":1})"}, {R"({"a":1})", R"({"b":1,"c":1})"});
  row("items", R"({"type": "array", "items": {"type": "integer"}})", {"[]", "[1]", "[1, 2,3]"},
      {"[1,]", "[,1]", R"(["a"])", "[1 2]"});
  row("counts", R"({"type": "array", "items": {"type": "null"}, "minItems": 2, "maxItems": 3})",
      {"[null,null]", "[null, null, null]"}, {"[]", "[null]", "[null,null,null,null]"});
  row("at most none", R"({"type": "array", "maxItems": 0})", {"[]", "[ ]"}, {"[1]"});
  row("at least one", R"({"type": "array", "minItems": 1})", {"[1]", "[[],{}]"}, {"[]"});
  row("prefix", R"({"prefixItems": [{"type": "integer"}, {"type": "null"}]})",
      {"[]", "[1]", "[1,null]"}, {"[null]", "[1,null,1]", "[1,]"});
  row("prefix and more",
      R"({"prefixItems": [{"type": "integer"}], "items": {"type": "null"}, "minItems": 2,
            "maxItems": 3})",
      {"[1,null]", "[1,null,null]"}, {"[]", "[1]", "[1,1]", "[1,null,null,null]"});
  row("prefix cut", R"({"prefixItems": [{"type": "integer"}, {}], "maxItems": 1})", {"[]", "[1]"},
      {"[1,1]"});
  row("reference", R"({"$defs": {"a/b": {"type": "null"}}, "$ref": "#/$defs/a~1b"})", {"null"},
      {"1"});
  row("recursion",
      R"({"type": "object", "properties": {"next": {"anyOf": [{"$ref": "#"}, {"type": "null"}]}},
            "required": ["next"], "additionalProperties": false})",
      {R"({"next":null})", R"({"next":{"next":{"next":null}}})"},
      {"{}", R"({"next":1})", R"({"next":{}})"});
  row("allOf of one", R"({"allOf": [{"$ref": "#/$defs/x"}], "$defs": {"x": {"type": "null"}}})",
      {"null"}, {"1"});
  row("what nothing fits is left out", R"({"anyOf": [false, {"type": "null"}, {"items": false,
        "minItems": 1}]})",
      {"null"}, {"[]", "1"});
  row("annotations", R"({"type": "null", "title": "t", "description": "d", "default": 1,
        "examples": [1], "$comment": "c", "deprecated": true})",
      {"null"}, {"1"});
  return cases;
}

std::vector<GrammarCase> pattern_cases() {
  std::vector<GrammarCase> cases;
  const auto row = [&](const char* pattern, Texts allowed, Texts refused) {
    const nlohmann::json schema = {{"type", "string"}, {"pattern", pattern}};
    cases.push_back(
        {pattern, schema.dump(), quoted(std::move(allowed)), quoted(std::move(refused))});
  };
  row("^abc$", {"abc"}, {"ab", "abcd", "", "xabc"});
  row("b", {"b", "abc", "bb", "한b"}, {"", "ac"});
  row("^a", {"a", "ab"}, {"", "ba"});
  row("a$", {"a", "ba"}, {"", "ab"});
  row("^[A-Z]{2}-[0-9]{1,3}$", {"AB-1", "ZZ-999"}, {"A-1", "AB-", "AB-1234", "ab-1"});
  row("^(a|bc)*$", {"", "a", "bc", "abca"}, {"b", "c", "acb"});
  row("^(?:a|b)+c?$", {"a", "abac"}, {"", "c", "acc"});
  row("^a{2,}$", {"aa", "aaaaa"}, {"a", ""});
  row("^a{0}b$", {"b"}, {"ab"});
  row("^(a*)*$", {"", "aaa"}, {"b"});
  row("^((ab?)+x){2}$", {"axax", "abaxabx"}, {"ax", "axaxax"});
  row("^\\d+\\.\\d$", {"1.2", "12.3"}, {"1x2", ".1"});
  row("^[^a-c\"]$", {"d", "한", "-"}, {"a", "\\\""});
  row("^.$", {"x", "한", "\\\\", "\\\""}, {"", "ab", "\\n"});
  row("^[\\w-]+$", {"a_b-9"}, {"a b"});
  row("^\\s$", {" ", "\\n", "\\t"}, {"a"});
  row("^\\W$", {" ", "한"}, {"a", "_"});
  row("^\\x41\\u0042\\/$", {"AB/"}, {"A"});
  row("^끝$", {"끝"}, {"끝끝"});
  row("^[\\]\\-a]$", {"]", "-", "a"}, {"\\\\"});
  row("^a\\$$", {"a$"}, {"a"});
  row("^a+?$", {"a", "aa"}, {""});
  return cases;
}

std::vector<GrammarCase> format_cases() {
  std::vector<GrammarCase> cases;
  const auto row = [&](const char* format, Texts allowed, Texts refused) {
    const nlohmann::json schema = {{"format", format}};
    cases.push_back(
        {format, schema.dump(), quoted(std::move(allowed)), quoted(std::move(refused))});
  };
  row("date", {"2024-02-28", "1999-12-31", "2000-04-30"},
      {"2024-02-30", "2024-13-01", "2024-4-1", "2000-04-31"});
  row("time", {"23:59:59Z", "00:00:00.5+09:00"}, {"24:00:00Z", "12:00:00", "12:60:00Z"});
  row("date-time", {"2024-01-01T00:00:00Z"}, {"2024-01-01", "2024-01-01 00:00:00Z"});
  row("duration", {"P1D", "PT1H30M", "P3W", "P1DT5S"}, {"P", "PT", "1D", "P1H"});
  row("email", {"a.b@example.org"}, {"a@b", "a b@c.d"});
  row("hostname", {"a-b.example"}, {"-a", "a..b"});
  row("ipv4", {"0.10.199.255"}, {"1.2.3", "256.1.1.1"});
  row("ipv6", {"1:2:3:4:5:6:7:8"}, {"1:2", "g:2:3:4:5:6:7:8"});
  row("uuid", {"123e4567-e89b-12d3-a456-426614174000"}, {"123e4567"});
  return cases;
}

}  // namespace quire::test
