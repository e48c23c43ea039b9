#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace quire {

/// Where a byte-level reader is within a JSON string (RFC 8259, section 7; UTF-8 as in RFC 3629).
/// Escapes of surrogates (\ud800 to \udfff) are left out: such characters can be written as UTF-8,
/// and many readers refuse a surrogate that stands alone.
enum class StringState : uint8_t {
  kBody,    ///< Between two characters.
  kEscape,  ///< After a backslash.
  kHex4,    ///< After \u: four hexadecimal digits follow.
  kHex3,
  kHex2,
  kHex1,
  kHexD,   ///< After \ud: a digit of 0 to 7 follows.
  kTail1,  ///< One more byte of the character follows.
  kTail2,
  kTail3,
  kTailE0,  ///< After this first byte, whose second one has a range of its own.
  kTailED,
  kTailF0,
  kTailF4,
  kClosed,  ///< After the closing quote.
  kDead,    ///< The byte cannot follow.
};
inline constexpr int kStringStates = 16;

/// By state and byte.
extern const std::array<std::array<StringState, 256>, kStringStates> kStringSteps;

/// The state after a byte.
inline StringState string_step(StringState state, uint8_t byte) {
  return kStringSteps[static_cast<size_t>(state)][byte];
}

}  // namespace quire
