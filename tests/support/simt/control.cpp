#include <simt/control.h>
#include <simt/records.h>

#include "tests/support/simt/runtime.h"

namespace simt {
namespace {

using Lock = std::lock_guard<std::recursive_mutex>;

}  // namespace

void set_machine(const Machine& machine) {
  const Lock lock(runtime().mutex);
  runtime().reset(machine);
}

void set_seed(uint64_t seed) {
  const Lock lock(runtime().mutex);
  runtime().set_seed(seed);
}

void fail_call(const std::string& function, int nth, cudaError_t error, bool stays) {
  const Lock lock(runtime().mutex);
  runtime().faults.push_back({function, runtime().num_calls[function] + nth, error, stays});
}

void fail_no_calls() {
  const Lock lock(runtime().mutex);
  runtime().faults.clear();
}

int num_calls(const std::string& function) {
  const Lock lock(runtime().mutex);
  return runtime().num_calls[function];
}

size_t used_bytes(int device) {
  const Lock lock(runtime().mutex);
  return runtime().device(device).memory->used_bytes();
}

size_t num_allocations(int device) {
  const Lock lock(runtime().mutex);
  return runtime().device(device).memory->num_allocations();
}

size_t num_kernels_run() {
  const Lock lock(runtime().mutex);
  return runtime().num_kernels;
}

size_t num_early_kernels_run() {
  const Lock lock(runtime().mutex);
  return runtime().num_early_kernels;
}

std::map<std::string, int> calls() {
  const Lock lock(runtime().mutex);
  return runtime().num_calls;
}

LiveObjects live_objects() {
  const Lock lock(runtime().mutex);
  LiveObjects live{.pinned = runtime().host_memory.size(),
                   .events = CUevent_st::num_live,
                   .graphs = CUgraph_st::num_live,
                   .executables = CUgraphExec_st::num_live};
  for (int i = 0; i < runtime().machine().num_devices; ++i) {
    live.allocations += runtime().device(i).memory->num_allocations();
    live.streams += runtime().device(i).streams.size();
  }
  return live;
}

std::string LiveObjects::text() const {
  const std::pair<const char*, size_t> kinds[] = {
      {"allocations", allocations}, {"pinned allocations", pinned},
      {"streams", streams},         {"events", events},
      {"graphs", graphs},           {"executables", executables}};
  std::string all;
  for (const auto& [name, count] : kinds) {
    if (count > 0) all += std::to_string(count) + " " + name + " ";
  }
  return all;
}

}  // namespace simt
