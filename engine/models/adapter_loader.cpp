#include "engine/models/adapter_loader.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>

#include "engine/io/text.h"
#include "engine/models/adapter_config.h"
#include "engine/models/architectures/architecture.h"
#include "kernels/base/dequantize.h"

namespace quire {
namespace {

/// What a layer's parts are called that folders and GGUF files store in the same order, but for
/// what WeightConventions undoes.
constexpr std::string_view kSharedNames[] = {".attn_q.",      ".attn_k.",   ".attn_v.",
                                             ".attn_qkv.",    ".ffn_gate.", ".ffn_up.",
                                             ".attn_output.", ".ffn_down."};

/// A block-diagonal matrix (all rows, all ranks): the B of a layer's parts.
class DiagonalBlocks {
 public:
  DiagonalBlocks(int64_t rows, int64_t columns)
      : m_columns(columns), m_values(static_cast<size_t>(rows * columns)) {}
  /// Continues below and to the right of the block before.
  void add(std::span<const float> block, int64_t rows, int64_t columns) {
    for (int64_t row = 0; row < rows; ++row) {
      const auto from = block.begin() + row * columns;
      std::copy(from, from + columns, m_values.begin() + (m_row + row) * m_columns + m_column);
    }
    skip_rows(rows);
    m_column += columns;
  }
  void skip_rows(int64_t rows) { m_row += rows; }
  const float* data() const { return m_values.data(); }

 private:
  int64_t m_columns;
  int64_t m_row = 0, m_column = 0;
  std::vector<float> m_values;
};

Result<std::unique_ptr<LinearWeight>> pack(Backend& backend, const float* values, int64_t rows,
                                           int64_t columns) {
  const ConstTensorView view[] = {{values, DType::kF32, {rows, columns}}};
  return backend.pack_linear(view);
}

bool are_finite(const std::vector<float>& values) {
  return std::ranges::all_of(values, [](float value) { return std::isfinite(value); });
}

}  // namespace

AdapterLoader::AdapterLoader(AdapterFiles& files, const Architecture& architecture)
    : m_files(&files),
      m_conventions(conventions_of(architecture, files.format, *files.weights)),
      m_tiles_heads_in_gguf(architecture.tiles_heads_in_gguf) {
  m_hash.update_field("quire adapter 2");
  m_hash.update_u64(static_cast<uint64_t>(files.format));
}

Result<AdapterLoader> AdapterLoader::create(AdapterFiles& files, const ModelConfig& config) {
  const Architecture* const architecture = find_architecture(config.architecture);
  CHECK(architecture != nullptr);
  if (files.format == FileFormat::kGguf && files.architecture != architecture->name) {
    return make_error(ErrorCode::kUnsupported,
                      "the adapter %1 is for models of the architecture \"%2\", and this model is "
                      "\"%3\"; choose an adapter that was made for it",
                      {for_message(files.name), for_message(files.architecture),
                       std::string(architecture->name)});
  }
  return AdapterLoader(files, *architecture);
}

/// The pair that changes a part, noted as used.
const LoraPair* AdapterLoader::find(const WeightLoader::Part& part) {
  const std::string name = adapted_weight_name(m_conventions.names.in_file(part.name));
  const auto found = m_files->pairs.find(name);
  if (found == m_files->pairs.end()) return nullptr;
  m_used.insert(name);
  return &found->second;
}

bool AdapterLoader::fits_format(const WeightLoader::AdapterSlot& slot,
                                const WeightLoader::Part& part) const {
  if (slot.format == m_files->format) return true;
  if (m_tiles_heads_in_gguf || part.rotated_last || !part.group_widths.empty()) return false;
  return std::ranges::any_of(
      kSharedNames, [&](std::string_view name) { return part.name.find(name) != part.name.npos; });
}

/// The refusal of a matrix in which the numbers are not finite, scaled or not.
Error AdapterLoader::not_finite(const std::string& tensor) const {
  return {ErrorCode::kCorruptFile, "the adapter " + for_message(m_files->name) + ": " +
                                       for_message(tensor) +
                                       " holds NaN, infinity or numbers too large; download it "
                                       "again"};
}

/// The shape is checked before anything is read: a file may claim any size. What is hashed is what
/// is used, because another program may write the file meanwhile.
Result<std::vector<float>> AdapterLoader::floats(const std::string& name, int64_t rows,
                                                 int64_t columns) {
  if (m_files->weights->find(name)->shape != std::vector<int64_t>{rows, columns}) {
    return make_error(ErrorCode::kCorruptFile,
                      "the adapter %1 does not fit this model: %2 has another shape; choose an "
                      "adapter that was made for it",
                      {for_message(m_files->name), for_message(name)});
  }
  const auto view = m_files->weights->tensor(name);
  if (!view) return view.error();
  const DType dtype = view->dtype();
  if (!is_weight_dtype(dtype)) {
    return refused_adapter(m_files->name, std::string(dtype_name(dtype)));
  }
  const auto* const data = static_cast<const std::byte*>(view->data());
  const std::vector<std::byte> bytes(data, data + dtype_span_bytes(dtype, rows * columns));
  m_files->weights->release(name);
  m_hash.update_field(dtype_name(dtype));
  for (const int64_t size : {rows, columns}) m_hash.update_u64(static_cast<uint64_t>(size));
  m_hash.update(bytes);
  std::vector<float> values(static_cast<size_t>(rows * columns));
  for (int64_t row = 0; row < rows; ++row) {
    dequantize_row(dtype, bytes.data() + dtype_span_bytes(dtype, row * columns),
                   values.data() + row * columns, columns);
  }
  if (!are_finite(values)) return not_finite(name);
  return values;
}

Result<AdapterLoader::Part> AdapterLoader::read(const WeightLoader::Part& part,
                                                const LoraPair& pair, int64_t num_inputs) {
  const int64_t rank = m_files->weights->find(pair.a)->shape[0];
  m_hash.update_field(part.name);
  m_hash.update_u64(std::bit_cast<uint32_t>(pair.scale));
  auto a = floats(pair.a, rank, num_inputs);
  if (!a) return a.error();
  const auto b = floats(pair.b, part.num_outputs, rank);
  if (!b) return b.error();
  // The rows of B are those of the weight, and lie in the files in the same order.
  std::vector<ConstTensorView> views;
  append_in_order(views, {b->data(), DType::kF32, {part.num_outputs, rank}}, part, m_conventions);
  Part read = {.rank = rank, .a = std::move(*a), .b = {}};
  for (const ConstTensorView& view : views) {
    for (int64_t row = 0; row < view.dim(0); ++row) {
      const float* const values = view.row<float>(row);
      for (int64_t i = 0; i < rank; ++i) read.b.push_back(values[i] * pair.scale);
    }
  }
  if (!are_finite(read.b)) return not_finite(pair.b);
  return read;
}

Result<std::optional<LoraUpdate>> AdapterLoader::load(const WeightLoader::AdapterSlot& slot,
                                                      Backend& backend) {
  std::vector<std::optional<Part>> parts;
  std::vector<float> a;
  int64_t num_outputs = 0, rank = 0;
  for (const WeightLoader::Part& part : slot.parts) {
    num_outputs += part.num_outputs;
    parts.emplace_back();
    const LoraPair* const pair = find(part);
    if (pair == nullptr) continue;
    if (!fits_format(slot, part)) {
      return make_error(ErrorCode::kUnsupported,
                        "the adapter %1 changes %2, whose order differs between folders and GGUF "
                        "files; choose an adapter in the format of the model",
                        {for_message(m_files->name), for_message(part.name)});
    }
    auto read_part = read(part, *pair, slot.num_inputs);
    if (!read_part) return read_part.error();
    rank += read_part->rank;
    a.insert(a.end(), read_part->a.begin(), read_part->a.end());
    parts.back() = std::move(*read_part);
  }
  if (rank == 0) return std::optional<LoraUpdate>();
  DiagonalBlocks b(num_outputs, rank);
  for (size_t i = 0; i < parts.size(); ++i) {
    const int64_t rows = slot.parts[i].num_outputs;
    if (parts[i]) {
      b.add(parts[i]->b, rows, parts[i]->rank);
    } else {
      b.skip_rows(rows);
    }
  }
  auto packed_a = pack(backend, a.data(), rank, slot.num_inputs);
  if (!packed_a) return packed_a.error();
  auto packed_b = pack(backend, b.data(), num_outputs, rank);
  if (!packed_b) return packed_b.error();
  return std::optional(LoraUpdate{std::move(*packed_a), std::move(*packed_b)});
}

Result<void> AdapterLoader::finish() {
  for (const auto& [weight, pair] : m_files->pairs) {
    if (m_used.contains(weight)) continue;
    return refused_tensor(*m_files, weight);
  }
  if (auto whole = m_files->weights->check_whole(); !whole) return whole;
  m_files->hash = to_hex(m_hash.finish());
  return {};
}

}  // namespace quire
