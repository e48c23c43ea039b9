#include "engine/io/gguf_weights.h"

#include <algorithm>
#include <utility>

#include "engine/io/gguf_split.h"
#include "engine/io/gguf_types.h"
#include "engine/io/text.h"

namespace quire {

Result<std::unique_ptr<GgufWeights>> GgufWeights::open(const std::filesystem::path& path) {
  auto files = open_gguf_set(path);
  if (!files) return files.error();
  std::unique_ptr<GgufWeights> weights(new GgufWeights(std::move(*files)));
  if (auto listed = weights->list_tensors(); !listed) return listed.error();
  return weights;
}

Result<void> GgufWeights::list_tensors() {
  std::vector<std::pair<TensorInfo, size_t>> all;
  for (size_t i = 0; i < m_files.size(); ++i) {
    for (const GgufTensor& tensor : m_files[i].tensors()) {
      all.emplace_back(TensorInfo{.name = std::string(tensor.name),
                                  .dtype = ggml_type_name(tensor.type),
                                  .shape = tensor.shape,
                                  .bytes = tensor.bytes,
                                  .offset = tensor.offset},
                       i);
    }
  }
  std::sort(all.begin(), all.end(),
            [](const auto& a, const auto& b) { return a.first.name < b.first.name; });
  for (auto& [tensor, file] : all) {
    if (!m_tensors.empty() && m_tensors.back().name == tensor.name) {
      return Error{ErrorCode::kCorruptFile, m_files[file].path().filename().string() +
                                                " holds the tensor \"" + for_message(tensor.name) +
                                                "\", which another part holds, too; "
                                                "download them again"};
    }
    m_tensors.push_back(std::move(tensor));
    m_file_of.push_back(file);
  }
  return {};
}

const TensorInfo* GgufWeights::find(std::string_view name) const {
  const auto at =
      std::lower_bound(m_tensors.begin(), m_tensors.end(), name,
                       [](const TensorInfo& a, std::string_view b) { return a.name < b; });
  return at != m_tensors.end() && at->name == name ? &*at : nullptr;
}

const GgufFile& GgufWeights::file_of(const TensorInfo& tensor) const {
  return m_files[m_file_of[static_cast<size_t>(&tensor - m_tensors.data())]];
}

std::span<const std::byte> GgufWeights::data(const TensorInfo& tensor) const {
  return file_of(tensor).bytes().subspan(tensor.offset, tensor.bytes);
}

Result<ConstTensorView> GgufWeights::tensor(std::string_view name) {
  const TensorInfo* info = find(name);
  if (info == nullptr) {
    return no_tensor(name);
  }
  const GgmlType* type = find_ggml_type(file_of(*info).find_tensor(name)->type);
  if (type == nullptr || !type->dtype) {
    return make_error(
        ErrorCode::kUnsupported,
        "the tensor \"%1\" is %2, which Quire does not compute with; get the model in "
        "another quantisation (%3)",
        {for_message(name), info->dtype, supported_ggml_types()});
  }
  file_of(*info).will_read(data(*info));
  return tensor_view(m_aligned.aligned(*info, data(*info), *type->dtype), *type->dtype,
                     info->shape);
}

Result<std::span<const std::byte>> GgufWeights::bytes(std::string_view name) {
  const TensorInfo* info = find(name);
  if (info == nullptr) {
    return no_tensor(name);
  }
  return data(*info);
}

void GgufWeights::release(std::string_view name) {
  const TensorInfo* info = find(name);
  if (info == nullptr) return;
  m_aligned.release(name);
  file_of(*info).done_with(data(*info));
}

uint64_t GgufWeights::file_bytes() const {
  uint64_t total = 0;
  for (const GgufFile& file : m_files) total += file.bytes().size();
  return total;
}

void GgufWeights::hash_into(Sha256& hash) const {
  hash.update_u64(m_files.size());
  for (const GgufFile& file : m_files) hash.update_u64(file.bytes().size());
  hash.update(metadata().header_bytes());
  hash.update_u64(m_tensors.size());
  for (const TensorInfo& tensor : m_tensors) hash_tensor(tensor, data(tensor), hash);
}

}  // namespace quire
