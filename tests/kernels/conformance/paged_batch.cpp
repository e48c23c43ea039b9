#include "tests/kernels/conformance/paged_batch.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>

#include "tests/kernels/conformance/page_numbers.h"

namespace quire::test {
namespace {

constexpr int32_t kNoBlock = 1 << 20;

int blocks_for(int num_tokens) {
  return (num_tokens + kBlockSize - 1) / kBlockSize;
}

std::vector<uint8_t> bytes_of(const std::vector<float>& numbers) {
  std::vector<uint8_t> bytes(numbers.size() * sizeof(float));
  std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return bytes;
}

}  // namespace

PagedBatch::PagedBatch(const AttentionCase& attention_case, std::vector<AttentionSequence> ragged)
    : shape(attention_case), sequences(std::move(ragged)) {
  Numbers numbers(static_cast<uint32_t>(shape.D * 100 + shape.Hkv * 10 + shape.group));
  query_start = {0};
  num_blocks = 1;
  for (const AttentionSequence& s : sequences) {
    num_rows += s.rows;
    max_blocks = std::max(max_blocks, blocks_for(s.context));
    num_blocks += blocks_for(s.context) - s.shared_blocks;
    query_start.push_back(num_rows);
    context_len.push_back(s.context);
  }
  q = numbers.floats(int64_t{num_rows} * heads() * shape.D, 3.0f);
  for (int h = 0; h < heads(); ++h) sinks.push_back(shape.sink + numbers.next());
  place_pages(numbers);
  fill_pages(numbers);
}

int32_t& PagedBatch::block_of(size_t s, int i) {
  return block_tables[s * static_cast<size_t>(max_blocks) + static_cast<size_t>(i)];
}

void PagedBatch::place_pages(Numbers& numbers) {
  std::vector<int32_t> order(static_cast<size_t>(num_blocks));
  std::iota(order.begin(), order.end(), 0);
  for (int i = num_blocks - 1; i > 0; --i) {
    std::swap(order[static_cast<size_t>(i)], order[static_cast<size_t>(numbers.below(i + 1))]);
  }
  block_tables.assign(sequences.size() * static_cast<size_t>(max_blocks), kNoBlock);
  size_t next = 0;
  for (size_t s = 0; s < sequences.size(); ++s) {
    for (int i = 0; i < blocks_for(sequences[s].context); ++i) {
      const bool is_shared = i < sequences[s].shared_blocks;
      block_of(s, i) =
          is_shared ? block_of(static_cast<size_t>(sequences[s].shares_with), i) : order[next++];
    }
  }
}

/// Slots that no sequence fills hold NaN, or for i8 large codes with a scale of NaN.
void PagedBatch::fill_pages(Numbers& numbers) {
  const auto num = static_cast<size_t>(num_slots());
  pools[0].dim = shape.D;
  pools[1].dim = shape.value_dim();
  for (Pool& pool : pools) {
    const auto slot_bytes = static_cast<size_t>(page_bytes(shape.dtype, pool.dim));
    pool.bytes.assign(num * slot_bytes, shape.dtype == DType::kI8 ? 0x7f : 0xff);
    pool.scales.assign(num, std::numeric_limits<float>::quiet_NaN());
    pool.decoded.assign(num * static_cast<size_t>(pool.dim),
                        std::numeric_limits<float>::quiet_NaN());
  }
  for (size_t s = 0; s < sequences.size(); ++s) {
    for (int p = sequences[s].shared_blocks * kBlockSize; p < sequences[s].context; ++p) {
      for (int h = 0; h < shape.Hkv; ++h) {
        const int64_t block = block_of(s, p / kBlockSize);
        const int64_t slot = (block * shape.Hkv + h) * kBlockSize + p % kBlockSize;
        for (Pool& pool : pools) fill_slot(pool, slot, numbers.floats(pool.dim));
      }
    }
  }
}

void PagedBatch::fill_slot(Pool& pool, int64_t slot, const std::vector<float>& numbers) {
  const int64_t D = pool.dim;
  uint8_t* const bytes = pool.bytes.data() + page_bytes(shape.dtype, slot * D);
  const float scale = encode_slot(shape.dtype, numbers.data(), D, bytes);
  pool.scales[static_cast<size_t>(slot)] = scale;
  decode_slot(shape.dtype, bytes, scale, D, pool.decoded.data() + slot * D);
}

PagedBatch PagedBatch::unshared() const {
  PagedBatch copy = *this;
  for (Pool& pool : copy.pools) pool = {.dim = pool.dim};
  copy.num_blocks = 0;
  const int64_t block_slots = int64_t{shape.Hkv} * kBlockSize;
  const auto append = [](auto& to, const auto& from, int64_t begin, int64_t n) {
    to.insert(to.end(), from.begin() + begin, from.begin() + begin + n);
  };
  for (size_t s = 0; s < sequences.size(); ++s) {
    for (int i = 0; i < blocks_for(sequences[s].context); ++i) {
      const int64_t slot = copy.block_of(s, i) * block_slots;
      for (int which : {0, 1}) {
        const int64_t dim = pools[which].dim;
        append(copy.pools[which].bytes, pools[which].bytes, page_bytes(shape.dtype, slot * dim),
               page_bytes(shape.dtype, block_slots * dim));
        append(copy.pools[which].scales, pools[which].scales, slot, block_slots);
        append(copy.pools[which].decoded, pools[which].decoded, slot * dim, block_slots * dim);
      }
      copy.block_of(s, i) = copy.num_blocks++;
    }
  }
  return copy;
}

AttentionInDouble PagedBatch::in_double() const {
  PagedBatch copy = *this;
  const auto num_sequences = static_cast<int64_t>(sequences.size());
  const auto pages = [&](Pool& pool) {
    return view(pool.decoded, {num_blocks, shape.Hkv, kBlockSize, pool.dim});
  };
  AttentionParams params = shape.params;
  if (shape.sink != 0.0f) params.sinks = view(copy.sinks, {heads()});
  return attend_in_double(view(copy.q, {num_rows, heads(), shape.D}),
                          {pages(copy.pools[0]), pages(copy.pools[1])},
                          {.query_start = view(copy.query_start, {num_sequences + 1}),
                           .context_len = view(copy.context_len, {num_sequences}),
                           .block_tables = view(copy.block_tables, {num_sequences, max_blocks})},
                          params);
}

// On a device ------------------------------------------------------------------------------------

PagedBatchOnDevice::PagedBatchOnDevice(Device& device, const PagedBatch& batch, bool is_decoded)
    : m_device(device),
      m_batch(batch),
      m_dtype(is_decoded ? DType::kF32 : batch.shape.dtype),
      m_q(device, batch.q),
      m_sinks(device, batch.sinks),
      m_tables(device, batch.block_tables),
      m_key_pages(device.backend, batch.shape.D),
      m_keys(device, m_key_pages.to_device(
                         is_decoded ? bytes_of(batch.pools[0].decoded) : batch.pools[0].bytes,
                         dtype_bytes(m_dtype))),
      m_values(device, is_decoded ? bytes_of(batch.pools[1].decoded) : batch.pools[1].bytes),
      m_key_scales(device, batch.pools[0].scales),
      m_value_scales(device, batch.pools[1].scales) {}

KvLayerView PagedBatchOnDevice::kv() const {
  const AttentionCase& shape = m_batch.shape;
  KvLayerView view = {
      m_key_pages.view(m_keys.data(), m_dtype, m_batch.num_blocks, shape.Hkv),
      m_values.view(m_dtype, {m_batch.num_blocks, shape.Hkv, kBlockSize, shape.value_dim()})};
  if (m_dtype == DType::kI8) {
    view.key_scales = m_key_scales.view({m_batch.num_blocks, shape.Hkv, kBlockSize});
    view.value_scales = m_value_scales.view({m_batch.num_blocks, shape.Hkv, kBlockSize});
  }
  return view;
}

std::vector<float> PagedBatchOnDevice::run() {
  return run(m_batch.query_start, m_batch.context_len, 0, 0);
}

std::vector<float> PagedBatchOnDevice::run_rows(int s, int first, int count) {
  const auto at = static_cast<size_t>(s);
  const int later = m_batch.sequences[at].rows - first - count;
  return run({0, count}, {m_batch.context_len[at] - later}, s, m_batch.query_start[at] + first);
}

std::vector<float> PagedBatchOnDevice::run(const std::vector<int32_t>& query_start,
                                           const std::vector<int32_t>& context_len,
                                           int first_sequence, int first_row) {
  const PagedBatch& b = m_batch;
  const auto num_sequences = static_cast<int64_t>(context_len.size());
  const int64_t T = query_start.back();
  const DeviceArray<int32_t> start(m_device, query_start);
  const DeviceArray<int32_t> context(m_device, context_len);
  const DeviceArray<float> out(m_device, T * b.row_floats(), -7.0f);
  const AttentionBatch batch = {
      .query_start = start.view({num_sequences + 1}),
      .context_len = context.view({num_sequences}),
      .block_tables = m_tables.view({static_cast<int64_t>(b.sequences.size()), b.max_blocks})
                          .rows(first_sequence, num_sequences)};
  const auto tables = std::span(b.block_tables)
                          .subspan(static_cast<size_t>(first_sequence * b.max_blocks),
                                   static_cast<size_t>(num_sequences * b.max_blocks));
  m_device.backend.begin_attention(batch, {query_start, context_len, tables});
  AttentionParams params = b.shape.params;
  if (b.shape.sink != 0.0f) params.sinks = m_sinks.view({b.heads()});
  m_device.backend.attention(out.view({T, b.heads(), b.shape.value_dim()}),
                             m_q.view({b.num_rows, b.heads(), b.shape.D}).rows(first_row, T), kv(),
                             batch, params);
  return out.download();
}

}  // namespace quire::test
