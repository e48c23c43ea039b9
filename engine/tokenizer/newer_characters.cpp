#include "engine/tokenizer/newer_characters.h"

#include <cstdint>

namespace quire {
namespace {

struct Range {
  std::string_view name;
  uint32_t first;
  uint32_t last;
};

constexpr Range kRanges[] = {
#include "engine/tokenizer/newer_characters.inc"
};

std::string escaped(uint32_t character) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex;
  for (int shift = 20; shift >= 0; shift -= 4) hex += kDigits[(character >> shift) & 15];
  return "\\x{" + hex + "}";
}

}  // namespace

std::string newer_characters(std::string_view name) {
  std::string ranges;
  for (const Range& range : kRanges) {
    const bool is_script = range.name.size() > 2;
    if (is_script ? range.name != name : !range.name.starts_with(name)) continue;
    if (name.empty()) continue;
    ranges += escaped(range.first);
    if (range.last > range.first) ranges += "-" + escaped(range.last);
  }
  return ranges;
}

}  // namespace quire
