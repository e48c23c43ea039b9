#include "engine/models/quantized_folder.h"

#include <algorithm>
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
  auto listed = list_layers();
  if (!listed) return listed.error();
  const std::vector<bool> hidden = hidden_tensors();
  const std::span<const TensorInfo> tensors = m_files->tensors();
  const auto name_of = [](const Listed& one) { return std::string_view(one.info.name); };
  if (!std::ranges::is_sorted(*listed, {}, name_of)) std::ranges::sort(*listed, {}, name_of);
  const auto num_layers = static_cast<std::ptrdiff_t>(listed->size());
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (!hidden[i]) listed->push_back({tensors[i], kNoLayer});
  }
  std::ranges::inplace_merge(*listed, listed->begin() + num_layers, {}, name_of);
  if (auto refused = refuse_twins(*listed); !refused) return refused;
  m_tensors.reserve(listed->size());
  for (Listed& one : *listed) {
    m_tensors.push_back(std::move(one.info));
    m_layer_of.push_back(one.layer);
  }
  return {};
}

/// A layer that is there twice, as quantised and as plain weights or in two formats, would be
/// listed by the shape of one and read from the other.
Result<void> QuantizedFolder::refuse_twins(const std::vector<Listed>& listed) const {
  const auto twin = std::ranges::adjacent_find(
      listed, {}, [](const Listed& one) { return std::string_view(one.info.name); });
  if (twin == listed.end()) return {};
  const size_t layer = twin->layer != kNoLayer ? twin->layer : std::next(twin)->layer;
  return files().refused(m_layers[layer].codes_tensor->name,
                         "is there twice, the other time as " + for_message(twin->info.name));
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

/// Of stacked experts, one small tensor makes thousands of layers, each with a name.
Result<void> QuantizedFolder::keep(std::vector<Listed>& listed, NamedLayer layer) {
  constexpr size_t kMaxQuantizedLayers = 1 << 18;
  constexpr size_t kMostNameBytes = 16 << 20;
  m_name_bytes += layer.name.size();
  if (m_layers.size() >= kMaxQuantizedLayers || m_name_bytes > kMostNameBytes) {
    return files().refused(layer.layer.codes_tensor->name,
                           "is of more quantised layers, or longer names, than Quire reads");
  }
  listed.push_back({info_of(std::move(layer.name), layer.layer), m_layers.size()});
  m_layers.push_back(layer.layer);
  return {};
}

Result<std::vector<QuantizedFolder::Listed>> QuantizedFolder::list_layers() {
  std::vector<Listed> listed;
  for (const TensorInfo& tensor : m_files->tensors()) {
    const std::string_view name = tensor.name;
    if (is_expert_stack(files(), tensor)) {
      auto layers = describe_expert_stack(files(), tensor);
      if (!layers) return layers.error();
      for (NamedLayer& layer : *layers) {
        if (auto kept = keep(listed, std::move(layer)); !kept) return kept.error();
      }
      continue;
    }
    for (const std::string_view codes : {".weight", ".qweight", ".weight_packed"}) {
      if (!name.ends_with(codes) || has_floats(tensor)) continue;
      const std::string_view base = name.substr(0, name.size() - codes.size() + 1);
      if (auto added = add_layer(listed, base, tensor); !added) return added.error();
    }
  }
  return listed;
}

/// By the files' tensors, whether each is a part of a layer.
std::vector<bool> QuantizedFolder::hidden_tensors() const {
  const std::span<const TensorInfo> tensors = m_files->tensors();
  std::vector<bool> hidden(tensors.size(), false);
  const TensorInfo* last = nullptr;  // Experts of a stack, which are neighbours, share their parts.
  for (const QuantizedLayer& layer : m_layers) {
    if (std::exchange(last, layer.codes_tensor) == layer.codes_tensor) continue;
    for (const TensorInfo* part : parts_of(layer)) {
      hidden[static_cast<size_t>(part - tensors.data())] = true;
    }
  }
  return hidden;
}

TensorInfo QuantizedFolder::info_of(std::string name, const QuantizedLayer& layer) const {
  TensorInfo info = {.name = std::move(name),
                     .dtype = std::string(dtype_name(layer.dtype)),
                     .shape = {layer.num_outputs, layer.num_inputs},
                     .offset = layer.codes_tensor->offset};
  if (layer.is_stacked()) {  // The share of the codes.
    info.bytes = static_cast<uint64_t>(layer.num_outputs * layer.num_inputs);
  } else {
    for (const TensorInfo* part : parts_of(layer)) info.bytes += part->bytes;
  }
  return info;
}

Result<void> QuantizedFolder::add_layer(std::vector<Listed>& listed, std::string_view base,
                                        const TensorInfo& codes) {
  auto layer = describe_layer(files(), base, codes);
  if (!layer) return layer.error();
  const int64_t elements = dtype_block_elements(layer->dtype);
  if (layer->num_inputs % elements != 0) {
    return files().refused(codes.name, "has rows of " + std::to_string(layer->num_inputs) +
                                           " inputs, which are not whole groups of " +
                                           std::to_string(elements));
  }
  return keep(listed, {std::string(base) + "weight", *layer});
}

/// All tensors of the layer but the groups of its inputs.
std::vector<const TensorInfo*> QuantizedFolder::parts_of(const QuantizedLayer& layer) const {
  constexpr std::string_view kParts[] = {"weight_scale",
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
  std::vector<const TensorInfo*> parts = {layer.codes_tensor};
  const auto add = [&](const TensorInfo* part) {
    if (part != nullptr && part != layer.order_tensor) parts.push_back(part);
  };
  if (layer.is_stacked()) {
    add(layer.scales_tensor);
    add(files().part(layer.codes_tensor->name + "_activation_scale"));
  } else {
    for (const std::string_view name : kParts) add(files().part(layer, name));
  }
  return parts;
}

const TensorInfo* QuantizedFolder::find(std::string_view name) const {
  const auto at = std::ranges::lower_bound(m_tensors, name, {}, &TensorInfo::name);
  return at != m_tensors.end() && at->name == name ? &*at : nullptr;
}

/// Null for a tensor of the files' own.
const QuantizedLayer* QuantizedFolder::layer_of(std::string_view name) const {
  const TensorInfo* const tensor = find(name);
  if (tensor == nullptr) return nullptr;
  const size_t layer = m_layer_of[static_cast<size_t>(tensor - m_tensors.data())];
  return layer == kNoLayer ? nullptr : &m_layers[layer];
}

Result<ConstTensorView> QuantizedFolder::tensor(std::string_view name) {
  const QuantizedLayer* const layer = layer_of(name);
  if (layer == nullptr) return m_files->tensor(name);
  auto kept = m_blocks.find(name);
  if (kept == m_blocks.end()) {
    auto blocks = make_blocks(files(), *layer);
    if (!blocks) return blocks.error();
    kept = m_blocks.emplace(name, std::move(*blocks)).first;
    for (const TensorInfo* part : parts_of(*layer)) m_files->release(part->name);
  }
  return ConstTensorView(kept->second.data(), layer->dtype,
                         {layer->num_outputs, layer->num_inputs});
}

Result<ConstTensorView> QuantizedFolder::described(std::string_view name) {
  const QuantizedLayer* const layer = layer_of(name);
  if (layer == nullptr) return m_files->described(name);
  // Not the codes: asking for them lets the system read them ahead.
  static constexpr std::byte kNotRead{};
  return ConstTensorView(&kNotRead, layer->dtype, {layer->num_outputs, layer->num_inputs});
}

Result<std::span<const std::byte>> QuantizedFolder::bytes(std::string_view name) {
  if (layer_of(name) == nullptr) return m_files->bytes(name);
  auto view = tensor(name);
  if (!view) return view.error();
  const auto& blocks = m_blocks.find(name)->second;
  return std::span<const std::byte>(blocks);
}

void QuantizedFolder::release(std::string_view name) {
  const auto kept = m_blocks.find(name);
  if (kept != m_blocks.end()) m_blocks.erase(kept);
  if (layer_of(name) == nullptr) m_files->release(name);
}

}  // namespace quire
