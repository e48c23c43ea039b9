#include "kernels/cuda/nccl_links.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <string>
#include <utility>

#include "kernels/base/shape_checks.h"
#include "kernels/cuda/launch.h"

namespace quire::cuda {
namespace {

constexpr int kThreads = 256;

struct JoinTask {
  float* out;
  int64_t out_stride;
  const float* slabs;
  RowDivision division;
  int64_t num_rows;
};

/// Grid: (rows, numbers of a row / kThreads). Bound by memory: 8 bytes for each number.
__global__ void __launch_bounds__(kThreads) join_columns_kernel(JoinTask task) {
  const RowDivision& division = task.division;
  const int64_t column = int64_t{blockIdx.y} * kThreads + threadIdx.x;
  if (column >= division.num_parts * division.part_size) return;
  const int64_t part = column / division.part_size, at = column % division.part_size;
  const int64_t device = at / division.width, first = device * division.width;
  const int64_t left = division.part_size - first;
  const int64_t count = left < division.width ? left : division.width;
  const int64_t row = blockIdx.x;
  const float* const slab =
      task.slabs + device * task.num_rows * division.num_parts * division.width;
  task.out[row * task.out_stride + column] =
      slab[(row * division.num_parts + part) * count + at - first];
}

struct SelectTask {
  float* out;
  int64_t out_stride;
  const float* slabs;
  const int32_t* ids;
  int64_t rows_of_each;
  int64_t num_slabs;
  int64_t num_rows;
  int64_t width;
};

/// Grid: (rows, numbers of a row / kThreads).
__global__ void __launch_bounds__(kThreads) select_rows_kernel(SelectTask task) {
  const int64_t column = int64_t{blockIdx.y} * kThreads + threadIdx.x;
  if (column >= task.width) return;
  const int64_t row = blockIdx.x;
  const int64_t id = task.ids[row] < 0 ? 0 : task.ids[row];
  const int64_t owner = id / task.rows_of_each;
  const int64_t slab = owner < task.num_slabs ? owner : task.num_slabs - 1;
  task.out[row * task.out_stride + column] =
      task.slabs[(slab * task.num_rows + row) * task.width + column];
}

__global__ void __launch_bounds__(kThreads)
    local_ids_kernel(int32_t* out, const int32_t* ids, int64_t first, int64_t count, int num_ids) {
  const int i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  if (i >= num_ids) return;
  const int64_t local = ids[i] - first;
  out[i] = local >= 0 && local < count ? static_cast<int32_t>(local) : 0;
}

LaunchShape rows_shape(int64_t num_rows, int64_t width) {
  return {.grid = dim3(grid_size(num_rows, 1), grid_size(width, kThreads)),
          .block = dim3(kThreads)};
}

/// Held while something is submitted to several GPUs: of two groups of the same GPUs, one must not
/// come first on one GPU and second on another, where both would wait.
std::recursive_mutex& submissions() {
  static std::recursive_mutex mutex;
  return mutex;
}

Error cannot_load(const std::string& why) {
  return make_error(ErrorCode::kUnsupported,
                    "Several GPUs compute layers together only with NCCL, which cannot be loaded "
                    "(%1). Install NVIDIA's package libnccl2, or name the library's file in "
                    "QUIRE_NCCL_LIBRARY.",
                    {why});
}

template <typename Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

}  // namespace

Result<NcclLibrary> load_nccl() {
#ifdef QUIRE_SIMT_HARNESS
  return cannot_load("it cannot use the harness's GPUs");
#else
  const char* const named = std::getenv("QUIRE_NCCL_LIBRARY");
  const std::string file = named != nullptr ? named : "libnccl.so.2";
  void* const handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* const words = dlerror();
    return cannot_load(words != nullptr ? words : file);
  }
  NcclLibrary library = {};
  const bool has_all = find(handle, "ncclCommInitAll", library.create) &&
                       find(handle, "ncclCommDestroy", library.destroy) &&
                       find(handle, "ncclGroupStart", library.begin_group) &&
                       find(handle, "ncclGroupEnd", library.end_group) &&
                       find(handle, "ncclAllGather", library.all_gather);
  if (!has_all) return cannot_load(file + " lacks its functions");
  return library;
#endif
}

NcclLinks::NcclLinks(std::vector<CommandQueue*> queues, const NcclLibrary& library, bool captures)
    : m_queues(std::move(queues)),
      m_library(library),
      m_graphs(captures ? std::make_unique<GraphCache>(m_queues) : nullptr) {}

Result<std::unique_ptr<DeviceLinks>> NcclLinks::create(std::vector<CommandQueue*> queues,
                                                       const NcclLibrary& library, bool captures) {
  for (const CommandQueue* queue : queues) {
    if (queue->facts().compute_capability == queues[0]->facts().compute_capability) continue;
    return make_error(ErrorCode::kUnsupported,
                      "GPUs of different generations do not compute layers together, because their "
                      "results differ in the last bits. Give them layers of their own: separate "
                      "their names by commas.");
  }
  std::unique_ptr<NcclLinks> links(new NcclLinks(std::move(queues), library, captures));
  std::vector<int> devices;
  for (const CommandQueue* queue : links->m_queues) devices.push_back(queue->facts().device);
  std::vector<NcclLibrary::Communicator> communicators(devices.size());
  const int status =
      library.create(communicators.data(), static_cast<int>(devices.size()), devices.data());
  if (status != NcclLibrary::kSuccess) {
    return make_error(ErrorCode::kUnsupported,
                      "NCCL does not start on these GPUs (status %1). Name each GPU once, or "
                      "choose one GPU. NCCL_DEBUG=WARN shows more.",
                      {std::to_string(status)});
  }
  links->m_communicators = std::move(communicators);
  return std::unique_ptr<DeviceLinks>(std::move(links));
}

NcclLinks::~NcclLinks() {
  m_graphs.reset();  // NCCL waits for the end of graphs that use a communicator.
  // A destructor cannot report failures.
  for (const NcclLibrary::Communicator communicator : m_communicators) {
    m_library.destroy(communicator);
  }
}

/// If one device has failed, the others must not wait for it.
void NcclLinks::all_gather(std::span<void* const> slabs, size_t bytes) {
  CHECK(slabs.size() == m_queues.size());
  const auto failed = [](const CommandQueue* queue) { return queue->has_failed(); };
  if (bytes == 0 || std::ranges::any_of(m_queues, failed)) return;
  const std::lock_guard lock(submissions());
  int status = m_library.begin_group();
  for (size_t d = 0; d < slabs.size() && status == NcclLibrary::kSuccess; ++d) {
    auto* const to = static_cast<std::byte*>(slabs[d]);
    status = m_library.all_gather(to + d * bytes, to, bytes, NcclLibrary::kBytes,
                                  m_communicators[d], m_queues[d]->stream());
  }
  const int ended = m_library.end_group();
  if (status == NcclLibrary::kSuccess) status = ended;
  if (status == NcclLibrary::kSuccess) return;
  // No error that loses the GPUs: without exchanges they can still be used apart.
  const std::string operation = "an exchange by NCCL (status " + std::to_string(status) + ")";
  for (CommandQueue* const queue : m_queues) queue->note(cudaErrorNotSupported, operation.c_str());
}

void NcclLinks::join_columns(int device, TensorView out, const void* slabs,
                             const RowDivision& division) {
  const int64_t num_rows = out.dim(0);
  CHECK(have_shape({out}, {num_rows, division.row_size()}));
  launch(queue(device), "join_columns", join_columns_kernel,
         rows_shape(num_rows, division.row_size()),
         JoinTask{out.as<float>(), out.row_stride(), static_cast<const float*>(slabs), division,
                  num_rows});
}

void NcclLinks::select_rows(int device, TensorView out, ConstTensorView slabs, ConstTensorView ids,
                            int64_t rows_of_each) {
  const int64_t num_rows = out.dim(0), width = out.dim(1);
  CHECK(have_shape({out}, {num_rows, width}) &&
        have_shape({slabs}, {slabs.dim(0), num_rows, width}));
  CHECK(has_shape(ids, DType::kI32, {num_rows}) && rows_of_each > 0);
  launch(queue(device), "select_rows", select_rows_kernel, rows_shape(num_rows, width),
         SelectTask{out.as<float>(), out.row_stride(), slabs.as<float>(), ids.as<int32_t>(),
                    rows_of_each, slabs.dim(0), num_rows, width});
}

void NcclLinks::local_ids(int device, TensorView out, ConstTensorView ids, int64_t first,
                          int64_t count) {
  const int64_t num_ids = ids.dim(0);
  CHECK(has_shape(out, DType::kI32, {num_ids}) && has_shape(ids, DType::kI32, {num_ids}));
  launch(queue(device), "local_ids", local_ids_kernel,
         {.grid = dim3(grid_size(num_ids, kThreads)), .block = dim3(kThreads)}, out.as<int32_t>(),
         ids.as<int32_t>(), first, count, static_cast<int>(num_ids));
}

void NcclLinks::launch_graph(uint64_t key, const std::function<void()>& operations) {
  if (m_graphs == nullptr) return operations();
  const std::lock_guard lock(submissions());
  m_graphs->launch(key, operations);
}

}  // namespace quire::cuda
