#include "engine/models/quantized_folder.h"

#include <algorithm>
#include <utility>

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
  for (const TensorInfo& tensor : m_files->tensors()) {
    const std::string& name = tensor.name;
    if (is_expert_stack(files(), tensor)) {
      auto layers = describe_expert_stack(files(), tensor);
      if (!layers) return layers.error();
      for (QuantizedLayer& layer : *layers) {
        const std::string weight = layer.base + "weight";
        m_layers.emplace(weight, std::move(layer));
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
  std::map<std::string_view, bool> hidden;
  for (const auto& [name, layer] : m_layers) {
    for (const std::string& part : layer.parts) hidden[part] = true;
  }
  for (const TensorInfo& tensor : m_files->tensors()) {
    if (!hidden.contains(tensor.name)) m_tensors.push_back(tensor);
  }
  for (const auto& [name, layer] : m_layers) {
    TensorInfo info = {.name = name,
                       .dtype = std::string(dtype_name(layer.dtype)),
                       .shape = {layer.num_outputs, layer.num_inputs},
                       .offset = part(layer.codes_name)->offset};
    for (const std::string& each : layer.parts) info.bytes += part(each)->bytes;
    // Of a stack the share of its codes.
    if (const TensorInfo& codes = *part(layer.codes_name); codes.shape.size() == 3) {
      info.bytes = static_cast<uint64_t>(layer.num_outputs * layer.num_inputs);
    }
    m_tensors.push_back(std::move(info));
  }
  std::ranges::sort(m_tensors, {}, &TensorInfo::name);
  return {};
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
  layer->parts = {layer->codes_name};
  for (const char* name : kParts) {
    if (part(base + name) != nullptr && base + name != layer->order_name)
      layer->parts.push_back(base + name);
  }
  const std::string name = base + "weight";
  const int64_t elements = dtype_block_elements(layer->dtype);
  if (layer->num_inputs % elements != 0) {
    return files().refused(layer->codes_name, "has rows of " + std::to_string(layer->num_inputs) +
                                                  " inputs, which are not whole groups of " +
                                                  std::to_string(elements));
  }
  m_layers.emplace(name, std::move(*layer));
  return {};
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
    for (const std::string& each : layer.parts) m_files->release(each);
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
