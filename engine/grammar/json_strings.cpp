#include "engine/grammar/json_strings.h"

#include <string_view>

namespace quire {
namespace {

using Steps = std::array<std::array<StringState, 256>, kStringStates>;

constexpr void set(Steps& steps, StringState from, int low, int high, StringState to) {
  for (int byte = low; byte <= high; ++byte) {
    steps[static_cast<size_t>(from)][static_cast<size_t>(byte)] = to;
  }
}

constexpr void set_hex(Steps& steps, StringState from, StringState to) {
  set(steps, from, '0', '9', to);
  set(steps, from, 'a', 'f', to);
  set(steps, from, 'A', 'F', to);
}

constexpr Steps make_steps() {
  using enum StringState;
  Steps steps{};
  for (auto& row : steps) row.fill(kDead);
  set(steps, kBody, 0x20, 0x7f, kBody);
  set(steps, kBody, '"', '"', kClosed);
  set(steps, kBody, '\\', '\\', kEscape);
  set(steps, kBody, 0xc2, 0xdf, kTail1);
  set(steps, kBody, 0xe0, 0xe0, kTailE0);
  set(steps, kBody, 0xe1, 0xec, kTail2);
  set(steps, kBody, 0xed, 0xed, kTailED);
  set(steps, kBody, 0xee, 0xef, kTail2);
  set(steps, kBody, 0xf0, 0xf0, kTailF0);
  set(steps, kBody, 0xf1, 0xf3, kTail3);
  set(steps, kBody, 0xf4, 0xf4, kTailF4);
  set(steps, kTail1, 0x80, 0xbf, kBody);
  set(steps, kTail2, 0x80, 0xbf, kTail1);
  set(steps, kTail3, 0x80, 0xbf, kTail2);
  set(steps, kTailE0, 0xa0, 0xbf, kTail1);
  set(steps, kTailED, 0x80, 0x9f, kTail1);
  set(steps, kTailF0, 0x90, 0xbf, kTail2);
  set(steps, kTailF4, 0x80, 0x8f, kTail2);
  for (const char c : std::string_view("\"\\/bfnrt")) set(steps, kEscape, c, c, kBody);
  set(steps, kEscape, 'u', 'u', kHex4);
  set_hex(steps, kHex4, kHex3);
  set(steps, kHex4, 'd', 'd', kHexD);
  set(steps, kHex4, 'D', 'D', kHexD);
  set(steps, kHexD, '0', '7', kHex2);
  set_hex(steps, kHex3, kHex2);
  set_hex(steps, kHex2, kHex1);
  set_hex(steps, kHex1, kBody);
  return steps;
}

}  // namespace

constexpr Steps kStringSteps = make_steps();

}  // namespace quire
