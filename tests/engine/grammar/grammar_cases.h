#pragma once

#include <string>
#include <vector>

namespace quire::test {

/// A schema, and texts that its grammar allows and refuses.
struct GrammarCase {
  std::string name;
  std::string schema;
  std::vector<std::string> allowed;
  std::vector<std::string> refused;
};

std::vector<GrammarCase> schema_cases();
std::vector<GrammarCase> pattern_cases();
std::vector<GrammarCase> format_cases();

}  // namespace quire::test
