#include "tests/engine/grammar/schema_error_cases.h"

namespace quire::test {
namespace {

std::string times(int count, const std::string& text) {
  std::string all;
  for (int i = 0; i < count; ++i) all += text;
  return all;
}

/// `each` with numbers in place of "@", and commas between.
std::string numbered(int count, const std::string& each) {
  std::string all;
  for (int i = 0; i < count; ++i) {
    std::string one = each;
    for (size_t at = one.find('@'); at != one.npos; at = one.find('@')) {
      one.replace(at, 1, std::to_string(i));
    }
    all += (i > 0 ? "," : "") + one;
  }
  return all;
}

/// Definitions d0 to d`count`, each of which refers to the next one.
std::string chain(int count, const std::string& before, const std::string& after) {
  std::string all = R"({"$ref":"#/$defs/d0","$defs":{)";
  for (int i = 0; i < count; ++i) {
    const std::string next = R"({"$ref":"#/$defs/d)" + std::to_string(i + 1) + R"("})";
    all += "\"d" + std::to_string(i) + "\":" + before + next + after + ",";
  }
  return all + "\"d" + std::to_string(count) + R"(":{"type":"null"}}})";
}

/// A chain of references through a wide object, which is compared with many values.
std::string compared_chain() {
  std::string chain;
  for (int i = 0; i < 62; ++i) {
    chain += ",\"c" + std::to_string(i) + R"(":{"$ref":"#/$defs/c)" + std::to_string(i + 1) + "\"}";
  }
  return R"({"oneOf":[{"anyOf":[)" + numbered(700, R"({"$ref":"#/$defs/c0"})") + "]}," +
         numbered(30, R"({"const":1@})") + R"(],"$defs":{)" + numbered(1900, R"("xxxxxk@":1)") +
         chain + R"(,"c62":{"const":0}}})";
}

/// One part that 900 alternatives refer to, which are compared with 200 others.
std::string compared_enum() {
  return R"({"$defs":{"e":{"enum":[)" + times(14'499, "1,") + R"(1]}},"oneOf":[{"anyOf":[)" +
         numbered(900, R"({"$ref":"#/$defs/e"})") + "]}," + numbered(200, R"({"const":"x@"})") +
         "]}";
}

/// Two long enums, of which no value of one is a value of the other.
std::string compared_enums() {
  return R"({"oneOf":[{"enum":[)" + times(9'979, "1,") + R"(1]},{"enum":[)" + times(9'979, "2,") +
         "2]}]}";
}

/// Objects that only their last property tells apart.
std::string compared_objects() {
  const auto object = [](const std::string& last) {
    return R"({"type":"object","properties":{)" + numbered(300, R"("n@":{})") +
           R"(,"z":{"const":)" + last + R"(}},"required":[)" + times(6'800, R"("q",)") + R"("z"]})";
  };
  return R"({"$defs":{"x":)" + object("1") + R"(,"y":)" + object("2") + R"(},"oneOf":[{"anyOf":[)" +
         numbered(40, R"({"$ref":"#/$defs/x"})") + R"(]},{"$ref":"#/$defs/y"}]})";
}

/// A part in which a keyword is searched for long.
std::string compared_wide_part() {
  return R"({"$defs":{"w":{)" + numbered(3'000, R"("k@":1)") +
         R"(,"type":"string"}},"oneOf":[{"anyOf":[)" + numbered(600, R"({"$ref":"#/$defs/w"})") +
         "]}," + numbered(30, R"({"const":@})") + "]}";
}

}  // namespace

std::vector<std::pair<std::string, std::string>> hostile_schemas() {
  const std::string nested = R"({"type":"array","items":{"$ref":"#"}})";
  const std::string wide = R"({"$ref":"#/$defs/w"})";
  return {
      {"large", std::string(70000, ' ') + "{}"},
      {"deep", times(5000, R"({"items":)") + "{}" + std::string(5000, '}')},
      {"optional properties", R"({"properties":{)" + numbered(4000, R"("a@":{})") + "}}"},
      {"some optional properties", R"({"properties":{)" + numbered(1000, R"("a@":{})") + "}}"},
      {"required properties", R"({"properties":{)" + numbered(2000, R"("a@":{})") +
                                  R"(},"required":[)" + numbered(2000, R"("a@")") + "]}"},
      {"enum", R"({"enum":[)" + numbered(7000, R"("@")") + "]}"},
      {"anyOf", R"({"anyOf":[)" + numbered(2000, R"({"items":{"$ref":"#"}})") + "]}"},
      {"the same thrice", R"({"anyOf":[)" + nested + "," + nested + "," + nested + "]}"},
      {"doubling", chain(40, R"({"anyOf":[{"$ref":"#/$defs/d40"},)", "]}")},
      {"chain", chain(900, R"({"anyOf":[)", R"(,{"type":"null"}]})")},
      {"required chain", chain(500, R"({"minItems":1,"items":)", "}")},
      {"large counts", R"({"minItems":1e9,"items":{"type":"string","minLength":1000000000}})"},
      {"patterns within patterns", R"({"pattern":"((((a{1000}){1000}){1000}){1000}){1000}"})"},
      {"groups", R"({"pattern":")" + std::string(3000, '(') + std::string(3000, ')') + R"("})"},
      {"stars", R"({"pattern":"^((((((((((a*)*)*)*)*)*)*)*)*)*)*$"})"},
      {"alternatives of a pattern", R"({"pattern":")" + times(3000, "(a|a|a|a)*") + R"("})"},
      {"oneOf", R"({"oneOf":[)" + numbered(3000, R"({"const":@})") + "]}"},
      {"chain of references", compared_chain()},
      {"long enum compared", compared_enum()},
      {"long enums compared", compared_enums()},
      {"long lists of required names", compared_objects()},
      {"wide part compared", compared_wide_part()},
      {"long name of many parts", R"({"properties":{")" + std::string(32'000, 'p') +
                                      R"(":{"prefixItems":[1)" + times(15'000, ",1") + "]}}}"},
      {"oneOf of itself", R"({"oneOf":[)" + wide + "," + wide + R"(],"$defs":{"w":{"anyOf":[)" +
                              numbered(500, wide) + "]}}}"},
  };
}

}  // namespace quire::test
