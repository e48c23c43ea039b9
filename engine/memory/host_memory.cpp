#include "engine/memory/host_memory.h"

#include <algorithm>

#include "kernels/backend.h"
#include "kernels/base/processor_cores.h"

namespace quire {
namespace {

/// Pieces, their index and, of some kinds, merges: 140 to 180 measured.
constexpr uint64_t kTokenizerBytesPerToken = 190;
/// Template, configuration, requests, threads' own data and what the heap adds to each piece.
constexpr uint64_t kOtherBytes = 64 << 10;
/// The same for rows that are sorted by their experts.
constexpr uint64_t kExpertsBytes = 128 << 10;
/// Of a pool's block: its node, its note and its place in the index.
constexpr uint64_t kBytesPerBlock = 128;
/// A CUDA context's libraries and the pinned memory that weights and batches go through.
constexpr uint64_t kCudaHostBytes = uint64_t{256} << 20;

/// States of rows whose attention is cut, and each thread's scratch: kernels/cpu/attention.cpp.
uint64_t attention_bytes(const HostMemoryInput& input, uint64_t num_threads) {
  constexpr uint64_t kMaxStateBytes = uint64_t{64} << 20;
  constexpr uint64_t kKeyBlock = 64, kPartQueries = 32, kMaxParts = 4;
  const auto heads = static_cast<uint64_t>(input.config.num_heads);
  const auto kv_heads = std::max<uint64_t>(1, static_cast<uint64_t>(input.config.num_kv_heads));
  const uint64_t group = std::max<uint64_t>(1, heads / kv_heads);
  const uint64_t queries = round_up(std::max(group, kPartQueries / group * group), 16);
  const auto head_dim = static_cast<uint64_t>(input.config.head_dim);
  const uint64_t dim = round_up(head_dim, 16);
  const uint64_t key_blocks = static_cast<uint64_t>(input.num_blocks) * kBlockSize / kKeyBlock;
  const uint64_t states =
      (key_blocks + static_cast<uint64_t>(input.engine.max_sequences)) * heads * (dim + 2);
  const uint64_t of_block = queries * (dim + kKeyBlock + 4);
  const uint64_t of_parts = kMaxParts * queries * (2 * dim + 3);
  const uint64_t of_page = std::max(kBlockSize * dim, kKeyBlock / 2 * round_up(head_dim, 64));
  const uint64_t scratch =
      std::max<uint64_t>(of_page + of_block + of_parts, static_cast<uint64_t>(input.max_context));
  return std::min(states * sizeof(float), kMaxStateBytes) + num_threads * scratch * sizeof(float);
}

/// The tokenizer, logits on their way to the sampler, and the sampler's candidates, weights and
/// copies of logits.
uint64_t vocabulary_bytes(const HostMemoryInput& input) {
  constexpr uint64_t kSamplerFloats = 4;
  const auto vocab = static_cast<uint64_t>(input.config.vocab_size);
  const auto logits = static_cast<uint64_t>(input.engine.max_sequences) + kSamplerFloats;
  return vocab * (kTokenizerBytesPerToken + logits * sizeof(float));
}

}  // namespace

uint64_t host_memory_bytes(const HostMemoryInput& input) {
  const uint64_t bytes = kOtherBytes + vocabulary_bytes(input) +
                         static_cast<uint64_t>(input.num_blocks) * kBytesPerBlock;
  if (!input.computes) return bytes + kCudaHostBytes;
  const uint64_t threads = input.num_threads > 0 ? static_cast<uint64_t>(input.num_threads)
                                                 : static_cast<uint64_t>(num_usable_cores());
  const bool has_experts = input.config.experts.num_experts > 0;
  return bytes + attention_bytes(input, threads) + (has_experts ? kExpertsBytes : 0);
}

uint64_t gpu_kernel_bytes() {
  return uint64_t{192} << 20;
}

}  // namespace quire
