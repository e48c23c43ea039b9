#include <utility>

#include "engine/models/expert_layouts.h"
#include "engine/models/weight_loader.h"
#include "engine/models/weight_vectors.h"
#include "kernels/base/dequantize.h"

namespace quire {
namespace {

constexpr int64_t kMxfp4Elements = 32;
/// All experts of a layer may be one tensor of a gigabyte: its pages are released in steps of this
/// size.
constexpr uint64_t kReleasedBytes = 64 << 20;

bool has_tensor_per_expert(const std::string& file_name) {
  return file_name.find('#') != std::string::npos;
}

/// x (K, N) as (N, K), in f32 if it is quantised: blocks cannot be cut.
std::vector<std::byte> transposed_matrix(ConstTensorView x) {
  if (!is_quantized(x.dtype())) return transpose_expert(x, /*interleaved=*/false);
  std::vector<float> numbers(static_cast<size_t>(x.num_elements()));
  dequantize_row(x.dtype(), x.data(), numbers.data(), x.num_elements());
  return transpose_expert({numbers.data(), DType::kF32, {x.dim(0), x.dim(1)}}, false);
}

/// Whether the tensor holds two projections whose outputs alternate.
bool is_interleaved(const WeightPart& part, const WeightConventions& conventions) {
  return conventions.interleaves_experts && part.name.find("gate_up") != std::string::npos;
}

}  // namespace

bool WeightLoader::has_experts(const std::string& name) const {
  const std::string file_name = m_conventions.names.in_file(name + ".weight", 0);
  if (m_source.find(file_name) != nullptr) return true;
  // Files that transpose experts always fuse the projections.
  return m_conventions.transposes_experts;
}

ExpertLinears WeightLoader::experts(std::span<const Part> parts, int num_experts,
                                    int64_t num_inputs, bool has_bias) {
  ExpertLinears linears;
  const std::vector<std::string> names = expert_names(parts);
  uint64_t released = m_done_bytes;
  for (int i = 0; i < num_experts && may_go_on(); ++i) {
    auto weight = m_conventions.transposes_experts
                      ? transposed_expert(parts[0], i, num_experts, num_inputs)
                      : expert(parts, names, i, num_experts, num_inputs);
    if (!weight) return linears;
    linears.views.push_back(weight.get());
    linears.weights.push_back(std::move(weight));
    if (m_done_bytes - released < kReleasedBytes) continue;
    release_experts(names);
    released = m_done_bytes;
  }
  release_experts(names);
  if (has_bias) linears.biases = expert_biases(parts, num_experts);
  return linears;
}

/// Releases the pages of tensors that hold all experts.
void WeightLoader::release_experts(std::span<const std::string> names) {
  for (const std::string& name : names) {
    for (const char* suffix : {"", "_blocks", "_scales"}) release(name + suffix);
  }
}

std::vector<std::string> WeightLoader::expert_names(std::span<const Part> parts) const {
  std::vector<std::string> names;
  for (const Part& part : parts) {
    names.push_back(m_conventions.names.in_file(part.name + ".weight"));
  }
  return names;
}

/// One expert's (N, K) of all experts' (E, N, K), which is `shape`.
ConstTensorView WeightLoader::expert_slice(const std::string& file_name, int index,
                                           const std::vector<int64_t>& shape) {
  const ConstTensorView all = checked(file_name, shape);
  if (all.empty()) return {};
  return {all.rows(index, 1).data(), all.dtype(), {shape[1], shape[2]}};
}

std::unique_ptr<LinearWeight> WeightLoader::expert(std::span<const Part> parts,
                                                   std::span<const std::string> names, int index,
                                                   int num_experts, int64_t num_inputs) {
  std::vector<ConstTensorView> views;
  std::vector<WeightRows> rows;
  uint64_t bytes = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    const int64_t num_outputs = parts[i].num_outputs;
    rows.push_back({TensorNames::of_expert(names[i], index), num_outputs});
    const std::string& name = rows.back().name;
    views.push_back(has_tensor_per_expert(names[i])
                        ? checked(name, {num_outputs, num_inputs})
                        : expert_slice(name, index, {num_experts, num_outputs, num_inputs}));
    if (!may_go_on()) return nullptr;
    bytes +=
        static_cast<uint64_t>(dtype_span_bytes(views.back().dtype(), views.back().num_elements()));
  }
  auto vectors = read_weight_vectors(m_source, rows, m_read);
  if (!vectors) {
    fail(vectors.error());
    return nullptr;
  }
  vectors->append_to(views);
  auto weight = pack(views);
  for (size_t i = 0; i < parts.size(); ++i) {
    if (has_tensor_per_expert(names[i])) release(rows[i].name);
  }
  if (weight) advance(bytes);
  return weight;
}

std::unique_ptr<LinearWeight> WeightLoader::transposed_expert(const Part& part, int index,
                                                              int num_experts, int64_t num_inputs) {
  const std::string file_name = m_conventions.names.in_file(part.name + ".weight");
  if (m_source.find(file_name + "_blocks") != nullptr) {
    return mxfp4_expert(part, index, num_experts, num_inputs);
  }
  const ConstTensorView all = checked(file_name, {num_experts, num_inputs, part.num_outputs});
  if (!may_go_on()) return nullptr;
  if (is_quantized(all.dtype())) {
    fail_tensor(ErrorCode::kUnsupported, file_name,
                "is quantised; experts with inputs as rows are f32, f16 or bf16");
    return nullptr;
  }
  const ConstTensorView slice(all.rows(index, 1).data(), all.dtype(),
                              {num_inputs, part.num_outputs});
  std::vector<std::byte> rows;
  if (!m_options.check_only) rows = transpose_expert(slice, is_interleaved(part, m_conventions));
  const void* data = m_options.check_only ? slice.data() : rows.data();
  const ConstTensorView view(data, all.dtype(), {part.num_outputs, num_inputs});
  auto weight = pack({&view, 1});
  if (weight) advance(static_cast<uint64_t>(dtype_span_bytes(all.dtype(), view.num_elements())));
  return weight;
}

std::unique_ptr<LinearWeight> WeightLoader::mxfp4_expert(const Part& part, int index,
                                                         int num_experts, int64_t num_inputs) {
  const std::string file_name = m_conventions.names.in_file(part.name + ".weight");
  const int64_t n = part.num_outputs, per_row = num_inputs / kMxfp4Elements;
  const auto blocks = raw(file_name + "_blocks", {num_experts, n, per_row, kMxfp4Elements / 2});
  const auto scales = raw(file_name + "_scales", {num_experts, n, per_row});
  if (!may_go_on()) return nullptr;
  if (num_inputs % kMxfp4Elements != 0) {
    fail_tensor(ErrorCode::kCorruptFile, file_name + "_blocks",
                "cannot hold rows of " + std::to_string(num_inputs) +
                    " numbers, which are not whole blocks of 32");
    return nullptr;
  }
  const auto count = static_cast<size_t>(n * per_row);
  const auto at = static_cast<size_t>(index) * count;
  std::vector<std::byte> rows;
  if (!m_options.check_only) {
    rows = repack_mxfp4(blocks.subspan(at * 16, count * 16), scales.subspan(at, count), n,
                        is_interleaved(part, m_conventions));
  }
  const void* data = m_options.check_only ? blocks.data() : rows.data();
  const ConstTensorView view(data, DType::kMXFP4, {n, num_inputs});
  auto weight = pack({&view, 1});
  if (weight) advance(count * 17);
  return weight;
}

ExpertLinears WeightLoader::heads(const std::string& name, const HeadRows& rows,
                                  int64_t num_inputs) {
  const std::string file_name = m_conventions.names.in_file(name);
  const ConstTensorView all = checked(file_name, {rows.num_heads * rows.rows_per_head, num_inputs});
  if (!may_go_on()) return {};
  const WeightRows of_head[] = {{file_name, rows.count}};
  auto vectors = read_weight_vectors(m_source, of_head, m_read);
  if (!vectors) {
    fail(vectors.error());
    return {};
  }
  if (rows.transposed && !vectors->empty()) {
    fail_tensor(ErrorCode::kUnsupported, file_name,
                "is quantised in act-order or as NVFP4, and Quire cannot transpose it; choose "
                "another version of the model");
    return {};
  }
  ExpertLinears linears;
  for (int64_t head = 0; head < rows.num_heads && may_go_on(); ++head) {
    ConstTensorView part = all.rows(head * rows.rows_per_head + rows.first, rows.count);
    const uint64_t bytes =
        static_cast<uint64_t>(dtype_span_bytes(part.dtype(), part.num_elements()));
    std::vector<std::byte> turned;
    if (rows.transposed) {
      if (!m_options.check_only) turned = transposed_matrix(part);
      const void* data = m_options.check_only ? part.data() : turned.data();
      part = {
          data, is_quantized(all.dtype()) ? DType::kF32 : all.dtype(), {num_inputs, rows.count}};
    }
    std::vector<ConstTensorView> parts = {part};
    vectors->append_to(parts);
    auto weight = pack(parts);
    if (!weight) return {};
    advance(bytes);
    linears.views.push_back(weight.get());
    linears.weights.push_back(std::move(weight));
  }
  release(file_name);
  return linears;
}

/// The biases of all experts (E, N), each with its parts concatenated.
DeviceTensor WeightLoader::expert_biases(std::span<const Part> parts, int num_experts) {
  std::vector<std::vector<float>> read;
  int64_t width = 0;
  for (const Part& part : parts) {
    const std::string file_name = m_conventions.names.in_file(part.name + ".bias");
    read.push_back(floats(file_name, {num_experts, part.num_outputs}));
    width += part.num_outputs;
  }
  if (!may_go_on()) return {};
  std::vector<float> values;
  values.reserve(static_cast<size_t>(num_experts * width));
  for (int e = 0; e < num_experts; ++e) {
    for (size_t p = 0; p < parts.size(); ++p) {
      const auto size = static_cast<size_t>(parts[p].num_outputs);
      const std::span<float> row = std::span(read[p]).subspan(static_cast<size_t>(e) * size, size);
      if (is_interleaved(parts[p], m_conventions)) separate_interleaved(row);
      values.insert(values.end(), row.begin(), row.end());
    }
  }
  return upload(std::move(values), {num_experts, width});
}

/// The bytes of a tensor of that shape whose elements take one each.
std::span<const std::byte> WeightLoader::raw(const std::string& file_name,
                                             const std::vector<int64_t>& shape) {
  if (!has_shape(file_name, shape)) return {};
  auto bytes = m_source.bytes(file_name);
  if (!bytes) {
    fail(bytes.error());
    return {};
  }
  int64_t count = 1;
  for (int64_t size : shape) count *= size;
  if (static_cast<int64_t>(bytes->size()) == count) return *bytes;
  fail_tensor(ErrorCode::kCorruptFile, file_name,
              "is not made of bytes, as MXFP4's blocks and scales are");
  return {};
}

}  // namespace quire
