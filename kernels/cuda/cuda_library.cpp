#include "kernels/cuda/cuda_library.h"

#include "kernels/cuda/cuda_backend.h"

extern "C" __attribute__((visibility("default"))) const quire::cuda::CudaLibrary*
quire_cuda_library() {
  static constexpr quire::cuda::CudaLibrary kLibrary = {.interface_version = QUIRE_CUDA_INTERFACE,
                                                        .create = quire::cuda::CudaBackend::create,
                                                        .list_devices = quire::cuda::list_gpus};
  return &kLibrary;
}
