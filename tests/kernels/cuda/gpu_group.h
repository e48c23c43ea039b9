#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kernels/cuda/cuda_backend.h"
#include "kernels/tensor_parallel.h"
#include "tests/kernels/cuda/fake_nccl.h"

namespace quire::test {

/// The first `count` GPUs of the harness, which compute each layer together and exchange numbers by
/// the fake NCCL. Weights of 40 outputs or more are divided.
inline Result<std::unique_ptr<Backend>> make_gpu_group(int count,
                                                       const BackendOptions& options = {}) {
  std::vector<std::unique_ptr<Backend>> gpus;
  std::vector<Backend*> all;
  for (int i = 0; i < count; ++i) {
    auto gpu = cuda::CudaBackend::create(i, options);
    if (!gpu) return gpu.error();
    all.push_back(gpu->get());
    gpus.push_back(std::move(*gpu));
  }
  auto links = cuda::CudaBackend::connect_by(kFakeNccl, all);
  if (!links) return links.error();
  return std::unique_ptr<Backend>(std::make_unique<TensorParallelBackend>(
      std::move(gpus), std::move(*links), TensorParallelBackend::Options{.fewest_outputs = 40}));
}

}  // namespace quire::test
