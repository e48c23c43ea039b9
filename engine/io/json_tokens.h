#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace quire {

/// A token of a JSON text that must not reach nlohmann's parser, which keeps a token twice and
/// copies one that it refuses into its exception several times: with 60 MB it takes 500. What
/// follows a text or number counts as a part of it until the next one, and each line end becomes
/// eight characters of the exception.
struct JsonTokenFault {
  enum class Kind {
    kNumber,    ///< Of more than kMaxJsonNumberBytes.
    kDamaged,   ///< A long text that does not end, or that is not JSON.
    kLongText,  ///< Of more than the limit.
    kGap,       ///< More than kMaxJsonGapBytes without a text or number.
  };
  Kind kind;
  size_t offset;  ///< Where the token begins, or where it stops being JSON.
};

/// Digits are read in more than linear time. A double, as programs write it, has 25 characters.
inline constexpr size_t kMaxJsonNumberBytes = 512;
inline constexpr size_t kMaxJsonGapBytes = size_t{2} << 20;

/// The first such token; nothing if there is none. The text need not be JSON: other faults are left
/// to the parser. Takes a nanosecond a byte and no memory.
std::optional<JsonTokenFault> find_json_token_fault(std::string_view text,
                                                    size_t max_text_bytes = std::string_view::npos);

}  // namespace quire
