#pragma once

#include "tests/kernels/kernel_test_support.h"

/// Linear layers on quantised weights, as their tests call them.
namespace quire::test {

inline ConstTensorView blocks_view(const QuantizedNumbers& w, int64_t N, int64_t K) {
  return {w.blocks.data(), w.dtype, {N, K}};
}

inline std::unique_ptr<LinearWeight> pack(Backend& backend,
                                          std::span<const ConstTensorView> parts) {
  return std::move(backend.pack_linear(parts)).value();
}

inline std::unique_ptr<LinearWeight> pack(Backend& backend, const ConstTensorView& part) {
  return pack(backend, std::span(&part, 1));
}

/// x (T, K) times the weight, with bias.
inline std::vector<float> run(Backend& backend, const LinearWeight& weight, std::vector<float>& x,
                              std::vector<float>& bias, int64_t T) {
  const int64_t N = weight.num_outputs();
  std::vector<float> out(static_cast<size_t>(T * N), -7.0f);
  backend.linear(view(out, {T, N}), view(x, {T, weight.num_inputs()}), weight, view(bias, {N}));
  return out;
}

}  // namespace quire::test
