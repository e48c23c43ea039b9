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
  std::ranges::sort(
      all, {}, [](const auto& entry) -> const auto& { return entry.first.name; });
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

Result<DType> GgufWeights::dtype_of(const TensorInfo& tensor) const {
  const GgmlType* type = find_ggml_type(m_files[file_index(tensor)].find_tensor(tensor.name)->type);
  if (type != nullptr && type->dtype) return *type->dtype;
  return make_error(ErrorCode::kUnsupported,
                    "%1: the tensor \"%2\" is %3, which Quire does not compute with; get the "
                    "model in another quantisation (%4)",
                    {file_name(file_index(tensor)), for_message(tensor.name), tensor.dtype,
                     supported_ggml_types()});
}

}  // namespace quire
