#pragma once

#include <memory>
#include <vector>

#include "kernels/backend.h"
#include "kernels/cuda/command_queue.h"
#include "kernels/cuda/graph_cache.h"

namespace quire::cuda {

/// The functions of NCCL that are used. It is loaded at run time: only machines with several GPUs
/// need it. Each function returns an ncclResult_t. Types and numbers are those of nccl.h, unchanged
/// since NCCL 2.0.
struct NcclLibrary {
  using Communicator = void*;

  int (*create)(Communicator* communicators, int num_devices, const int* devices);  ///< CommInitAll
  int (*destroy)(Communicator communicator);                                        ///< CommDestroy
  int (*begin_group)();                                                             ///< GroupStart
  int (*end_group)();                                                               ///< GroupEnd
  /// ncclAllGather. In place if `from` is the device's own part of `to`.
  int (*all_gather)(const void* from, void* to, size_t count, int type, Communicator communicator,
                    cudaStream_t stream);

  static constexpr int kSuccess = 0;
  static constexpr int kBytes = 0;  ///< ncclInt8
};

/// Loads NCCL if it is not loaded yet: the file in QUIRE_NCCL_LIBRARY, or libnccl.so.2 from the
/// system's library paths. It stays loaded. Errors: kUnsupported, with what is missing and what to
/// do.
Result<NcclLibrary> load_nccl();

/// GPUs of a tensor-parallel group, which exchange numbers by NCCL: through NVLink, PCI Express or
/// host memory, as it finds them.
/// Thread: one at a time.
class NcclLinks final : public DeviceLinks {
 public:
  /// The queues, of different GPUs, must outlive it. captures: whether launch_graph captures.
  /// Errors: kUnsupported if NCCL does not start, or for GPUs of different compute capabilities.
  static Result<std::unique_ptr<DeviceLinks>> create(std::vector<CommandQueue*> queues,
                                                     const NcclLibrary& library, bool captures);
  ~NcclLinks() override;
  NcclLinks(const NcclLinks&) = delete;
  NcclLinks& operator=(const NcclLinks&) = delete;

  void all_gather(std::span<void* const> slabs, size_t bytes) override;
  void join_columns(int device, TensorView out, const void* slabs,
                    const RowDivision& division) override;
  void select_rows(int device, TensorView out, ConstTensorView slabs, ConstTensorView ids,
                   int64_t rows_of_each) override;
  void local_ids(int device, TensorView out, ConstTensorView ids, int64_t first,
                 int64_t count) override;
  void launch_graph(uint64_t key, const std::function<void()>& operations) override;

 private:
  NcclLinks(std::vector<CommandQueue*> queues, const NcclLibrary& library, bool captures);
  CommandQueue& queue(int device) { return *m_queues.at(static_cast<size_t>(device)); }

  std::vector<CommandQueue*> m_queues;
  NcclLibrary m_library;
  std::vector<NcclLibrary::Communicator> m_communicators;
  std::unique_ptr<GraphCache> m_graphs;  ///< Null if steps are not captured.
};

}  // namespace quire::cuda
