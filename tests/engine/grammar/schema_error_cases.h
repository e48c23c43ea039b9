#pragma once

#include <string>
#include <utility>
#include <vector>

namespace quire::test {

/// A schema that is refused, and words of the error.
struct SchemaErrorCase {
  std::string name;
  std::string schema;
  std::vector<std::string> words;
};

std::vector<SchemaErrorCase> schema_error_cases();

/// Schemas that try to take much time or memory, by name.
std::vector<std::pair<std::string, std::string>> hostile_schemas();

}  // namespace quire::test
