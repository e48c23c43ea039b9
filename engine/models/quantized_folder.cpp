#include "engine/models/quantized_folder.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "engine/io/text.h"
#include "engine/models/quantized_checks.h"

namespace quire {

using Method = FolderQuantization::Method;

Result<std::unique_ptr<WeightSource>> QuantizedFolder::wrap(
    std::unique_ptr<WeightSource> files, const FolderQuantization& quantization) {
  if (quantization.method == Method::kMxfp4) return files;
  std::unique_ptr<QuantizedFolder> folder(new QuantizedFolder(std::move(files), quantization));
  if (auto listed = folder->list(); !listed) return listed.error();
  auto checked = check_quantized_parts(*folder->m_files, quantization);
  if (!checked) return checked.error();
  return std::unique_ptr<WeightSource>(std::move(folder));
}

Result<void> QuantizedFolder::list() {
  if (auto limited = limit_orders(); !limited) return limited;
  if (auto listed = list_layers(); !listed) return listed;
  list_tensors();
  return {};
}

/// Act-order's groups are read while layers are described, and a sparse file can claim any number
/// of them: the largest real models have 1 GB.
Result<void> QuantizedFolder::limit_orders() const {
  constexpr uint64_t kMostBytes = uint64_t{2} << 30;
  uint64_t bytes = 0;
  for (const TensorInfo& tensor : m_files->tensors()) {
    if (!std::string_view(tensor.name).ends_with("g_idx")) continue;
    bytes += tensor.bytes;
    if (bytes <= kMostBytes) continue;
    return files().refused(tensor.name,
                           "and the orders of inputs before it have more bytes than Quire reads");
  }
  return {};
}

/// Of stacked experts, one small tensor makes thousands of layers, each with copies of its name.
Result<void> QuantizedFolder::keep(QuantizedLayer layer) {
  constexpr size_t kMaxQuantizedLayers = 1 << 18;
  constexpr size_t kMostNameBytes = 16 << 20;
  std::string weight = layer.base + "weight";
  if (weight != layer.codes_name && part(weight) != nullptr) {
    return files().refused(layer.codes_name,
                           "is there twice, the other time as " + for_message(weight));
  }
  m_name_bytes += weight.size();
  if (m_layers.size() >= kMaxQuantizedLayers || m_name_bytes > kMostNameBytes) {
    return files().refused(layer.codes_name,
                           "is of more quantised layers, or longer names, than Quire reads");
  }
  m_layers.emplace(std::move(weight), std::move(layer));
  return {};
}

Result<void> QuantizedFolder::list_layers() {
  for (const TensorInfo& tensor : m_files->tensors()) {
    const std::string& name = tensor.name;
    if (is_expert_stack(files(), tensor)) {
      auto layers = describe_expert_stack(files(), tensor);
      if (!layers) return layers.error();
      for (QuantizedLayer& layer : *layers) {
        if (auto kept = keep(std::move(layer)); !kept) return kept;
      }
      continue;
    }
    for (const char* codes : {"weight", "qweight", "weight_packed"}) {
      const std::string suffix = std::string(".") + codes;
      if (!name.ends_with(suffix) || has_floats(tensor)) continue;
      const std::string base = name.substr(0, name.size() - suffix.size() + 1);
      if (auto added = add_layer(base, tensor); !added) return added;
    }
  }
  return {};
}

void QuantizedFolder::list_tensors() {
  std::set<std::string_view> hidden;
  const void* last = nullptr;  // Experts of a stack, which are neighbours, share their parts.
  for (const auto& [name, layer] : m_layers) {
    if (std::exchange(last, layer.parts.get()) == layer.parts.get()) continue;
    hidden.insert(layer.parts->begin(), layer.parts->end());
  }
  for (const TensorInfo& tensor : m_files->tensors()) {
    if (!hidden.contains(tensor.name)) m_tensors.push_back(tensor);
  }
  for (const auto& [name, layer] : m_layers) {
    TensorInfo info = {.name = name,
                       .dtype = std::string(dtype_name(layer.dtype)),
                       .shape = {layer.num_outputs, layer.num_inputs},
                       .offset = part(layer.codes_name)->offset};
    if (part(layer.codes_name)->shape.size() == 3) {  // Of a stack the share of its codes.
      info.bytes = static_cast<uint64_t>(layer.num_outputs * layer.num_inputs);
    } else {
      for (const std::string& each : *layer.parts) info.bytes += part(each)->bytes;
    }
    m_tensors.push_back(std::move(info));
  }
  std::ranges::sort(m_tensors, {}, &TensorInfo::name);
}

Result<void> QuantizedFolder::add_layer(const std::string& base, const TensorInfo& codes) {
  auto layer = describe_layer(files(), base, codes);
  if (!layer) return layer.error();
  constexpr const char* kParts[] = {"weight_scale",
                                    "weight_scale_inv",
                                    "weight_zero_point",
                                    "weight_shape",
                                    "weight_g_idx",
                                    "input_scale",
                                    "input_global_scale",
                                    "k_scale",
                                    "v_scale",
                                    "activation_scale",
                                    "scales",
                                    "qzeros",
                                    "g_idx",
                                    "SCB",
                                    "weight_format",
                                    "weight.absmax",
                                    "weight.quant_map",
                                    "weight.nested_absmax",
                                    "weight.nested_quant_map",
                                    kNf4State};
  std::vector<std::string> parts = {layer->codes_name};
  for (const char* name : kParts) {
    if (part(base + name) != nullptr && base + name != layer->order_name)
      parts.push_back(base + name);
  }
  layer->parts = std::make_shared<const std::vector<std::string>>(std::move(parts));
  const int64_t elements = dtype_block_elements(layer->dtype);
  if (layer->num_inputs % elements != 0) {
    return files().refused(layer->codes_name, "has rows of " + std::to_string(layer->num_inputs) +
                                                  " inputs, which are not whole groups of " +
                                                  std::to_string(elements));
  }
  return keep(std::move(*layer));
}

const TensorInfo* QuantizedFolder::find(std::string_view name) const {
  const auto at = std::ranges::lower_bound(m_tensors, name, {}, &TensorInfo::name);
  return at != m_tensors.end() && at->name == name ? &*at : nullptr;
}

Result<ConstTensorView> QuantizedFolder::tensor(std::string_view name) {
  const auto found = m_layers.find(name);
  if (found == m_layers.end()) return m_files->tensor(name);
  const QuantizedLayer& layer = found->second;
  auto kept = m_blocks.find(name);
  if (kept == m_blocks.end()) {
    auto blocks = make_blocks(files(), layer);
    if (!blocks) return blocks.error();
    kept = m_blocks.emplace(name, std::move(*blocks)).first;
    for (const std::string& each : *layer.parts) m_files->release(each);
  }
  return ConstTensorView(kept->second.data(), layer.dtype, {layer.num_outputs, layer.num_inputs});
}

Result<ConstTensorView> QuantizedFolder::described(std::string_view name) {
  const auto found = m_layers.find(name);
  if (found == m_layers.end()) return m_files->described(name);
  const QuantizedLayer& layer = found->second;
  auto codes = m_files->bytes(layer.codes_name);
  if (!codes) return codes.error();
  return ConstTensorView(codes->data(), layer.dtype, {layer.num_outputs, layer.num_inputs});
}

Result<std::span<const std::byte>> QuantizedFolder::bytes(std::string_view name) {
  if (!m_layers.contains(name)) return m_files->bytes(name);
  auto view = tensor(name);
  if (!view) return view.error();
  const auto& blocks = m_blocks.find(name)->second;
  return std::span<const std::byte>(blocks);
}

void QuantizedFolder::release(std::string_view name) {
  const auto kept = m_blocks.find(name);
  if (kept != m_blocks.end()) m_blocks.erase(kept);
  if (!m_layers.contains(name)) m_files->release(name);
}

}  // namespace quire
