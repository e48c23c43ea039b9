#pragma once

#include <simt/qualifiers.h>
#include <simt/vector_types.h>

#include <cstring>
#include <type_traits>

/// Who a thread is, and where threads meet: barriers, shuffles, votes.

// Set whenever another thread of the block goes on.
inline constinit thread_local uint3 threadIdx = {0, 0, 0};
inline constinit thread_local uint3 blockIdx = {0, 0, 0};
inline constinit thread_local dim3 blockDim;
inline constinit thread_local dim3 gridDim;
inline constexpr int warpSize = 32;

namespace simt {

/// Where a thread waits, for reports.
using Site = std::source_location;

enum class Barrier { kPlain, kCount, kAnd, kOr };
/// Returns what the predicates of the block's live threads come to.
int meet_block(Barrier kind, int predicate, const Site& site);

void meet_warp(unsigned mask, const Site& site);

enum class Shuffle { kIndex, kUp, kDown, kXor };
/// The bits of another lane's value; a lane that has exited or is not in the mask gives all ones.
uint64_t shuffle(Shuffle kind, unsigned mask, uint64_t bits, int operand, int width,
                 const Site& site);

enum class Vote { kBallot, kAny, kAll };
unsigned vote(Vote kind, unsigned mask, int predicate, const Site& site);

enum class Match { kAny, kAll };
unsigned match(Match kind, unsigned mask, uint64_t bits, int* is_same, const Site& site);

enum class Reduce { kAdd, kMin, kMax, kAnd, kOr, kXor };
/// Over 64-bit signed integers: both 32-bit kinds of __reduce_*_sync fit.
int64_t reduce(Reduce kind, unsigned mask, int64_t value, const Site& site);

/// The lanes of this warp that have not exited.
unsigned live_lanes();
/// Lets other threads of the block run.
void yield();
/// Ends the kernel with an error that the device keeps.
[[noreturn]] void trap();

template <typename T>
T shuffle_value(Shuffle kind, unsigned mask, T value, int operand, int width, const Site& site) {
  static_assert(std::is_arithmetic_v<T>, "CUDA shuffles numbers of 32 and 64 bits only");
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "CUDA shuffles 32 and 64 bits only");
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  bits = shuffle(kind, mask, bits, operand, width, site);
  std::memcpy(&value, &bits, sizeof(T));
  return value;
}

}  // namespace simt

inline void __syncthreads(const simt::Site& site = simt::Site::current()) {
  simt::meet_block(simt::Barrier::kPlain, 0, site);
}
inline int __syncthreads_count(int predicate, const simt::Site& site = simt::Site::current()) {
  return simt::meet_block(simt::Barrier::kCount, predicate, site);
}
inline int __syncthreads_and(int predicate, const simt::Site& site = simt::Site::current()) {
  return simt::meet_block(simt::Barrier::kAnd, predicate, site);
}
inline int __syncthreads_or(int predicate, const simt::Site& site = simt::Site::current()) {
  return simt::meet_block(simt::Barrier::kOr, predicate, site);
}
inline void __syncwarp(unsigned mask = 0xffffffffu,
                       const simt::Site& site = simt::Site::current()) {
  simt::meet_warp(mask, site);
}

template <typename T>
T __shfl_sync(unsigned mask, T value, int lane, int width = 32,
              const simt::Site& site = simt::Site::current()) {
  return simt::shuffle_value(simt::Shuffle::kIndex, mask, value, lane, width, site);
}
template <typename T>
T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32,
                 const simt::Site& site = simt::Site::current()) {
  return simt::shuffle_value(simt::Shuffle::kUp, mask, value, static_cast<int>(delta), width, site);
}
template <typename T>
T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32,
                   const simt::Site& site = simt::Site::current()) {
  return simt::shuffle_value(simt::Shuffle::kDown, mask, value, static_cast<int>(delta), width,
                             site);
}
template <typename T>
T __shfl_xor_sync(unsigned mask, T value, int lane_mask, int width = 32,
                  const simt::Site& site = simt::Site::current()) {
  return simt::shuffle_value(simt::Shuffle::kXor, mask, value, lane_mask, width, site);
}

inline unsigned __ballot_sync(unsigned mask, int predicate,
                              const simt::Site& site = simt::Site::current()) {
  return simt::vote(simt::Vote::kBallot, mask, predicate, site);
}
inline int __any_sync(unsigned mask, int predicate,
                      const simt::Site& site = simt::Site::current()) {
  return static_cast<int>(simt::vote(simt::Vote::kAny, mask, predicate, site));
}
inline int __all_sync(unsigned mask, int predicate,
                      const simt::Site& site = simt::Site::current()) {
  return static_cast<int>(simt::vote(simt::Vote::kAll, mask, predicate, site));
}
/// On a GPU the lanes that happen to run together; here those that have not exited.
inline unsigned __activemask() {
  return simt::live_lanes();
}
template <typename T>
unsigned __match_any_sync(unsigned mask, T value, const simt::Site& site = simt::Site::current()) {
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  return simt::match(simt::Match::kAny, mask, bits, nullptr, site);
}
template <typename T>
unsigned __match_all_sync(unsigned mask, T value, int* is_same,
                          const simt::Site& site = simt::Site::current()) {
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  return simt::match(simt::Match::kAll, mask, bits, is_same, site);
}

template <typename T>
T __reduce_add_sync(unsigned mask, T value, const simt::Site& site = simt::Site::current()) {
  return static_cast<T>(simt::reduce(simt::Reduce::kAdd, mask, value, site));
}
template <typename T>
T __reduce_min_sync(unsigned mask, T value, const simt::Site& site = simt::Site::current()) {
  return static_cast<T>(simt::reduce(simt::Reduce::kMin, mask, value, site));
}
template <typename T>
T __reduce_max_sync(unsigned mask, T value, const simt::Site& site = simt::Site::current()) {
  return static_cast<T>(simt::reduce(simt::Reduce::kMax, mask, value, site));
}
inline unsigned __reduce_and_sync(unsigned mask, unsigned value,
                                  const simt::Site& site = simt::Site::current()) {
  return static_cast<unsigned>(simt::reduce(simt::Reduce::kAnd, mask, value, site));
}
inline unsigned __reduce_or_sync(unsigned mask, unsigned value,
                                 const simt::Site& site = simt::Site::current()) {
  return static_cast<unsigned>(simt::reduce(simt::Reduce::kOr, mask, value, site));
}
inline unsigned __reduce_xor_sync(unsigned mask, unsigned value,
                                  const simt::Site& site = simt::Site::current()) {
  return static_cast<unsigned>(simt::reduce(simt::Reduce::kXor, mask, value, site));
}

inline void __threadfence() {}
inline void __threadfence_block() {}
inline void __threadfence_system() {}
inline void __nanosleep(unsigned) {
  simt::yield();
}
[[noreturn]] inline void __trap() {
  simt::trap();
}
