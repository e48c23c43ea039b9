#include "engine/memory/host_memory.h"

namespace quire {
namespace {

/// Pieces, their index and some tokenizers' merges: 140 to 180 measured.
constexpr uint64_t kTokenizerBytesPerToken = 190;
/// Template, configuration, requests, threads' data and the heap's overhead.
constexpr uint64_t kOtherBytes = 128 << 10;
/// Rows sorted by expert.
constexpr uint64_t kExpertsBytes = 128 << 10;
/// Bookkeeping of a block of the pool.
constexpr uint64_t kBytesPerBlock = 256;
/// A CUDA context's libraries, and pinned memory for uploads.
constexpr uint64_t kCudaHostBytes = uint64_t{256} << 20;

/// The tokenizer, the logits to sample from, and the sampler's candidates, weights and copies.
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
  return bytes + (input.config.experts.num_experts > 0 ? kExpertsBytes : 0);
}

uint64_t gpu_kernel_bytes() {
  return uint64_t{192} << 20;
}

}  // namespace quire
