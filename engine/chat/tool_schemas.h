#pragma once

#include <map>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace quire {

/// The names of the tools that a request offers, and which of their arguments are texts.
class ToolSchemas {
 public:
  /// `tools`: JSON as in PromptOptions::tools. What is malformed in it is left out.
  explicit ToolSchemas(std::string_view tools);

  bool holds(const std::string& tool) const { return m_tools.contains(tool); }
  /// The value of an argument that the model wrote without quotes: text as it is where the schema
  /// says so, else what it is as JSON, or text if it is none.
  nlohmann::ordered_json value_of(const std::string& tool, const std::string& argument,
                                  std::string_view written) const;

 private:
  std::map<std::string, std::map<std::string, bool>> m_tools;  ///< Whether an argument is a text.
};

}  // namespace quire
