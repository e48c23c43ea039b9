// Recurrent layers' operations: not yet written.

#include "kernels/cuda/operations.h"

namespace quire::cuda {

void multiply(CommandQueue&, TensorView, ConstTensorView) {
  CHECK(!"multiply has no CUDA kernel yet.");
}

void gated_norm(CommandQueue&, TensorView, ConstTensorView, ConstTensorView,
                const GatedNormParams&) {
  CHECK(!"gated_norm has no CUDA kernel yet.");
}

void causal_conv(CommandQueue&, TensorView, ConstTensorView, ConstTensorView, ConstTensorView,
                 TensorView, const StateBatch&, bool) {
  CHECK(!"causal_conv has no CUDA kernel yet.");
}

void gated_delta(CommandQueue&, TensorView, ConstTensorView, ConstTensorView, ConstTensorView,
                 ConstTensorView, ConstTensorView, TensorView, const StateBatch&,
                 const GatedDeltaParams&) {
  CHECK(!"gated_delta has no CUDA kernel yet.");
}

void mamba2_scan(CommandQueue&, TensorView, ConstTensorView, ConstTensorView, ConstTensorView,
                 ConstTensorView, TensorView, const StateBatch&, const Mamba2Params&) {
  CHECK(!"mamba2_scan has no CUDA kernel yet.");
}

}  // namespace quire::cuda
