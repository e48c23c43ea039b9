#pragma once

#include "kernels/cuda/nccl_links.h"

namespace quire::test {

/// The functions of an NCCL for GPUs of the harness. As NCCL's kernels, an exchange waits in each
/// stream until all devices have sent; if one never sends, the device is lost
/// (cudaErrorLaunchTimeout).
extern const cuda::NcclLibrary kFakeNccl;

struct FakeNccl {
  int num_exchanges = 0;  ///< Submitted, those of graphs once.
  /// Communicators that were destroyed while a graph used them, for which NCCL would wait for ever.
  int num_used_when_destroyed = 0;
  int create_status = 0;  ///< What the functions return.
  int gather_status = 0;
};
/// The one that the functions work with.
FakeNccl& fake_nccl();

}  // namespace quire::test
