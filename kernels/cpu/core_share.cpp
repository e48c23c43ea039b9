#include "kernels/cpu/core_share.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <string_view>

#include "kernels/base/processor_cores.h"

namespace quire::cpu {
namespace {

/// Longer than the serial work between two jobs of a step, such as sampling.
constexpr int64_t kLingerNs = 10'000'000;

int64_t now_ns() {
  return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
}

}  // namespace

CoreShare::Slot CoreShare::s_slots[kNumSlots];

CoreShare::CoreShare(int num_threads) : m_num_threads(num_threads) {
  for (Slot& slot : s_slots) {
    int expected = 0;
    if (!slot.num_threads.compare_exchange_strong(expected, num_threads)) continue;
    m_slot = &slot;
    return;
  }
}

CoreShare::~CoreShare() {
  if (m_slot == nullptr) return;
  m_slot->busy_until = 0;
  m_slot->num_threads = 0;
}

int CoreShare::begin() {
  // Benchmarks set QUIRE_SHARE_CORES=off.
  static const char* const kSwitch = std::getenv("QUIRE_SHARE_CORES");
  static const bool kIsOff = kSwitch != nullptr && std::string_view(kSwitch) == "off";
  if (kIsOff) return m_num_threads;
  const int64_t now = now_ns();
  if (m_slot) m_slot->busy_until.store(std::numeric_limits<int64_t>::max());
  int wanted = m_num_threads;
  int busy = 1;
  int rank = 0;  // Among busy pools; the first ones get the remainder of the division.
  for (Slot& slot : s_slots) {
    if (&slot == m_slot) {
      rank = busy - 1;
      continue;
    }
    if (slot.busy_until.load(std::memory_order_relaxed) <= now) continue;
    wanted += slot.num_threads.load(std::memory_order_relaxed);
    ++busy;
  }
  if (busy == 1 || wanted <= num_usable_cores()) return m_num_threads;
  const int share = m_num_threads * num_usable_cores() / wanted;
  const int left = rank < num_usable_cores() % busy && share * busy < num_usable_cores() ? 1 : 0;
  return std::clamp(share + left, 1, m_num_threads);
}

void CoreShare::end() {
  if (m_slot) m_slot->busy_until.store(now_ns() + kLingerNs);
}

}  // namespace quire::cpu
