#pragma once

#include "kernels/cuda/attention/attention.h"
#include "tests/kernels/attention_problem.h"
#include "tests/kernels/cuda/test_gpu.h"

namespace quire::test {

/// Some rows of a sequence of the problem, as they come in a batch.
struct AttentionPart {
  int sequence;
  int first;
  int count;
};

/// As AttentionProblem, for a GPU and for pages of 8 bits too: a ragged batch whose pages lie in no
/// order, with what is no number in every slot that no row may see.
class GpuAttentionProblem {
 public:
  GpuAttentionProblem(const AttentionCase& shape, std::vector<AttentionSequence> sequences);

  int64_t query_floats() const { return int64_t{heads()} * m_case.D; }
  int64_t row_floats() const { return int64_t{heads()} * m_case.value_dim(); }
  const std::vector<AttentionSequence>& sequences() const { return m_sequences; }
  int num_rows() const { return m_query_start.back(); }
  int first_row(int s) const { return m_query_start[static_cast<size_t>(s)]; }
  /// All rows, in the order of the sequences.
  std::vector<AttentionPart> whole() const;

  /// Announces a batch of those rows and `padding` empty sequences of a row each, and computes it.
  std::vector<float> run(cuda::CommandQueue& queue, cuda::PagedAttention& attention,
                         const std::vector<AttentionPart>& parts, int padding = 0) const;
  /// All rows, on a GPU of their own.
  std::vector<float> run() const;

  /// A softmax in double, without pages, of the rows in the order of the sequences.
  std::vector<double> reference() const;

  /// Gives every sequence pages of its own with the same contents.
  void unshare();

  /// As AttentionProblem::forget_before_windows.
  void forget_before_windows();

  /// The parts of a batch, in host memory.
  struct Batch {
    std::vector<float> q;
    std::vector<int32_t> query_start;
    std::vector<int32_t> context_len;
    std::vector<int32_t> block_tables;
    int64_t max_blocks;
  };
  Batch batch_of(const std::vector<AttentionPart>& parts, int padding = 0) const;

  /// The pool on the device.
  struct Pool {
    GpuArray<uint8_t> keys;
    GpuArray<uint8_t> values;
    GpuArray<float> key_scales;
    GpuArray<float> value_scales;
    GpuArray<float> sinks;
  };
  Pool pool() const;
  KvLayerView view_of(const Pool& pool) const;
  AttentionParams params_of(const Pool& pool) const;
  int heads() const { return m_case.Hkv * m_case.group; }
  int head_dim() const { return m_case.D; }
  int value_dim() const { return m_case.value_dim(); }

 private:
  /// Keys or values: each slot's numbers, their bytes in the pages, and the slots' scales.
  struct Numbers8 {
    int dim = 0;
    std::vector<float> exact;
    std::vector<uint8_t> bytes;
    std::vector<float> scales;
  };
  size_t slot_of(size_t sequence, int position, int head) const;
  void encode(Numbers8& numbers) const;
  void encode_slot(Numbers8& numbers, size_t slot) const;
  void fill(Numbers8& numbers, Numbers& random) const;
  void attend(std::vector<double>& out, size_t s, int row, int h, int position) const;

  AttentionCase m_case;
  std::vector<AttentionSequence> m_sequences;
  std::vector<int32_t> m_query_start = {0};
  std::vector<std::vector<int32_t>> m_tables;
  int m_num_blocks = 1;
  std::vector<float> m_q;
  std::vector<float> m_sinks;
  Numbers8 m_keys;
  Numbers8 m_values;
};

/// A batch of a problem's rows in device memory, which may be given other contents of as many rows
/// and sequences.
class GpuAttentionStep {
 public:
  GpuAttentionStep(const GpuAttentionProblem& problem, const std::vector<AttentionPart>& parts,
                   int padding = 0);

  void change(cuda::CommandQueue& queue, const std::vector<AttentionPart>& parts);
  void begin(cuda::PagedAttention& attention) const;
  /// The same with tables that name `block` everywhere for calls without a window.
  void begin_with_windows(cuda::PagedAttention& attention, int32_t block) const;
  void run(cuda::PagedAttention& attention) const;
  /// The same to another (T, H, Dv).
  void run(cuda::PagedAttention& attention, TensorView out) const;
  std::vector<float> out(cuda::CommandQueue& queue) const { return m_out.download(queue); }

 private:
  AttentionBatch batch() const;

  const GpuAttentionProblem& m_problem;
  GpuAttentionProblem::Batch m_host;
  GpuAttentionProblem::Pool m_pool;
  GpuArray<float> m_q;
  GpuArray<float> m_out;
  GpuArray<int32_t> m_query_start;
  GpuArray<int32_t> m_context_len;
  GpuArray<int32_t> m_block_tables;
};

}  // namespace quire::test
