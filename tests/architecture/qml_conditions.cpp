#include "tests/architecture/qml_conditions.h"

#include <algorithm>
#include <cctype>
#include <regex>

namespace quire {
namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

std::string last_part(const std::string& path) {
  return path.substr(path.rfind('.') + 1);
}

bool is_enumerator(const std::string& operand) {
  static const std::regex kName(R"((\w+)\.[A-Z]\w*)");
  std::smatch parts;
  if (!std::regex_match(operand, parts, kName)) return false;
  const std::string type = parts[1];
  return std::isupper(static_cast<unsigned char>(type[0])) && type != "Qt" && type != "Text" &&
         type != "FileDialog";
}

/// A member of a member, such as "chat.turns.continuable", that is not a length.
bool is_domain_member(const std::string& operand) {
  static const std::regex kMember(R"([a-z]\w*(\??\.\w+){2,})");
  static const std::regex kLength(R"(.*(width|height|length|left|right|top|bottom|\.[xyar]))");
  return std::regex_match(operand, kMember) && !std::regex_match(lower(operand), kLength);
}

/// Whether the comparison asks if there is something, or which row is chosen.
bool is_presentation(const std::string& member, const std::string& other) {
  if (other.starts_with("Theme.")) return true;
  if (other == "null" || other == "\"\"" || other == "index" || other == "modelData") return true;
  const std::string name = lower(last_part(member));
  if (other == "0") return name == "count";
  const bool is_path = std::isalpha(static_cast<unsigned char>(other[0])) != 0;
  return is_path && name.ends_with(lower(last_part(other)));
}

bool is_domain_condition(const std::string& left, const std::string& right) {
  if (is_enumerator(left) || is_enumerator(right)) return true;
  if (is_domain_member(left)) return !is_presentation(left, right);
  return is_domain_member(right) && !is_presentation(right, left);
}

}  // namespace

std::vector<Violation> check_qml_conditions(std::string_view path, std::string_view content) {
  static const std::regex kComparison(R"re(([\w.?]+) (?:===|!==|<=?|>=?) ("[^"]*"|[\w.?]+))re");
  std::vector<Violation> found;
  if (!path.ends_with(".qml")) return found;
  int number = 0;
  while (!content.empty()) {
    const std::string line(content.substr(0, content.find('\n')));
    content.remove_prefix(std::min(line.size() + 1, content.size()));
    ++number;
    const std::string code = line.substr(0, line.find("//"));
    for (std::sregex_iterator at(code.begin(), code.end(), kComparison), end; at != end; ++at) {
      if (!is_domain_condition((*at)[1], (*at)[2])) continue;
      found.push_back({std::string(path), number,
                       "\"" + at->str() +
                           "\": a condition over domain state; let a view model "
                           "compute it"});
    }
  }
  return found;
}

}  // namespace quire
