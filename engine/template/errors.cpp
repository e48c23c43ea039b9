#include "engine/template/errors.h"

#include <algorithm>

#include "engine/template/text.h"
#include "kernels/base/visible_text.h"

namespace quire::jinja {

namespace {

/// A message, which may quote names and texts of the template, as visible text with its line ends,
/// and cut after a maximum length.
std::string shown(std::string_view message) {
  constexpr size_t kMaxBytes = 1000;
  std::string out;
  for (size_t at = 0; at < message.size();) {
    const CodePoint c = decode(message, at);
    const std::string bytes = visible_text(message.substr(at, c.length), "\n");
    if (out.size() + bytes.size() > kMaxBytes) return out + "...";
    out += bytes;
    at += c.length;
  }
  return out;
}

struct Place {
  size_t line = 1;
  size_t column = 1;  ///< In characters, from 1.
  std::string_view excerpt;
};

/// The line around `offset`, without its indentation; of a long line the part near `offset`.
std::string_view excerpt_at(std::string_view source, size_t offset) {
  constexpr size_t kBefore = 40, kAfter = 60;
  size_t begin = source.substr(0, offset).rfind('\n') + 1;  // npos + 1 is 0.
  size_t end = std::min(source.find('\n', offset), source.size());
  if (offset - begin > kBefore) begin = offset - kBefore;
  end = std::min(end, offset + kAfter);
  const auto continues = [&](size_t at) {
    return at < source.size() && (static_cast<unsigned char>(source[at]) & 0xC0) == 0x80;
  };
  while (begin < end && continues(begin)) ++begin;
  while (end > begin && continues(end)) --end;
  while (begin < end && (source[begin] == ' ' || source[begin] == '\t')) ++begin;
  while (end > begin && (source[end - 1] == ' ' || source[end - 1] == '\t')) --end;
  return source.substr(begin, end - begin);
}

Place find_place(std::string_view source, uint32_t offset) {
  Place place;
  const size_t at = std::min<size_t>(offset, source.size());
  const std::string_view before = source.substr(0, at);
  for (char c : before) place.line += c == '\n';
  const size_t line_start = before.rfind('\n') + 1;
  place.column = count_code_points(before.substr(line_start)) + 1;
  place.excerpt = excerpt_at(source, at);
  return place;
}

std::string place_text(const Place& place) {
  return "line " + std::to_string(place.line) + ", column " + std::to_string(place.column);
}

}  // namespace

Error error_at(std::string_view source, uint32_t offset, std::string_view message) {
  const Place place = find_place(source, offset);
  std::string text = "Chat template, " + place_text(place) + ": " + shown(message);
  if (!place.excerpt.empty()) text += ", at: " + shown(place.excerpt);
  return {ErrorCode::kTemplate, std::move(text)};
}

Error refusal_at(std::string_view source, uint32_t offset, std::string_view message) {
  return {ErrorCode::kTemplate, "The chat template refuses this conversation: " + shown(message) +
                                    " (" + place_text(find_place(source, offset)) + ")"};
}

}  // namespace quire::jinja
