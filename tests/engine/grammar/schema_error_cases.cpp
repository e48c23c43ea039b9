#include "tests/engine/grammar/schema_error_cases.h"

namespace quire::test {
namespace {

std::string optional_properties(int count) {
  std::string properties;
  for (int i = 0; i < count; ++i) {
    properties += (i > 0 ? ",\"a" : "\"a") + std::to_string(i) + R"(":{})";
  }
  return R"({"properties":{)" + properties + "}}";
}

}  // namespace

std::vector<SchemaErrorCase> schema_error_cases() {
  std::vector<SchemaErrorCase> cases;
  const auto row = [&](const char* name, std::string schema, std::vector<std::string> words) {
    cases.push_back({name, std::move(schema), std::move(words)});
  };
  row("no JSON", "{\"a\": }", {"The schema is not JSON (column 7: "});
  row("keys twice", R"({"type": "null", "type": "null"})", {"schema"});
  row("no schema", "[]", {"#", "not an object"});
  row("unknown", R"({"properties": {"a": {"multipleOf": 2}}})", {"multipleOf", "#/properties/a"});
  row("unique", R"({"items": {"uniqueItems": true}})", {"uniqueItems", "#/items"});
  for (const char* keyword :
       {"not", "if", "patternProperties", "propertyNames", "minProperties", "dependentRequired",
        "contains", "unevaluatedProperties", "nullable"}) {
    row(keyword, R"({"anyOf": [{")" + std::string(keyword) + R"(": {}}]})", {keyword, "#/anyOf/0"});
  }
  row("together", R"({"anyOf": [{}], "type": "object"})", {"anyOf", "type", "together"});
  row("reference and more", R"({"$ref": "#/$defs/a", "minLength": 1, "$defs": {"a": {}}})",
      {"$ref", "minLength"});
  row("reference to nothing", R"({"$ref": "#/$defs/a"})", {"$ref", "does not lead"});
  row("reference elsewhere", R"({"$ref": "https://example.org/s.json"})", {"$ref"});
  row("reference no string", R"({"$ref": 1})", {"$ref"});
  row("reference to itself", R"({"$ref": "#"})", {"$ref", "refers to itself"});
  row("references in a ring",
      R"({"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}, "$ref": "#/$defs/a"})",
      {"refers to itself"});
  row("allOf", R"({"allOf": [{}, {}]})", {"allOf", "exactly one"});
  row("oneOf", R"({"oneOf": [{"type": "string"}, {"enum": [1, "a"]}]})", {"#/oneOf", "1 and 2"});
  row("oneOf of numbers", R"({"oneOf": [{"type": "number"}, {"type": "integer"}]})", {"#/oneOf"});
  row("type", R"({"type": "float"})", {"type", "#"});
  row("types", R"({"type": []})", {"type"});
  row("enum", R"({"enum": 1})", {"enum"});
  row("anyOf no list", R"({"anyOf": {}})", {"#/anyOf"});
  row("length", R"({"minLength": -1})", {"minLength", "whole number"});
  row("count", R"({"maxItems": 1.5})", {"maxItems"});
  row("bound", R"({"type": "number", "minimum": 0.5})", {"bound", "#"});
  row("bound no number", R"({"minimum": "1"})", {"minimum"});
  row("large bound", R"({"type": "integer", "maximum": 1e17})", {"bound"});
  row("items", R"({"items": [{}]})", {"prefixItems"});
  row("required", R"({"required": "a"})", {"#/required"});
  row("required and forbidden",
      R"({"properties": {}, "required": ["a"], "additionalProperties": false})",
      {"required", "\"a\"", "additionalProperties", "at # of"});
  row("format", R"({"format": "uri"})", {"format", "uri"});
  row("pattern and length", R"({"pattern": "a", "maxLength": 3})", {"pattern", "maxLength"});
  row("look ahead", R"({"pattern": "^(?=a)b"})", {"pattern", "(?"});
  row("back reference", R"({"pattern": "(a)\\1"})", {"back reference"});
  row("anchor inside", R"({"pattern": "a^b"})", {"beginning and end"});
  row("anchors and alternatives", R"({"pattern": "^a|b$"})", {"brackets"});
  row("open bracket", R"({"pattern": "(a"})", {"not closed"});
  row("bracket too many", "{\"pattern\": \"a)\"}", {"bracket too many"});
  row("class", R"({"pattern": "[a"})", {"class"});
  row("range", R"({"pattern": "[z-a]"})", {"range"});
  row("quantifier", R"({"pattern": "a{2,1}"})", {"quantifier"});
  row("many", R"({"pattern": "a{100000}"})", {"quantifier"});
  row("nothing", "false", {"describes no value"});
  row("nothing required", R"({"properties": {"a": false}, "required": ["a"]})",
      {"describes no value", "#/properties/a of"});
  row("no end", R"({"properties": {"a": {"$ref": "#"}}, "required": ["a"]})",
      {"describes no value"});
  row("lengths crossed", R"({"minLength": 2, "maxLength": 1})",
      {"describes no value", "minLength", "maxLength", "at # of"});
  row("counts crossed", R"({"minItems": 2, "maxItems": 1})",
      {"describes no value", "minItems", "maxItems"});
  row("more items than there are", R"({"prefixItems": [{}], "items": false, "minItems": 2})",
      {"describes no value", "minItems", "than there may be"});
  row("bounds crossed",
      R"({"properties": {"a": {"items": {"type": "integer", "minimum": 2, "maximum": 1},
          "minItems": 1}}, "required": ["a"]})",
      {"describes no value", "\"minimum\" and \"maximum\"", "#/properties/a/items of"});
  row("bounds that meet", R"({"type": "number", "exclusiveMinimum": 2, "maximum": 2})",
      {"describes no value", "\"exclusiveMinimum\" and \"maximum\""});
  row("empty enum", R"({"anyOf": [{"enum": []}, {"enum": []}]})",
      {"describes no value", "enum", "#/anyOf/0 of"});
  row("enum of other types", R"({"enum": ["a"], "type": "integer"})",
      {"describes no value", "enum", "type"});
  row("the part that is missing, not another one",
      R"({"properties": {"a": false, "b": {"const": 1, "type": "null"}}, "required": ["b"]})",
      {"describes no value", "const", "#/properties/b of"});
  row("optional properties", optional_properties(1500), {"too large", "262,144 ways", "optional"});
  return cases;
}

}  // namespace quire::test
