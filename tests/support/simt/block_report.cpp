#include <cstdio>
#include <cstdlib>
#include <sstream>

#include "tests/support/simt/block.h"

namespace simt {
namespace {

std::string place(uint3 at) {
  return "(" + std::to_string(at.x) + ", " + std::to_string(at.y) + ", " + std::to_string(at.z) +
         ")";
}

std::string position(const Site& site) {
  return std::string(site.file_name()) + ":" + std::to_string(site.line()) + " in " +
         site.function_name();
}

std::string hexadecimal(unsigned value) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%08x", value);
  return text;
}

const char* barrier_name(Barrier kind) {
  switch (kind) {
    case Barrier::kPlain:
      return "__syncthreads";
    case Barrier::kCount:
      return "__syncthreads_count";
    case Barrier::kAnd:
      return "__syncthreads_and";
    case Barrier::kOr:
      return "__syncthreads_or";
  }
  return "";
}

[[noreturn]] void end(const std::string& sentence) {
  std::fprintf(stderr, "simt: %s\n", sentence.c_str());
  std::fflush(stderr);
  std::abort();
}

}  // namespace

std::string Block::describe(const Lane& lane) const {
  std::string text = "thread " + place(lane.index);
  if (lane.is_done) return text + " has exited";
  if (lane.is_at_barrier) {
    return text + " waits at " + barrier_name(lane.barrier) + " at " + position(lane.site);
  }
  if (m_launch->begins_early && lane.has_waited && m_num_waited < m_num_threads) {
    return text + " waits for the kernels before its own at " + position(lane.site);
  }
  const Warp& warp = m_warps[lane.warp];
  if ((warp.waiting >> lane.lane & 1u) != 0) {
    return text + " waits at " + warp.operations[lane.lane]->name + " of the lanes " +
           hexadecimal(warp.masks[lane.lane]) + " at " + position(lane.site);
  }
  return text + " runs";
}

void Block::fail(const std::string& what) const {
  std::string sentence = "kernel " + kernel_name(m_launch->kernel) + ", block " + place(blockIdx);
  if (m_current != nullptr) {
    sentence += ", thread " + place(m_current->index);
    if (m_current->site.line() != 0)
      sentence += " (last seen at " + position(m_current->site) + ")";
  }
  end(sentence + " " + what + ".");
}

void Block::report_fault(const void* address, bool is_device_memory) const {
  if (m_stacks.is_guard(address)) {
    fail("needs more than its " + std::to_string(StackPool::stack_bytes()) + " bytes of stack");
  }
  if (is_device_memory && m_early_memory != nullptr && !m_current->has_waited) {
    fail(
        "writes to device memory, or touches what is not allocated, before it has waited for the "
        "kernels before it");
  }
  if (is_device_memory) {
    fail("touches device memory that is not allocated, or another device's");
  }
}

/// One line for each group of threads that wait for the same.
void Block::report_deadlock() const {
  std::ostringstream text;
  text << "kernel " << kernel_name(m_launch->kernel) << ", block " << place(blockIdx)
       << ": no thread can go on, as each waits for others that never come:";
  std::string last;
  for (unsigned i = 0; i < m_num_threads; ++i) {
    const std::string line = describe(m_lanes[i]);
    const std::string what = line.substr(line.find(')') + 1);
    if (what != last) text << "\n  from " << line;
    last = what;
  }
  end(text.str());
}

}  // namespace simt
