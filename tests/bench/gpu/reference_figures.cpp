#include "tests/bench/gpu/reference_figures.h"

#include <charconv>
#include <fstream>
#include <iterator>
#include <optional>

namespace quire::bench {
namespace {

/// Reads as much JSON as the figures need, from the brace after "figures" on.
class FigureParser {
 public:
  FigureParser(std::string_view text, size_t at) : m_text(text), m_at(at) {}

  /// {name: {unit: number or string}}. False where the text is something else.
  bool parse(ReferenceFigures& figures) {
    return each_entry([&](const std::string& name) { return parse_figure(figures[name]); });
  }
  size_t position() const { return m_at; }

 private:
  bool parse_figure(std::map<std::string, double>& values) {
    return each_entry([&](const std::string& unit) {
      if (peek() == '"') return string().has_value();
      const std::optional<double> value = number();
      if (value) values[unit] = *value;
      return value.has_value();
    });
  }

  template <typename Entry>
  bool each_entry(Entry entry) {
    if (!take('{')) return false;
    if (take('}')) return true;
    do {
      const std::optional<std::string> name = string();
      if (!name || !take(':') || !entry(*name)) return false;
    } while (take(','));
    return take('}');
  }

  char peek() {
    m_at = std::min(m_text.find_first_not_of(" \t\r\n", m_at), m_text.size());
    return m_at < m_text.size() ? m_text[m_at] : '\0';
  }
  bool take(char c) {
    const bool is_there = peek() == c;
    if (is_there) ++m_at;
    return is_there;
  }
  std::optional<std::string> string() {
    if (!take('"')) return {};
    std::string out;
    for (; m_at < m_text.size() && m_text[m_at] != '"'; ++m_at) {
      if (m_text[m_at] == '\\' && m_at + 1 < m_text.size()) ++m_at;
      out += m_text[m_at];
    }
    return take('"') ? std::optional(out) : std::nullopt;
  }
  std::optional<double> number() {
    peek();
    double value = 0.0;
    const char* const begin = m_text.data() + m_at;
    const auto [end, error] = std::from_chars(begin, m_text.data() + m_text.size(), value);
    if (error != std::errc()) return {};
    m_at += static_cast<size_t>(end - begin);
    return value;
  }

  std::string_view m_text;
  size_t m_at;
};

std::optional<double> tokens_per_second(const ReferenceFigures& reference,
                                        const std::string& name) {
  const auto figure = reference.find(name);
  if (figure == reference.end()) return {};
  const auto value = figure->second.find("tokens/s");
  if (value == figure->second.end() || value->second <= 0.0) return {};
  return value->second;
}

}  // namespace

Result<ReferenceFigures> parse_reference(std::string_view text, const std::string& source) {
  constexpr std::string_view kKey = "\"figures\":";
  const size_t key = text.find(kKey);
  if (key == text.npos) {
    return Error{ErrorCode::kCorruptFile, source + " has no \"figures\"."};
  }
  ReferenceFigures figures;
  FigureParser parser(text, key + kKey.size());
  if (parser.parse(figures)) return figures;
  return Error{ErrorCode::kCorruptFile, source + " is no file of figures: what is at byte " +
                                            std::to_string(parser.position()) +
                                            " is neither a name, a number nor a reason."};
}

Result<ReferenceFigures> read_reference(const std::string& path) {
  std::ifstream file(path);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  if (!file) return Error{ErrorCode::kIo, path + " cannot be read."};
  return parse_reference(text, path);
}

void compare_with_reference(Report& report, const ReferenceFigures& reference) {
  const std::vector<Figure> figures = report.figures();
  for (const Figure& figure : figures) {
    std::string theirs = figure.name;
    const size_t shared = theirs.find(", shared prefix");
    if (shared != theirs.npos) theirs.resize(shared);
    const std::optional<double> ours = report.value(figure.name, "tokens/s");
    const std::optional<double> other = tokens_per_second(reference, theirs);
    if (!ours || !other) continue;
    report.add("against transformers: " + figure.name,
               {{"times", *ours / *other}, {"tokens/s", *ours}, {"tokens/s there", *other}});
  }
}

}  // namespace quire::bench
