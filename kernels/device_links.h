#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "kernels/base/tensor_view.h"

namespace quire {

/// How the numbers of a row are divided among devices: of each of num_parts equal parts of the row,
/// device d has those from d * width on, at most `width` of them.
struct RowDivision {
  int num_devices = 1;
  int64_t num_parts = 1;
  int64_t part_size = 0;  ///< Numbers of a part.
  int64_t width = 0;

  /// Numbers of each part that the device has.
  int64_t count_of(int device) const {
    return std::clamp<int64_t>(part_size - device * width, 0, width);
  }
  int64_t row_size() const { return num_parts * part_size; }
  /// Bytes of what one device has of that many rows, in f32, as if it had `width` of each part.
  size_t slab_bytes(int64_t num_rows) const {
    return sizeof(float) * static_cast<size_t>(num_rows * num_parts * width);
  }
};

/// What the devices of a tensor-parallel group do for each other. A slab is what one device has of
/// rows (T) that are divided: (T, num_parts, count_of(device)) f32, dense; the slabs of all devices
/// lie behind each other, slab_bytes(T) apart.
/// Asynchronous and in order, as Backend. Thread: one at a time.
class DeviceLinks {
 public:
  virtual ~DeviceLinks() = default;

  /// slabs[d] is memory of device d for the slabs of all devices, `bytes` each. Each device has
  /// written its own, and afterwards has all.
  virtual void all_gather(std::span<void* const> slabs, size_t bytes) = 0;

  /// out: (T, row_size) f32, any row stride: the rows of the slabs. On that device alone, as what
  /// follows.
  virtual void join_columns(int device, TensorView out, const void* slabs,
                            const RowDivision& division) = 0;

  /// out[t] = the row t of slab min(max(ids[t], 0) / rows_of_each, num_slabs - 1). out: (T, C) f32;
  /// slabs: (num_slabs, T, C) f32; ids: (T) i32.
  virtual void select_rows(int device, TensorView out, ConstTensorView slabs, ConstTensorView ids,
                           int64_t rows_of_each) = 0;

  /// out[t] = ids[t] - first if that is in [0, count), otherwise 0. (T) i32.
  virtual void local_ids(int device, TensorView out, ConstTensorView ids, int64_t first,
                         int64_t count) = 0;

  /// As Backend::launch_graph, for operations on all devices.
  virtual void launch_graph(uint64_t key, const std::function<void()>& operations) = 0;
};

}  // namespace quire
