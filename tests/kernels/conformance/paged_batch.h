#pragma once

#include <memory>
#include <vector>

#include "tests/kernels/attention_problem.h"
#include "tests/kernels/conformance/attention_in_double.h"
#include "tests/kernels/conformance/device_array.h"
#include "tests/kernels/key_pages.h"

namespace quire::test {

/// A ragged batch in host memory, its pages encoded in the case's dtype. They lie in no order, with
/// NaN in every slot that no row may see; entries of the block tables past a context name a block
/// that does not exist.
struct PagedBatch {
  AttentionCase shape;
  std::vector<AttentionSequence> sequences;
  int num_rows = 0;
  int num_blocks = 0;
  int max_blocks = 0;
  std::vector<float> q;  ///< (T, H, D)
  std::vector<float> sinks;
  std::vector<int32_t> query_start;
  std::vector<int32_t> context_len;
  std::vector<int32_t> block_tables;  ///< (S, max_blocks)
  /// Keys, values: pages, scales of slots (of i8), and the numbers that they are.
  struct Pool {
    int64_t dim = 0;  ///< Numbers of a slot.
    std::vector<uint8_t> bytes;
    std::vector<float> scales;
    std::vector<float> decoded;
  };
  Pool pools[2];

  PagedBatch(const AttentionCase& attention_case, std::vector<AttentionSequence> ragged);

  int heads() const { return shape.Hkv * shape.group; }
  /// Of a row of results.
  int64_t row_floats() const { return int64_t{heads()} * shape.value_dim(); }
  int64_t num_slots() const { return int64_t{num_blocks} * shape.Hkv * kBlockSize; }

  /// Every sequence with pages of its own, of the same contents.
  PagedBatch unshared() const;
  /// In double precision.
  AttentionInDouble in_double() const;

 private:
  int32_t& block_of(size_t s, int i);
  void place_pages(Numbers& numbers);
  void fill_pages(Numbers& numbers);
  void fill_slot(Pool& pool, int64_t slot, const std::vector<float>& numbers);
};

/// A PagedBatch in a device's memory.
class PagedBatchOnDevice {
 public:
  /// is_decoded: the pages are f32 and hold what the batch's pages hold, for a backend that does
  /// not have their dtype.
  PagedBatchOnDevice(Device& device, const PagedBatch& batch, bool is_decoded);

  /// Announces the whole batch and computes it.
  std::vector<float> run();
  /// Rows [first, first + count) of sequence s in a batch of their own.
  std::vector<float> run_rows(int s, int first, int count);

 private:
  std::vector<float> run(const std::vector<int32_t>& query_start,
                         const std::vector<int32_t>& context_len, int first_sequence,
                         int first_row);
  KvLayerView kv() const;

  Device& m_device;
  const PagedBatch& m_batch;
  DType m_dtype;
  DeviceArray<float> m_q;
  DeviceArray<float> m_sinks;
  DeviceArray<int32_t> m_tables;
  KeyPages m_key_pages;
  DeviceArray<uint8_t> m_keys;
  DeviceArray<uint8_t> m_values;
  DeviceArray<float> m_key_scales;
  DeviceArray<float> m_value_scales;
};

}  // namespace quire::test
