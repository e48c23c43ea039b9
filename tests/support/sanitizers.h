#pragma once

/// Defined in code that a sanitizer instruments. GCC says so by macros, clang 14 by features.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define QUIRE_IS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define QUIRE_IS_SANITIZED 1
#endif
#endif

namespace quire::test {

/// Limits on time and memory are multiplied by this, because a sanitizer makes code slower and
/// frees memory late.
#ifdef QUIRE_IS_SANITIZED
inline constexpr int kSanitizerFactor = 5;
#else
inline constexpr int kSanitizerFactor = 1;
#endif

}  // namespace quire::test
