#pragma once

#include <simt/control.h>
#include <simt/records.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/simt/device_memory.h"
#include "tests/support/simt/unfinished_kernel.h"

namespace simt {

struct Stream;

/// A place in a stream: behind the work of that number.
struct StreamPoint {
  std::shared_ptr<Stream> stream;
  uint64_t number = 0;
};

/// A piece of work in a stream.
struct Task {
  std::function<cudaError_t()> run;  ///< May be empty.
  std::vector<StreamPoint> after;    ///< Of other streams.
};

/// What a stream that is being captured records.
struct Capture {
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  bool is_invalid = false;
  Stream* origin = nullptr;
  std::thread::id thread = std::this_thread::get_id();
  std::vector<std::function<cudaError_t()>> tasks;
  /// By stream, how many of `tasks` there were at its last one; streams joined again are not here.
  std::map<Stream*, size_t> branches;
  std::vector<std::shared_ptr<Stream>> members;
};

/// What a cudaStream_t points at.
struct Stream {
  int device = 0;
  bool is_blocking = true;  ///< Waits for the default stream, and the default stream for it.
  bool is_running = false;
  std::deque<Task> tasks;
  uint64_t num_submitted = 0;
  uint64_t num_done = 0;
  std::shared_ptr<Capture> capture;
};

struct Device {
  std::unique_ptr<DeviceMemory> memory;
  std::shared_ptr<Stream> default_stream;
  std::vector<std::shared_ptr<Stream>> streams;  ///< Those created and not destroyed.
  cudaError_t lost = cudaSuccess;
  MemoryRanges last_written;  ///< By the last kernel, if Machine::hides_unfinished_kernels.
};

/// Host memory of a device's context, which ends with it; what was only registered stays.
struct PinnedMemory {
  size_t bytes = 0;
  int device = 0;
  bool is_registered = false;
};

/// Everything behind the API.
/// Thread: any; every entry of the API holds `mutex`.
class Runtime {
 public:
  static Runtime& instance();

  void reset(const Machine& machine);
  const Machine& machine() const { return m_machine; }
  void set_seed(uint64_t seed) { m_machine.seed = seed; }
  Device& device(int index) { return m_devices[static_cast<size_t>(index)]; }
  Device& current();
  bool is_device(int index) const { return index >= 0 && index < m_machine.num_devices; }

  /// What an API function does first: counts the call and fails it if a test wants so.
  cudaError_t enter(const char* function);
  /// Keeps the error for cudaGetLastError.
  static cudaError_t leave(cudaError_t status);

  /// The stream behind a handle; null for one that was destroyed or never was.
  std::shared_ptr<Stream> find(cudaStream_t handle);
  cudaError_t submit(const std::shared_ptr<Stream>& stream, Task task);
  cudaError_t run_until(const StreamPoint& point);
  cudaError_t run_all(int device);
  /// An error if a capture forbids allocations, and invalidates the capture.
  cudaError_t refuse_unsafe_call();
  /// An error if a stream of the current device is captured, and invalidates the capture.
  cudaError_t refuse_to_wait();

  /// -1 if no device owns it.
  int owner(const void* address) const;
  void lose(int device, cudaError_t error);
  /// Frees everything on the device, and a lost device works again.
  void reset_device(int device);
  /// Frees the device's pinned memory.
  void free_pinned(int device);

  std::recursive_mutex mutex;
  std::map<std::string, int> num_calls;
  size_t num_kernels = 0;
  size_t num_early_kernels = 0;
  std::map<std::pair<int, const void*>, int> max_dynamic_shared;  ///< By device and kernel.
  std::map<const void*, PinnedMemory> host_memory;
  std::set<Capture*> captures;

  struct Fault {
    std::string function;
    int nth;
    cudaError_t error;
    bool stays;
  };
  std::vector<Fault> faults;

 private:
  Runtime();
  Machine m_machine;
  std::vector<Device> m_devices;
};

/// Counts the objects of a kind that are not destroyed.
template <typename Kind>
struct Counted {
  static inline std::atomic<size_t> num_live = 0;
  Counted() { ++num_live; }
  Counted(const Counted&) { ++num_live; }
  Counted& operator=(const Counted&) = default;
  ~Counted() { --num_live; }
};

int current_device();
void set_current_device(int device);
inline Runtime& runtime() {
  return Runtime::instance();
}
cudaError_t take_last_error(bool keep);
bool loses_device(cudaError_t error);
cudaDeviceProp properties_of(int device);
size_t max_shared_per_block(int compute_capability);
size_t shared_per_multiprocessor(int compute_capability);

/// An entry of the API: holds the mutex.
class Entry {
 public:
  explicit Entry(const char* function)
      : m_lock(runtime().mutex), m_status(runtime().enter(function)) {}
  bool has_failed() const { return m_status != cudaSuccess; }
  cudaError_t status() const { return m_status; }
  cudaError_t leave(cudaError_t status) const { return Runtime::leave(status); }

 private:
  std::lock_guard<std::recursive_mutex> m_lock;
  cudaError_t m_status;
};

}  // namespace simt

struct CUevent_st : simt::Counted<CUevent_st> {
  bool is_recorded = false;
  bool has_time = true;
  simt::StreamPoint point;
  std::shared_ptr<double> milliseconds;
  std::shared_ptr<simt::Capture> capture;  ///< If it was recorded in one.
  size_t capture_position = 0;
  simt::Stream* capture_stream = nullptr;
};
struct CUgraph_st : simt::Counted<CUgraph_st> {
  std::vector<std::function<cudaError_t()>> tasks;
};
struct CUgraphExec_st : simt::Counted<CUgraphExec_st> {
  std::shared_ptr<const CUgraph_st> graph;
};
