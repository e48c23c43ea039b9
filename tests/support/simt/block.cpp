#include "tests/support/simt/block.h"

#include <algorithm>
#include <bit>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>

#include "kernels/base/check.h"

namespace simt {
namespace {

constinit thread_local Block* g_running = nullptr;

constexpr size_t kSignalStackBytes = 64 * 1024;
constexpr size_t kMaxSharedBytes = 256 * 1024;
/// Behind the dynamic shared memory, to see who writes past it.
constexpr size_t kSharedGuardBytes = 1024;
/// A NaN in f64, f32, f16, bf16 and f8, and no sensible integer.
constexpr unsigned char kUnsetByte = 0xff;

}  // namespace

Block::~Block() {
  for (Lane& lane : m_lanes) lane.fiber.abandon();
  const stack_t none = {nullptr, SS_DISABLE, 0};
  if (!m_signal_stack.empty()) sigaltstack(&none, nullptr);
}

Block& Block::current() {
  // A null pointer here is a device function called by the host.
  return *g_running;
}

bool Block::is_running() {
  return g_running != nullptr;
}

Block::Block() : m_stacks(kMaxThreads), m_lanes(kMaxThreads) {
  // Who has overflowed a stack needs another to say so.
  stack_t present = {};
  sigaltstack(nullptr, &present);
  if ((present.ss_flags & SS_DISABLE) != 0) {
    m_signal_stack.resize(kSignalStackBytes);
    const stack_t own = {m_signal_stack.data(), 0, m_signal_stack.size()};
    sigaltstack(&own, nullptr);
  }
  m_shared_memory.resize((kMaxSharedBytes + kSharedGuardBytes + 128) / sizeof(uint32_t));
  const auto address = reinterpret_cast<uintptr_t>(m_shared_memory.data());
  m_shared = reinterpret_cast<void*>((address + 127) / 128 * 128);
}

bool Block::run(const Launch& launch, uint64_t seed, EarlyMemory* early_memory) {
  CHECK(g_running == nullptr);
  CHECK(launch.shared_bytes <= kMaxSharedBytes);
  g_running = this;
  m_launch = &launch;
  m_early_memory = early_memory;
  m_static_shared = &reachable_shared(launch.kernel);
  m_is_shuffled = seed != 0;
  m_random.seed(static_cast<uint32_t>(seed ^ seed >> 32));
  m_has_trapped = false;
  blockDim = launch.block;
  gridDim = launch.grid;
  for (unsigned z = 0; z < launch.grid.z && !m_has_trapped; ++z) {
    for (unsigned y = 0; y < launch.grid.y && !m_has_trapped; ++y) {
      for (unsigned x = 0; x < launch.grid.x && !m_has_trapped; ++x) {
        start(launch, {x, y, z});
        run_block();
      }
    }
  }
  g_running = nullptr;
  return !m_has_trapped;
}

void Block::start(const Launch& launch, uint3 index) {
  blockIdx = index;
  m_num_threads = launch.block.x * launch.block.y * launch.block.z;
  m_num_warps = (m_num_threads + kLanes - 1) / kLanes;
  m_num_live = m_num_threads;
  m_num_at_barrier = 0;
  m_num_waited = 0;
  if (m_early_memory != nullptr) m_early_memory->hide();
  std::memset(m_shared, kUnsetByte, launch.shared_bytes + kSharedGuardBytes);
  for (const StaticShared& variable : *m_static_shared) {
    std::memset(variable.memory, kUnsetByte, variable.bytes);
  }
  for (unsigned i = 0; i < m_num_threads; ++i) {
    Lane& lane = m_lanes[i];
    lane.index = {i % launch.block.x, i / launch.block.x % launch.block.y,
                  i / launch.block.x / launch.block.y};
    lane.warp = i / kLanes;
    lane.lane = i % kLanes;
    lane.is_done = false;
    lane.is_at_barrier = false;
    lane.has_waited = !launch.begins_early;
    lane.site = {};
    lane.async.clear();
    if (!lane.fiber.is_prepared()) lane.fiber.prepare(m_stacks, i, &Block::body);
  }
  shuffle_order();
  for (unsigned w = 0; w < m_num_warps; ++w) {
    const unsigned count = std::min(kLanes, m_num_threads - w * kLanes);
    m_warps[w].live = count == kLanes ? ~0u : (1u << count) - 1;
    m_warps[w].waiting = 0;
    m_warps[w].runnable = 0;
    make_runnable(w, m_warps[w].live);
  }
  races::release(&m_beginning);
}

/// Only when no lane is runnable but the current one: places say who is.
void Block::shuffle_order() {
  for (unsigned w = 0; w < m_num_warps; ++w) {
    auto& order = m_warps[w].lane_at;
    std::iota(order.begin(), order.end(), uint8_t{0});
    if (m_is_shuffled) std::shuffle(order.begin(), order.end(), m_random);
    for (unsigned place = 0; place < kLanes; ++place) m_warps[w].place_of[order[place]] = place;
  }
  std::iota(m_warp_order.begin(), m_warp_order.begin() + m_num_warps, uint8_t{0});
  if (m_is_shuffled) {
    std::shuffle(m_warp_order.begin(), m_warp_order.begin() + m_num_warps, m_random);
  }
  m_warp_place = 0;
}

void Block::run_block() {
  Lane* const first = next_lane(false);
  m_current = first;
  threadIdx = first->index;
  first->fiber.resume(m_host);
  m_current = nullptr;
  if (m_has_trapped) {
    // The others are in the middle of the kernel: they begin anew next time.
    for (unsigned i = 0; i < m_num_threads; ++i) {
      m_lanes[i].fiber.release(&m_end);
      m_lanes[i].fiber.abandon();
    }
  }
  races::acquire(&m_end);
  if (m_has_trapped) return;
  const auto* const guard = static_cast<unsigned char*>(m_shared) + m_launch->shared_bytes;
  const bool is_whole = std::all_of(guard, guard + kSharedGuardBytes,
                                    [](unsigned char byte) { return byte == kUnsetByte; });
  if (!is_whole) {
    m_current = &m_lanes[0];
    fail("wrote past its " + std::to_string(m_launch->shared_bytes) +
         " bytes of dynamic shared memory");
  }
}

/// What a fiber runs: the thread of the same number of one block after the other.
void Block::body() {
  for (;;) {
    Block& block = *g_running;
    races::acquire(&block.m_beginning);
    block.m_launch->thread();
    races::release(&block.m_end);
    block.leave();
  }
}

void Block::leave() {
  Lane& me = *m_current;
  if (!me.has_waited) fail("begins early and ends without having waited for the kernels before it");
  me.is_done = true;
  Warp& warp = m_warps[me.warp];
  warp.live &= ~(1u << me.lane);
  --m_num_live;
  // Others may wait for nobody but this one.
  for (unsigned lanes = warp.waiting; lanes != 0; lanes &= lanes - 1) {
    if (try_complete_warp(me.warp, static_cast<unsigned>(std::countr_zero(lanes)))) break;
  }
  if (m_num_live > 0 && m_num_at_barrier == m_num_live) complete_barrier();
  Lane* const next = next_lane(false);
  if (next != nullptr) return go_on_at(*next);
  if (m_num_live > 0) report_deadlock();
  m_host.resume(me.fiber);
}

void Block::go_on_at(Lane& lane) {
  Lane& from = *m_current;
  if (&lane == &from) return;
  m_current = &lane;
  threadIdx = lane.index;
  lane.fiber.resume(from.fiber);
}

/// Takes the next lane from those that can run.
Lane* Block::next_lane(bool other_warp) {
  for (unsigned tried = other_warp ? 1 : 0; tried <= m_num_warps; ++tried) {
    unsigned place = m_warp_place + tried;  // A division would take longer than all the rest.
    if (place >= m_num_warps) place -= m_num_warps;
    const unsigned warp_index = m_warp_order[place];
    Warp& warp = m_warps[warp_index];
    if (warp.runnable == 0) continue;
    m_warp_place = place;
    const auto first = static_cast<unsigned>(std::countr_zero(warp.runnable));
    warp.runnable &= warp.runnable - 1;
    return &m_lanes[warp_index * kLanes + warp.lane_at[first]];
  }
  return nullptr;
}

void Block::make_runnable(unsigned warp_index, unsigned lanes) {
  Warp& warp = m_warps[warp_index];
  // In ascending order a lane's place is its number.
  if (!m_is_shuffled) {
    warp.runnable |= lanes;
    return;
  }
  for (; lanes != 0; lanes &= lanes - 1) {
    warp.runnable |= 1u << warp.place_of[std::countr_zero(lanes)];
  }
}

/// Goes on at the next lane that can run, until this one can.
void Block::switch_to_next(bool other_warp) {
  Lane* const next = next_lane(other_warp);
  if (next == nullptr) report_deadlock();
  go_on_at(*next);
}

void Block::yield() {
  make_runnable(m_current->warp, 1u << m_current->lane);
  switch_to_next(true);
}

bool Block::try_complete_warp(unsigned warp_index, unsigned lane) {
  Warp& warp = m_warps[warp_index];
  const WarpOperation* const operation = warp.operations[lane];
  const unsigned mask = warp.masks[lane];
  const unsigned present = mask & warp.live;
  if ((present & ~warp.waiting) != 0) return false;
  for (unsigned i = 0; i < kLanes; ++i) {
    const bool is_same = warp.operations[i] == operation && warp.masks[i] == mask;
    if (!is_same && (present >> i & 1u) != 0) return false;
  }
  if (operation->needs_whole_warp && present != ~0u) {
    fail("is in a warp that calls " + std::string(operation->name) + " without all its lanes");
  }
  operation->complete(warp.slots, present);
  if (operation->orders_memory) order_lanes(warp_index, present);
  warp.waiting &= ~present;
  make_runnable(warp_index, present);
  return true;
}

/// What these lanes did before they came here happens before what each of them does from now on.
void Block::order_lanes(unsigned warp_index, unsigned lanes) {
  Lane* const first = &m_lanes[warp_index * kLanes];
  for (unsigned i = lanes; i != 0; i &= i - 1)
    races::acquire(&first[std::countr_zero(i)].has_arrived);
  for (unsigned i = lanes; i != 0; i &= i - 1) races::release(&first[std::countr_zero(i)].has_met);
}

void Block::meet_warp(const WarpOperation& operation, unsigned mask, void* slot, const Site& site) {
  Lane& me = *m_current;
  if (operation.orders_memory) races::release(&me.has_arrived);
  wait_for_warp(operation, mask, slot, site);
  if (operation.orders_memory) races::acquire(&me.has_met);
}

void Block::wait_for_warp(const WarpOperation& operation, unsigned mask, void* slot,
                          const Site& site) {
  Lane& me = *m_current;
  Warp& warp = m_warps[me.warp];
  const unsigned bit = 1u << me.lane;
  me.site = site;
  if ((mask & bit) == 0) {
    fail("calls " + std::string(operation.name) + " with a mask without itself");
  }
  warp.operations[me.lane] = &operation;
  warp.masks[me.lane] = mask;
  warp.slots[me.lane] = slot;
  warp.waiting |= bit;
  if (!try_complete_warp(me.warp, me.lane)) return switch_to_next(false);
  if (m_is_shuffled && m_random() % 8 == 0) return switch_to_next(true);
  // Going on at once saves a switch.
  warp.runnable &= ~(1u << warp.place_of[me.lane]);
}

int Block::meet_block(Barrier kind, int predicate, const Site& site) {
  Lane& me = *m_current;
  me.barrier = kind;
  me.predicate = predicate;
  me.site = site;
  me.is_at_barrier = true;
  const char* const barrier = &m_barriers[m_barrier_place];
  races::release(barrier);
  if (++m_num_at_barrier == m_num_live) complete_barrier();
  switch_to_next(false);
  races::acquire(barrier);
  return m_barrier_result;
}

void Block::complete_barrier() {
  check_same_barrier();
  int count = 0;
  Barrier kind = Barrier::kPlain;
  for (unsigned i = 0; i < m_num_threads; ++i) {
    if (!m_lanes[i].is_at_barrier) continue;
    kind = m_lanes[i].barrier;
    if (m_lanes[i].predicate != 0) ++count;
    m_lanes[i].is_at_barrier = false;
  }
  m_barrier_result = count;
  if (kind == Barrier::kAnd) m_barrier_result = count == static_cast<int>(m_num_live) ? 1 : 0;
  if (kind == Barrier::kOr) m_barrier_result = count > 0 ? 1 : 0;
  m_num_at_barrier = 0;
  m_barrier_place ^= 1;
  if (m_is_shuffled) shuffle_order();
  for (unsigned w = 0; w < m_num_warps; ++w) make_runnable(w, m_warps[w].live);
}

/// All threads of the block do what comes before the wait before one of them goes on.
void Block::wait_for_earlier_kernels(const Site& site) {
  Lane& me = *m_current;
  if (me.has_waited) return;
  me.has_waited = true;
  me.site = site;
  // Only memory that is hidden orders threads: the wait itself is no barrier.
  if (m_early_memory != nullptr) races::release(&m_beginning);
  if (++m_num_waited == m_num_threads) end_wait_for_earlier_kernels();
  switch_to_next(false);
  if (m_early_memory != nullptr) races::acquire(&m_beginning);
}

void Block::end_wait_for_earlier_kernels() {
  if (m_early_memory != nullptr) {
    races::acquire(&m_beginning);
    m_early_memory->show();
    races::release(&m_beginning);
  }
  if (m_is_shuffled) shuffle_order();
  for (unsigned w = 0; w < m_num_warps; ++w) make_runnable(w, m_warps[w].live);
}

void Block::let_next_kernel_begin() const {
  if (m_current->has_waited) return;
  fail("lets the next kernel begin before it has waited for the kernels before it");
}

/// Threads that meet at barriers in different places are undefined in CUDA, though a GPU may let
/// them pass.
void Block::check_same_barrier() const {
  const Lane* first = nullptr;
  for (unsigned i = 0; i < m_num_threads; ++i) {
    const Lane& lane = m_lanes[i];
    if (!lane.is_at_barrier) continue;
    if (first == nullptr) first = &lane;
    if (lane.site.line() != first->site.line() || lane.barrier != first->barrier ||
        std::strcmp(lane.site.file_name(), first->site.file_name()) != 0) {
      fail("meets others at different barriers: " + describe(*first) + ", " + describe(lane));
    }
  }
}

void Block::trap() {
  m_has_trapped = true;
  m_host.resume(m_current->fiber);
  std::abort();  // Nobody goes on at a thread that trapped.
}

}  // namespace simt
