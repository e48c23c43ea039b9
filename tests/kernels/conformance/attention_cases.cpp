// attention over pages of every dtype: ragged batches whose contexts lie around pages, key blocks
// and splits.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <utility>

#include "tests/kernels/conformance/bounds.h"
#include "tests/kernels/conformance/case_lists.h"
#include "tests/kernels/conformance/paged_batch.h"

namespace quire::test {
namespace {

using Sequences = std::vector<AttentionSequence>;

/// Decodes and short prompts around pages of 16 and blocks of 64 keys.
const Sequences kShort = {{1, 1}, {1, 16}, {1, 17}, {5, 5}, {3, 64}, {2, 65}, {1, 15}, {7, 40}};
/// Around 512 keys, where splits end.
const Sequences kLong = {{1, 511}, {1, 512}, {2, 513}, {1, 1040}, {1, 63}};
/// Prefixes in the same pages: past a split, within one, of a sequence that shares itself, and a
/// chunk of several rows.
const Sequences kShared = {
    {1, 700}, {1, 650, 0, 40}, {3, 641, 1, 40}, {1, 40, 0, 2}, {1, 575, 2, 34}};
/// Prefill: more rows than a tile has, alone and after a context.
const Sequences kPrefill = {{70, 70}, {35, 300}, {1, 90}};

bool is_byte_dtype(DType dtype) {
  return dtype == DType::kF8E4M3 || dtype == DType::kI8;
}

float largest_of(const PagedBatch& batch) {
  float largest = 0.0f;
  for (float v : batch.pools[1].decoded) {
    if (!std::isnan(v)) largest = std::max(largest, std::fabs(v));
  }
  return largest;
}

/// Rows alone and sequences in parts are the whole batch's rows, bit for bit.
void check_parts(Trial& trial, const PagedBatch& batch, PagedBatchOnDevice& tested,
                 const std::vector<float>& whole) {
  for (size_t s = 0; s < batch.sequences.size(); ++s) {
    const int rows = batch.sequences[s].rows;
    for (const auto& [first, count] :
         {std::pair{0, rows}, {0, 1}, {rows - 1, 1}, {rows / 3, (rows + 1) / 2}}) {
      if (first + count > rows) continue;
      const std::vector<float> part = tested.run_rows(static_cast<int>(s), first, count);
      const auto begin = (batch.query_start[s] + first) * batch.row_floats();
      trial.compare.same_bits(
          "Rows " + std::to_string(first) + " to " + std::to_string(first + count - 1) +
              " of sequence " + std::to_string(s) + " alone",
          part, std::span(whole).subspan(static_cast<size_t>(begin), part.size()));
    }
  }
}

void run_attention(Trial& trial, const AttentionCase& shape, const Sequences& sequences) {
  const PagedBatch batch(shape, sequences);
  PagedBatchOnDevice tested(trial.tested, batch, false);
  PagedBatchOnDevice oracle(trial.oracle, batch, is_byte_dtype(shape.dtype));
  const AttentionInDouble in_double = batch.in_double();
  const float largest = largest_of(batch);
  std::vector<double> bounds;
  for (double spread : in_double.spread) {
    bounds.push_back(attention_bound(trial.arithmetic, shape.dtype, spread, largest));
  }
  const std::vector<float> got = tested.run();
  trial.compare.within("out", got, oracle.run(), bounds);
  trial.compare.same_bits("The same batch again", tested.run(), got);
  check_parts(trial, batch, tested, got);
  const bool has_shared_pages = std::any_of(sequences.begin(), sequences.end(),
                                            [](const auto& s) { return s.shared_blocks > 0; });
  if (has_shared_pages) {
    const PagedBatch unshared = batch.unshared();
    trial.compare.same_bits("Every sequence with pages of its own",
                            PagedBatchOnDevice(trial.tested, unshared, false).run(), got);
  }
}

/// Sequences with rows and no context, which fill up the batch of a captured graph: they change
/// nothing.
void run_padded(Trial& trial, const AttentionCase& shape) {
  const PagedBatch batch(shape, {{1, 40}, {1, 0}, {2, 530}, {1, 0}, {1, 0}});
  PagedBatchOnDevice tested(trial.tested, batch, false);
  const std::vector<float> whole = tested.run();
  for (int s : {0, 2}) {
    const std::vector<float> alone =
        tested.run_rows(s, 0, batch.sequences[static_cast<size_t>(s)].rows);
    const auto begin = batch.query_start[static_cast<size_t>(s)] * batch.row_floats();
    trial.compare.same_bits("Sequence " + std::to_string(s) + " without padding", alone,
                            std::span(whole).subspan(static_cast<size_t>(begin), alone.size()));
  }
}

std::string describe(const AttentionCase& s) {
  std::string text = "D=" + std::to_string(s.D) + (s.Dv > 0 ? " Dv=" + std::to_string(s.Dv) : "") +
                     " Hkv=" + std::to_string(s.Hkv) + " group=" + std::to_string(s.group) +
                     " scale=" + to_text(s.params.scale);
  if (s.params.sliding_window > 0) text += " window=" + std::to_string(s.params.sliding_window);
  if (s.params.chunk_size > 0) text += " chunk=" + std::to_string(s.params.chunk_size);
  if (s.params.soft_cap > 0.0f) text += " cap=" + to_text(s.params.soft_cap);
  if (s.sink != 0.0f) text += " sink=" + to_text(s.sink);
  return text;
}

/// Rows among others see the same as alone where keys that they do not see, or hardly weigh, have
/// values of 2^15: their products are zeros or tiny beside the others.
void run_large_values(Trial& trial, const AttentionCase& shape) {
  PagedBatch batch(shape, kPrefill);
  const uint16_t large = shape.dtype == DType::kF16 ? 0x7800 : 0x4700;
  std::vector<uint8_t>& bytes = batch.pools[1].bytes;
  for (int64_t slot = 0; slot < batch.num_slots(); slot += 5) {
    const int64_t first = slot * shape.D;
    // Slots that no row may see stay NaN.
    if (std::isnan(batch.pools[1].decoded[static_cast<size_t>(first)])) continue;
    for (int64_t i = first; i < first + shape.D; ++i) {
      std::memcpy(bytes.data() + i * 2, &large, sizeof large);
    }
  }
  PagedBatchOnDevice tested(trial.tested, batch, false);
  check_parts(trial, batch, tested, tested.run());
}

/// The cases of one dtype of pages.
class CaseList {
 public:
  CaseList(std::vector<Case>& cases, DType dtype) : m_cases(cases), m_dtype(dtype) {}

  void add(const char* batch, const Sequences& sequences, AttentionCase shape) {
    const DType dtype = m_dtype;
    add_where(batch, sequences, shape,
              [dtype](const Backend& backend) { return backend.supports_kv(dtype); });
  }

  /// Of shapes that only a CPU takes.
  void add_on_cpu(const char* batch, const Sequences& sequences, const AttentionCase& shape) {
    const DType dtype = m_dtype;
    add_where(batch, sequences, shape, [dtype](const Backend& backend) {
      return backend.supports_kv(dtype) && !backend.captures_graphs();
    });
  }

 private:
  void add_where(const char* batch, const Sequences& sequences, AttentionCase shape,
                 std::function<bool(const Backend&)> is_for) {
    shape.dtype = m_dtype;
    m_cases.push_back({"attention " + std::string(dtype_name(m_dtype)),
                       std::string(batch) + " " + describe(shape),
                       [=](Trial& trial) { run_attention(trial, shape, sequences); },
                       std::move(is_for)});
  }

  std::vector<Case>& m_cases;
  DType m_dtype;
};

void add_sizes(CaseList& list) {
  for (int D : {16, 64, 80, 96, 128, 256, 512}) {
    list.add("short", kShort, {2, 2, D, DType::kF32, {.scale = 2.0f / static_cast<float>(D)}});
  }
  for (int group : {1, 3, 4, 7, 8, 17}) {
    list.add("short", kShort, {1, group, 64, DType::kF32, {.scale = 0.125f}});
  }
  list.add("long", kLong, {2, 3, 64, DType::kF32, {.scale = 0.125f}});
  list.add("shared", kShared, {1, 4, 64, DType::kF32, {.scale = 0.2f}});
  list.add("prefill", kPrefill, {1, 2, 32, DType::kF32, {.scale = 0.2f}});
}

/// Heads of an odd size, of no whole vectors, and so large that queries get fewer than 15 bits in
/// whole numbers; rows for several parts of a CPU's tile.
void add_odd_sizes(CaseList& list) {
  for (int D : {1, 13, 24}) {
    list.add("short", kShort, {1, 2, D, DType::kF32, {.scale = 0.1f}});
  }
  list.add_on_cpu("short", kShort, {1, 2, 600, DType::kF32, {.scale = 0.1f}});
  list.add("many rows", {{200, 230}, {1, 90}}, {2, 4, 32, DType::kF32, {.scale = 0.2f}});
}

/// Values of another size than keys, as those of latent attention are.
void add_value_sizes(CaseList& list) {
  for (const auto& [D, Dv] : {std::pair{64, 48}, {48, 80}}) {
    const AttentionCase shape = {1, 4, D, DType::kF32, {.scale = 0.1f}, 0.0f, Dv};
    list.add("short", kShort, shape);
    list.add("shared", kShared, shape);
  }
  list.add("prefill", kPrefill, {1, 3, 96, DType::kF32, {.scale = 0.1f}, 1.0f, 64});
  // DeepSeek's latents and their rotated dimensions.
  list.add("short", kShort, {1, 5, 576, DType::kF32, {.scale = 0.05f}, 0.0f, 512});
}

void add_masks(CaseList& list) {
  for (int window : {1, 16, 17, 70}) {
    list.add("short", kShort, {1, 2, 32, DType::kF32, {.scale = 0.2f, .sliding_window = window}});
  }
  for (int window : {5, 300, 512}) {
    list.add("long", kLong, {1, 2, 32, DType::kF32, {.scale = 0.2f, .sliding_window = window}});
    list.add("shared", kShared, {1, 2, 32, DType::kF32, {.scale = 0.2f, .sliding_window = window}});
  }
  list.add("prefill", kPrefill, {1, 2, 32, DType::kF32, {.scale = 0.2f, .sliding_window = 33}});
}

/// Chunks of a key, of a page, and of no whole pages or key blocks: rows of one step on both sides
/// of a border, and sequences whose common pages only some of their rows see.
void add_chunks(CaseList& list) {
  for (int chunk : {1, 7, 16, 33, 100}) {
    list.add("short", kShort, {1, 2, 32, DType::kF32, {.scale = 0.2f, .chunk_size = chunk}});
    list.add("prefill", kPrefill, {1, 2, 32, DType::kF32, {.scale = 0.2f, .chunk_size = chunk}});
  }
  for (int chunk : {37, 300, 512}) {
    list.add("long", kLong, {1, 2, 64, DType::kF32, {.scale = 0.2f, .chunk_size = chunk}, 1.0f});
    list.add("shared", kShared, {1, 2, 64, DType::kF32, {.scale = 0.2f, .chunk_size = chunk}});
  }
  list.add("long", kLong,
           {2, 2, 40, DType::kF32, {.scale = 0.2f, .sliding_window = 70, .chunk_size = 129}});
}

/// Caps, sinks that outweigh the keys or hardly weigh anything, and all of it together.
void add_scores(CaseList& list) {
  for (float cap : {0.5f, 50.0f}) {
    list.add("short", kShort, {1, 2, 64, DType::kF32, {.scale = 0.3f, .soft_cap = cap}});
  }
  for (float sink : {-30.0f, -1.0f, 2.0f, 40.0f}) {
    list.add("short", kShort, {1, 4, 32, DType::kF32, {.scale = 0.3f}, sink});
  }
  list.add("long", kLong, {1, 4, 32, DType::kF32, {.scale = 0.3f}, 1.5f});
  list.add("shared", kShared,
           {1, 2, 48, DType::kF32, {.scale = 0.3f, .sliding_window = 600, .soft_cap = 9.0f}, 3.0f});
  // Weights that all but vanish beside the largest.
  list.add("short", kShort, {1, 2, 64, DType::kF32, {.scale = 4.0f}});
}

}  // namespace

void add_attention_cases(std::vector<Case>& cases, bool is_long) {
  for (DType dtype : {DType::kF32, DType::kF16, DType::kBF16, DType::kF8E4M3, DType::kI8}) {
    CaseList list(cases, dtype);
    add_sizes(list);
    add_odd_sizes(list);
    add_value_sizes(list);
    add_masks(list);
    add_chunks(list);
    add_scores(list);
    cases.push_back({"attention " + std::string(dtype_name(dtype)), "padded",
                     [dtype](Trial& trial) {
                       run_padded(trial, {2, 2, 64, dtype, {.scale = 0.125f}});
                     },
                     [dtype](const Backend& backend) {
                       return backend.supports_kv(dtype) && backend.captures_graphs();
                     }});
    if (dtype == DType::kF16 || dtype == DType::kBF16) {
      for (float scale : {0.125f, 4.0f}) {
        cases.push_back({"attention " + std::string(dtype_name(dtype)),
                         "large values scale=" + to_text(scale), [=](Trial& trial) {
                           run_large_values(trial, {1, 4, 64, dtype, {.scale = scale}});
                         }});
      }
    }
    if (!is_long) continue;
    list.add("very long", {{2, 5003}, {1, 4096}}, {2, 4, 128, DType::kF32, {.scale = 0.08f}});
    list.add("long prefill", {{300, 300}, {131, 1200}},
             {2, 4, 64, DType::kF32, {.scale = 0.125f, .sliding_window = 257}, 1.0f});
  }
}

}  // namespace quire::test
