#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "kernels/tensor_parallel.h"

namespace quire::test {

/// Links between CPU backends, which compute at once: exchanges are copies.
class HostLinks final : public DeviceLinks {
 public:
  void all_gather(std::span<void* const> slabs, size_t bytes) override {
    ++num_exchanges;
    for (size_t from = 0; from < slabs.size(); ++from) {
      for (size_t to = 0; to < slabs.size(); ++to) {
        if (to == from) continue;
        std::memcpy(at(slabs[to], from * bytes), at(slabs[from], from * bytes), bytes);
      }
    }
  }
  void join_columns(int /*device*/, TensorView out, const void* slabs,
                    const RowDivision& division) override {
    const int64_t num_rows = out.dim(0);
    for (int d = 0; d < division.num_devices; ++d) {
      const int64_t count = division.count_of(d);
      const auto* const slab = static_cast<const float*>(
          at(slabs, static_cast<size_t>(d) * division.slab_bytes(num_rows)));
      for (int64_t i = 0; i < num_rows * division.num_parts; ++i) {
        std::copy_n(slab + i * count, count,
                    out.row<float>(i / division.num_parts) +
                        i % division.num_parts * division.part_size + d * division.width);
      }
    }
  }
  void select_rows(int /*device*/, TensorView out, ConstTensorView slabs, ConstTensorView ids,
                   int64_t rows_of_each) override {
    const int64_t num_rows = out.dim(0), width = out.dim(1);
    for (int64_t t = 0; t < num_rows; ++t) {
      const int64_t slab =
          std::clamp<int64_t>(ids.as<int32_t>()[t] / rows_of_each, 0, slabs.dim(0) - 1);
      std::copy_n(slabs.as<float>() + (slab * num_rows + t) * width, width, out.row<float>(t));
    }
  }
  void local_ids(int /*device*/, TensorView out, ConstTensorView ids, int64_t first,
                 int64_t count) override {
    for (int64_t t = 0; t < ids.dim(0); ++t) {
      const int64_t local = ids.as<int32_t>()[t] - first;
      out.as<int32_t>()[t] = local >= 0 && local < count ? static_cast<int32_t>(local) : 0;
    }
  }
  void launch_graph(uint64_t /*key*/, const std::function<void()>& operations) override {
    operations();
  }

  static inline int num_exchanges = 0;

 private:
  static void* at(void* memory, size_t offset) { return static_cast<std::byte*>(memory) + offset; }
  static const void* at(const void* memory, size_t offset) {
    return static_cast<const std::byte*>(memory) + offset;
  }
};

/// That many CPU backends of one thread, which compute each layer together.
inline std::unique_ptr<Backend> make_cpu_group(int num_devices, int64_t fewest_outputs) {
  std::vector<std::unique_ptr<Backend>> devices;
  for (int i = 0; i < num_devices; ++i) {
    auto device = create_backend({.device = "cpu", .num_threads = 1});
    CHECK(device.has_value());
    devices.push_back(std::move(*device));
  }
  return std::make_unique<TensorParallelBackend>(
      std::move(devices), std::make_unique<HostLinks>(),
      TensorParallelBackend::Options{.fewest_outputs = fewest_outputs});
}

}  // namespace quire::test
