#include "kernels/base/instruction_set.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <sstream>
#include <vector>

#include "platform/processor.h"

#if defined(__aarch64__) && defined(__linux__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif
#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace quire {
namespace {

/// An instruction set, and whether this processor and its operating system can run it.
struct Candidate {
  InstructionSet set;
  bool (*can_run)();
};

#if defined(QUIRE_ONLY_AVX2)
constexpr bool kHasOtherVariants = false;
#else
constexpr bool kHasOtherVariants = true;
#endif

#if defined(__x86_64__)
/// CPUID leaf 1; clang 14's __builtin_cpu_supports does not know this feature.
bool has_f16c() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  return __get_cpuid(1, &eax, &ebx, &ecx, &edx) != 0 && (ecx & bit_F16C) != 0;
}

// __builtin_cpu_supports also checks (XGETBV) that the operating system saves the wide registers.
bool can_run_avx2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && has_f16c();
}

bool can_run_avx512() {
  return can_run_avx2() && __builtin_cpu_supports("avx512f") &&
         __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl");
}

/// CPUID leaf 7, for features that GCC 12's __builtin_cpu_supports does not know; zeros if the
/// processor has no such leaf.
struct Leaf7 {
  explicit Leaf7(unsigned subleaf) { __get_cpuid_count(7, subleaf, &eax, &ebx, &ecx, &edx); }
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
};

bool can_run_avx2_vnni() {
  constexpr unsigned kAvxVnni = 1u << 4;
  return can_run_avx2() && (Leaf7(1).eax & kAvxVnni) != 0;
}

bool can_run_avx512_vnni() {
  return can_run_avx512() && __builtin_cpu_supports("avx512vnni");
}

bool can_run_avx512_vbmi() {
  return can_run_avx512_vnni() && __builtin_cpu_supports("avx512vbmi");
}

/// Cooper Lake, which has BF16 without VBMI, is better off without: see is_bf16_slow().
bool can_run_avx512_bf16() {
  constexpr unsigned kBf16 = 1u << 5;
  return can_run_avx512_vbmi() && (Leaf7(1).eax & kBf16) != 0;
}

/// On Intel's processors AVX-512 BF16 has half the throughput of f32 (Emerald Rapids: 88 and 179
/// GFLOP/s), and tiles make prompts faster but chats slower (docs/cpu.md, Tiles).
bool is_bf16_slow() {
  return __builtin_cpu_is("intel");
}

bool can_run_amx() {
  constexpr unsigned kBf16 = 1u << 22, kTile = 1u << 24, kInt8 = 1u << 25;
  constexpr unsigned kAll = kBf16 | kTile | kInt8;
  return can_run_avx512_bf16() && (Leaf7(0).edx & kAll) == kAll && platform::request_tiles();
}

constexpr Candidate kCandidates[] = {{InstructionSet::kAvx2, can_run_avx2},
                                     {InstructionSet::kAvx2Vnni, can_run_avx2_vnni},
                                     {InstructionSet::kAvx512, can_run_avx512},
                                     {InstructionSet::kAvx512Vnni, can_run_avx512_vnni},
                                     {InstructionSet::kAvx512Vbmi, can_run_avx512_vbmi},
                                     {InstructionSet::kAvx512Bf16, can_run_avx512_bf16},
                                     {InstructionSet::kAmx, can_run_amx}};
#elif defined(__aarch64__)
bool can_run_dotprod() {
#if defined(__linux__)
  return (getauxval(AT_HWCAP) & HWCAP_ASIMDDP) != 0;
#else
  return false;
#endif
}

/// All AArch64 processors with an operating system have NEON.
constexpr Candidate kCandidates[] = {{InstructionSet::kNeon, [] { return true; }},
                                     {InstructionSet::kNeonDotprod, can_run_dotprod}};
#else
constexpr std::array<Candidate, 0> kCandidates = {};
#endif

InstructionSet fastest() {
  const std::span<const InstructionSet> supported = supported_instruction_sets();
#if defined(__x86_64__)
  const bool has_bf16 = std::ranges::count(supported, InstructionSet::kAvx512Bf16) > 0;
  if (has_bf16 && is_bf16_slow()) return InstructionSet::kAvx512Vbmi;
#endif
  return supported.back();
}

}  // namespace

std::string_view instruction_set_name(InstructionSet set) {
  constexpr std::string_view kNames[] = {"scalar",      "avx2",        "avx2_vnni",   "avx512",
                                         "avx512_vnni", "avx512_vbmi", "avx512_bf16", "amx",
                                         "neon",        "neon_dotprod"};
  return kNames[static_cast<size_t>(set)];
}

std::span<const InstructionSet> supported_instruction_sets() {
  static const std::vector<InstructionSet> kSets = [] {
    std::vector<InstructionSet> sets = {InstructionSet::kScalar};
    for (const Candidate& candidate : kCandidates) {
      const bool is_built = kHasOtherVariants || candidate.set == InstructionSet::kAvx2;
      if (is_built && candidate.can_run()) sets.push_back(candidate.set);
    }
    return sets;
  }();
  return kSets;
}

Result<InstructionSet> select_instruction_set(std::string_view name) {
  if (name.empty()) return fastest();
  std::string lower(name);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  std::string names;
  for (const InstructionSet set : supported_instruction_sets()) {
    if (lower == instruction_set_name(set)) return set;
    names += names.empty() ? "" : ", ";
    names += instruction_set_name(set);
  }
  return Error{ErrorCode::kInvalidArgument,
               "QUIRE_CPU_ISA is \"" + std::string(name) +
                   "\", which this processor or build cannot run. Here it may be one of: " + names +
                   "; leave it unset to use the best."};
}

Result<InstructionSet> chosen_instruction_set() {
  const char* const name = std::getenv("QUIRE_CPU_ISA");
  return select_instruction_set(name == nullptr ? "" : name);
}

std::string processor_name() {
  std::istringstream description(platform::processor_description());
  for (std::string line; std::getline(description, line);) {
    if (!line.starts_with("model name")) continue;
    const size_t colon = line.find(": ");
    if (colon != std::string::npos) return line.substr(colon + 2);
  }
#if defined(__x86_64__)
  return "x86-64 processor";
#elif defined(__aarch64__)
  return "AArch64 processor";
#else
  return "processor";
#endif
}

}  // namespace quire
