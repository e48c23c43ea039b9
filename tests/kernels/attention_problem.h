#pragma once

#include <optional>

#include "tests/kernels/kernel_test_support.h"
#include "tests/kernels/key_pages.h"

namespace quire::test {

/// A sequence of a batch. Its first blocks may be those of an earlier one.
struct AttentionSequence {
  int rows;
  int context;
  int shares_with = -1;
  int shared_blocks = 0;
};

struct AttentionCase {
  int Hkv;
  int group;
  int D;
  DType dtype = DType::kF32;
  AttentionParams params = {};
  float sink = 0.0f;  ///< Scores of the heads' sinks lie around it; 0 is no sinks.
  int Dv = 0;         ///< Dimensions of values; 0: D.
  int value_dim() const { return Dv > 0 ? Dv : D; }
};

/// A ragged batch whose pages lie in no order, with NaN in every slot that no row may see.
class AttentionProblem {
 public:
  AttentionProblem(const AttentionCase& shape, std::vector<AttentionSequence> sequences);

  int heads() const { return m_case.Hkv * m_case.group; }
  int num_rows() const { return m_num_rows; }
  int64_t row_floats() const { return int64_t{heads()} * m_case.value_dim(); }
  /// The first row of sequence s.
  int first_row(int s) const { return m_query_start[static_cast<size_t>(s)]; }

  std::vector<float> run(Backend& backend);

  /// Only the rows [first, first + count) of sequence s, alone in their batch.
  std::vector<float> run_rows(Backend& backend, int s, int first, int count);

  /// A softmax in double, without pages.
  std::vector<double> reference() const;

  /// Gives every sequence pages of its own with the same contents.
  void unshare();

  /// Makes the queries numbers of bf16.
  void round_queries();

  /// Makes a page of zeros the one that every table names for keys before its first row's window.
  void forget_before_windows();

  /// Makes all queries, keys and values NaN, so that a run leaves them in a backend's memory.
  void make_nan();

  /// Makes what sequence s has for a value at that position `number`, in all heads and dimensions.
  void set_value(int s, int position, float number);

 private:
  /// Rows of `dim` numbers as bytes with a scale each; a row that starts with NaN has that as its
  /// scale.
  struct I8Pages {
    std::vector<int8_t> codes;
    std::vector<float> scales;

    I8Pages() = default;
    I8Pages(const std::vector<float>& numbers, int dim);
  };
  /// Keys in a backend's layout, and for i8 the codes and scales of keys and values. Backends of
  /// one layout share them.
  struct DevicePages {
    bool by_dimension;
    TypedNumbers keys;
    I8Pages i8_keys;
    I8Pages i8_values;

    DevicePages(const AttentionCase& shape, const TypedNumbers& k, const TypedNumbers& v,
                const KeyPages& layout);
  };

  void set_pages(std::vector<float> keys, std::vector<float> values);
  KvLayerView device_pages(const Backend& backend);
  void place_pages(Numbers& numbers);
  void fill_pages(Numbers& numbers);
  size_t page_floats(int dim) const;
  int32_t& block_of(size_t s, int position);
  size_t index_of(size_t s, int position, int h, int d, int dim) const;
  /// (D) and (Dv); the places are not looked up for each number, which would take most of a test's
  /// time.
  const float* key(size_t s, int position, int h) const {
    return &m_keys.exact[index_of(s, position, h, 0, m_case.D)];
  }
  const float* value(size_t s, int position, int h) const {
    return &m_values.exact[index_of(s, position, h, 0, m_case.value_dim())];
  }
  void attend(std::vector<double>& out, size_t s, int row, int h, int position) const;
  std::vector<float> run(Backend& backend, std::vector<int32_t>& query_start,
                         std::vector<int32_t>& context_len, int64_t first_sequence,
                         int64_t first_row, int64_t count);

  AttentionCase m_case;
  std::vector<AttentionSequence> m_sequences;
  int m_num_rows = 0;
  int m_max_blocks = 0;
  int m_num_blocks = 0;
  std::vector<float> m_q;
  std::vector<float> m_sinks;
  TypedNumbers m_keys;
  TypedNumbers m_values;
  std::optional<DevicePages> m_device_pages;  ///< Kept between runs; set_pages() drops them.
  std::vector<int32_t> m_block_tables;
  std::vector<int32_t> m_query_start;
  std::vector<int32_t> m_context_len;
};

}  // namespace quire::test
