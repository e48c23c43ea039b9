#include "kernels/cpu/cpu_features.h"

#include <algorithm>
#include <cctype>
#include <fstream>

#if defined(__aarch64__) && defined(__linux__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif
#if defined(__x86_64__)
#include <cpuid.h>
#endif
#if defined(__x86_64__) && defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace quire::cpu {
namespace {

#if defined(__x86_64__)
// The compiler's run-time checks also ask the operating system (XGETBV) whether it saves the wide
// registers.
bool can_run_avx2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         __builtin_cpu_supports("f16c");
}

bool can_run_avx512() {
  return can_run_avx2() && __builtin_cpu_supports("avx512f") &&
         __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl");
}
/// __builtin_cpu_supports of GCC 12 does not know AVX-VNNI: CPUID leaf 7, subleaf 1.
bool can_run_avx2_vnni() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  constexpr unsigned kAvxVnni = 1u << 4;
  return can_run_avx2() && __get_cpuid_count(7, 1, &eax, &ebx, &ecx, &edx) != 0 &&
         (eax & kAvxVnni) != 0;
}

bool can_run_avx512_vnni() {
  return can_run_avx512() && __builtin_cpu_supports("avx512vnni");
}

bool can_run_avx512_bf16() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  constexpr unsigned kBf16 = 1u << 5;
  return can_run_avx512_vnni() && __get_cpuid_count(7, 1, &eax, &ebx, &ecx, &edx) != 0 &&
         (eax & kBf16) != 0;
}

/// Intel's take twice as long for a vector of bf16 products as for two of floats (Emerald Rapids:
/// 88 and 179 GFLOP/s), and have tiles for what is to be fast.
bool is_bf16_slow() {
  return __builtin_cpu_is("intel");
}

/// Tiles have 8 KB of state, which Linux (5.16) keeps only for processes that have asked for it.
bool may_use_tiles() {
#if defined(__linux__)
  constexpr long kRequestPermission = 0x1023;  // ARCH_REQ_XCOMP_PERM of asm/prctl.h
  constexpr long kTileData = 18;               // Its bit among the processor's state components.
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
#else
  return false;
#endif
}

bool can_run_amx() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  constexpr unsigned kBf16 = 1u << 22, kTile = 1u << 24, kInt8 = 1u << 25;
  constexpr unsigned kAll = kBf16 | kTile | kInt8;
  return can_run_avx512_bf16() && __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0 &&
         (edx & kAll) == kAll && may_use_tiles();
}

std::vector<const CpuKernels*> architecture_kernels() {
  std::vector<const CpuKernels*> kernels;
  if (can_run_avx2()) kernels.push_back(avx2_kernels());
  if (can_run_avx2_vnni()) kernels.push_back(avx2_vnni_kernels());
  if (can_run_avx512()) kernels.push_back(avx512_kernels());
  if (can_run_avx512_vnni()) kernels.push_back(avx512_vnni_kernels());
  if (can_run_avx512_bf16()) kernels.push_back(avx512_bf16_kernels());
  if (can_run_amx()) kernels.push_back(amx_kernels());
  return kernels;
}
#elif defined(__aarch64__)
bool can_run_dotprod() {
#if defined(__linux__)
  return (getauxval(AT_HWCAP) & HWCAP_ASIMDDP) != 0;
#else
  return false;
#endif
}

/// Every AArch64 processor that runs programs of an operating system has NEON.
std::vector<const CpuKernels*> architecture_kernels() {
  std::vector<const CpuKernels*> kernels = {neon_kernels()};
  if (can_run_dotprod()) kernels.push_back(neon_dotprod_kernels());
  return kernels;
}
#else
std::vector<const CpuKernels*> architecture_kernels() {
  return {};
}
#endif

/// The index of the fastest. By name: a variant's own functions may be called only where the
/// processor can run them.
size_t fastest_of(const std::vector<const CpuKernels*>& supported) {
  size_t fastest = supported.size() - 1;
#if defined(__x86_64__)
  if (std::string_view(supported[fastest]->name) == "avx512_bf16" && is_bf16_slow()) --fastest;
#endif
  return fastest;
}

}  // namespace

std::vector<const CpuKernels*> supported_kernels() {
  std::vector<const CpuKernels*> kernels = architecture_kernels();
  kernels.insert(kernels.begin(), scalar_kernels());
  return kernels;
}

Result<const CpuKernels*> select_kernels(std::string_view name) {
  const std::vector<const CpuKernels*> supported = supported_kernels();
  if (name.empty()) return supported[fastest_of(supported)];
  std::string lower(name);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  std::string names;
  for (const CpuKernels* kernels : supported) {
    if (lower == kernels->name) return kernels;
    names += names.empty() ? "" : ", ";
    names += kernels->name;
  }
  return Error{ErrorCode::kInvalidArgument,
               "QUIRE_CPU_ISA is \"" + std::string(name) +
                   "\", which this processor or build cannot run. Here it may be one of: " + names +
                   "; leave it unset to use the best."};
}

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
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

}  // namespace quire::cpu
