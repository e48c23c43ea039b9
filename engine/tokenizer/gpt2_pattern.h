#pragma once

#include <string_view>

namespace quire {

/// How GPT-2 cuts text into words (github.com/openai/gpt-2, encoder.py).
inline constexpr std::string_view kGpt2Pattern =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

}  // namespace quire
