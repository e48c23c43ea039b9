#pragma once

#include <cuda_runtime.h>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "tests/support/simt/fiber.h"
#include "tests/support/simt/kernel_names.h"

namespace simt {

inline constexpr unsigned kLanes = 32;
inline constexpr unsigned kMaxThreads = 1024;

/// What lanes of a warp do together, once all of the mask are there.
struct WarpOperation {
  const char* name;
  /// slots[i] is what lane i gave to meet(), for the lanes present.
  void (*complete)(void* const (&slots)[kLanes], unsigned present);
  bool needs_whole_warp = false;  ///< mma and ldmatrix.
  /// Whether what a lane wrote before is there for the others after. CUDA promises it of __syncwarp
  /// alone: shuffles, votes and matrix instructions exchange registers.
  bool orders_memory = false;
};

/// Copies that a thread has begun and not waited for.
struct AsyncCopies {
  struct Copy {
    void* to;
    const void* from;
    bool is_valid;
  };
  std::vector<Copy> copies;    ///< Oldest first.
  std::vector<size_t> groups;  ///< The sizes of the groups committed, oldest first.
  size_t num_uncommitted = 0;  ///< The last of `copies`.
  void clear() {
    copies.clear();
    groups.clear();
    num_uncommitted = 0;
  }
};

/// One CUDA thread.
struct Lane {
  Fiber fiber;
  uint3 index;
  unsigned warp = 0;
  unsigned lane = 0;
  bool is_done = false;
  bool is_at_barrier = false;
  bool has_waited = false;  ///< For the kernels before, or need not.
  // What it waits for at a barrier.
  int predicate = 0;
  Barrier barrier = Barrier::kPlain;
  Site site;
  AsyncCopies async;
  // Places of races::release and acquire, about the operations of its warp: what it did before one,
  // and what all lanes did before the last one that it met.
  char has_arrived = 0;
  char has_met = 0;
};

/// A kernel with its arguments and shape.
struct Launch {
  const void* kernel = nullptr;
  dim3 grid;
  dim3 block;
  size_t shared_bytes = 0;
  std::function<void()> thread;  ///< Runs the kernel as one thread.
  bool begins_early = false;     ///< Programmatic dependent launch.
};

/// What happens to memory around the beginning of each block of a kernel that begins early.
class EarlyMemory {
 public:
  virtual ~EarlyMemory() = default;
  virtual void hide() = 0;  ///< Before its first thread.
  virtual void show() = 0;  ///< When all its threads wait for the kernels before.
};

/// Runs one block after the other on the calling host thread, which stays the same.
///
/// A thread runs until it has to wait for others; then the next of its warp runs, then the next
/// warp. With a seed, the order of lanes and warps is shuffled at every barrier, and warps are
/// interrupted where their lanes meet.
class Block {
 public:
  Block();
  ~Block();
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;
  /// The one of this host thread.
  static Block& current();
  /// Whether a kernel runs on this host thread.
  static bool is_running();

  /// Returns false if a thread trapped; the other threads are then left where they are.
  /// early_memory: may be null.
  bool run(const Launch& launch, uint64_t seed, EarlyMemory* early_memory = nullptr);

  Lane& lane() { return *m_current; }
  void* dynamic_shared() { return m_shared; }
  unsigned live_lanes() const { return m_warps[m_current->warp].live; }

  void meet_warp(const WarpOperation& operation, unsigned mask, void* slot, const Site& site);
  int meet_block(Barrier kind, int predicate, const Site& site);
  void wait_for_earlier_kernels(const Site& site);
  void let_next_kernel_begin() const;
  void yield();
  [[noreturn]] void trap();
  /// Ends the program if a fault at this address is a kernel's.
  void report_fault(const void* address, bool is_device_memory) const;
  /// Ends the program; the sentence begins with the kernel, the block and the thread.
  [[noreturn]] void fail(const std::string& what) const;

 private:
  struct Warp {
    unsigned live = 0;      ///< By lane: not exited.
    unsigned waiting = 0;   ///< By lane: at a warp's operation.
    unsigned runnable = 0;  ///< By place in the order.
    std::array<uint8_t, kLanes> lane_at;
    std::array<uint8_t, kLanes> place_of;
    // What a waiting lane calls.
    const WarpOperation* operations[kLanes];
    unsigned masks[kLanes];
    void* slots[kLanes];
  };

  void start(const Launch& launch, uint3 index);
  void shuffle_order();
  void make_runnable(unsigned warp, unsigned lanes);
  void wait_for_warp(const WarpOperation& operation, unsigned mask, void* slot, const Site& site);
  void order_lanes(unsigned warp_index, unsigned lanes);
  bool try_complete_warp(unsigned warp_index, unsigned lane);
  void complete_barrier();
  void end_wait_for_earlier_kernels();
  void check_same_barrier() const;
  void leave();
  void switch_to_next(bool may_stay);
  Lane* next_lane(bool other_warp);
  void go_on_at(Lane& lane);
  void run_block();
  [[noreturn]] void report_deadlock() const;
  std::string describe(const Lane& lane) const;
  static void body();

  StackPool m_stacks;
  std::vector<char> m_signal_stack;
  Fiber m_host;
  std::vector<Lane> m_lanes;
  std::array<Warp, kMaxThreads / kLanes> m_warps;
  std::array<uint8_t, kMaxThreads / kLanes> m_warp_order;
  std::vector<uint32_t> m_shared_memory;
  void* m_shared = nullptr;
  size_t m_shared_capacity = 0;

  const Launch* m_launch = nullptr;
  EarlyMemory* m_early_memory = nullptr;
  const std::vector<StaticShared>* m_static_shared = nullptr;
  Lane* m_current = nullptr;
  unsigned m_num_threads = 0;
  unsigned m_num_warps = 0;
  unsigned m_num_live = 0;
  unsigned m_num_at_barrier = 0;
  unsigned m_num_waited = 0;  ///< Threads that have waited for the kernels before.
  unsigned m_warp_place = 0;  ///< Of the warp that runs, in m_warp_order.
  int m_barrier_result = 0;
  // Places of races::release and acquire. Barriers use one of two in turn: a thread that comes late
  // from one barrier must not be ordered behind those who are at the next one.
  char m_beginning = 0;
  char m_end = 0;
  char m_barriers[2] = {};
  unsigned m_barrier_place = 0;
  bool m_has_trapped = false;
  bool m_is_shuffled = false;
  std::minstd_rand m_random;
};

}  // namespace simt
