#include "engine/quantize/quantize_recipe.h"

#include <algorithm>
#include <cctype>

#include "engine/io/gguf_types.h"
#include "engine/io/text.h"

namespace quire {
namespace {

enum : uint32_t {
  kTypeF32 = 0,
  kTypeF16 = 1,
  kTypeQ4_0 = 2,
  kTypeQ4_1 = 3,
  kTypeQ5_0 = 6,
  kTypeQ5_1 = 7,
  kTypeQ8_0 = 8,
  kTypeQ2_K = 10,
  kTypeQ3_K = 11,
  kTypeQ4_K = 12,
  kTypeQ5_K = 13,
  kTypeQ6_K = 14,
  kTypeIQ4_NL = 20,
  kTypeIQ4_XS = 23,
  kTypeBF16 = 30,
  kTypeMXFP4 = 39,
};

constexpr std::string_view kHead = "output in Q6_K";

constexpr QuantizeRecipe kRecipes[] = {
    {"F32", "F32", 0, ""},
    {"BF16", "BF16", 32, ""},
    {"F16", "F16", 1, ""},
    {"Q8_0", "Q8_0", 7, ""},
    {"Q6_K", "Q6_K", 18, ""},
    {"Q5_K_M", "Q5_K", 17, "half of attn_v and ffn_down and the output in Q6_K"},
    {"Q5_K_S", "Q5_K", 16, kHead},
    {"Q5_1", "Q5_1", 9, kHead},
    {"Q5_0", "Q5_0", 8, kHead},
    {"Q4_K_M", "Q4_K", 15, "half of attn_v and ffn_down and the output in Q6_K"},
    {"Q4_K_S", "Q4_K", 14, "the first attn_v and ffn_down in Q5_K, output in Q6_K"},
    {"IQ4_NL", "IQ4_NL", 25, kHead},
    {"IQ4_XS", "IQ4_XS", 30, kHead},
    {"Q4_1", "Q4_1", 3, kHead},
    {"Q4_0", "Q4_0", 2, kHead},
    {"MXFP4", "MXFP4", 38, "experts in MXFP4 and all else in Q8_0; without experts all in MXFP4"},
    {"Q3_K_L", "Q3_K", 13, "attn_v, attn_output and ffn_down in Q5_K, output in Q6_K"},
    {"Q3_K_M", "Q3_K", 12, "attn_v, attn_output and ffn_down in Q4_K or Q5_K, output in Q6_K"},
    {"Q3_K_S", "Q3_K", 11, kHead},
    {"Q2_K", "Q2_K", 10, "attn_v, attn_output and ffn_down in Q3_K or Q4_K, output in Q6_K"},
};

uint32_t type_id(std::string_view name) {
  for (uint32_t id = 0; id < 256; ++id) {
    if (ggml_type_name(id) == name) return id;
  }
  return kTypeF32;
}

std::string upper(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return result;
}

bool has(std::string_view name, std::string_view part) {
  return name.find(part) != name.npos;
}

/// As llama.cpp's quantiser keeps them.
bool is_quantized_matrix(const SourceTensor& tensor) {
  if (tensor.shape.size() < 2 || !tensor.name.ends_with("weight")) return false;
  for (const char* part : {"_norm.weight", "ffn_gate_inp.weight", "ffn_gate_inp_shexp.weight",
                           "altup", "laurel", "per_layer_model_proj", "ssm_conv1d",
                           "shortconv.conv", "position_embd", "token_types", "ffn_gate_tid2eid"}) {
    if (has(tensor.name, part)) return false;
  }
  return true;
}

/// The recipes of mixed types, in the order of llama.cpp's llama_tensor_get_type().
class TypeChooser {
 public:
  TypeChooser(const QuantizeRecipe& recipe, const RecipeFacts& facts,
              std::span<const SourceTensor> tensors)
      : m_recipe(recipe), m_facts(facts), m_own(type_id(recipe.type)) {
    for (const SourceTensor& tensor : tensors) {
      m_has_head = m_has_head || tensor.name == "output.weight";
      m_num_values += is_value(tensor.name) ? 1 : 0;
    }
  }

  uint32_t choose(const SourceTensor& tensor) {
    const std::string& name = tensor.name;
    if (m_own == kTypeF32 || m_own == kTypeF16 || m_own == kTypeBF16) return m_own;
    if (name == "output.weight" || (!m_has_head && name == "token_embd.weight")) {
      return of_head(tensor);
    }
    if (m_own == kTypeMXFP4) return of_mxfp4(tensor);
    if (is_value(name)) return of_values(m_value++);
    const int layer = std::max(layer_of(name), 0);
    if (has(name, "attn_k.weight")) return m_facts.num_experts == 8 ? kTypeQ8_0 : m_own;
    if (has(name, "ffn_down")) return of_down(layer);
    if (has(name, "attn_output")) return of_attention_output();
    return m_own;
  }

 private:
  static bool is_value(std::string_view name) {
    return has(name, "attn_v.weight") || has(name, "attn_qkv.weight") ||
           has(name, "attn_kv_b.weight");
  }
  bool is(std::string_view name) const { return m_recipe.name == name; }
  static bool gets_more_bits(int64_t layer, int64_t num_layers) {
    return layer < num_layers / 8 || layer >= 7 * num_layers / 8 ||
           (layer - num_layers / 8) % 3 == 2;
  }

  uint32_t of_head(const SourceTensor& tensor) const {
    const bool fits = tensor.row_size() % find_ggml_type(m_own)->block_elements == 0;
    return m_own == kTypeQ8_0 || m_own == kTypeMXFP4 || !fits ? kTypeQ8_0 : kTypeQ6_K;
  }

  uint32_t of_mxfp4(const SourceTensor& tensor) const {
    return m_facts.num_experts > 0 && tensor.shape.size() < 3 ? kTypeQ8_0 : kTypeMXFP4;
  }

  uint32_t of_values(int64_t index) const {
    if (m_facts.num_experts == 8) return kTypeQ8_0;
    const bool is_shared = m_facts.heads_per_kv_head >= 4;
    if (is("Q2_K")) return is_shared ? kTypeQ4_K : kTypeQ3_K;
    if (is("Q3_K_M")) return index < 2 ? kTypeQ5_K : kTypeQ4_K;
    if (is("Q3_K_L")) return kTypeQ5_K;
    if (is("Q4_K_S") && index < 4) return kTypeQ5_K;
    if ((m_own == kTypeIQ4_NL || m_own == kTypeIQ4_XS) && is_shared) return kTypeQ5_K;
    const bool is_medium = is("Q4_K_M") || is("Q5_K_M");
    return is_medium && gets_more_bits(index, m_num_values) ? kTypeQ6_K : m_own;
  }

  uint32_t of_down(int64_t layer) const {
    const int64_t layers = m_facts.num_layers;
    const bool is_early = layer < layers / 8;
    if (is("Q2_K")) return kTypeQ3_K;
    if (is("Q3_K_M")) return layer < layers / 16 ? kTypeQ5_K : kTypeQ4_K;
    if (is("Q3_K_L")) return kTypeQ5_K;
    if ((is("Q4_K_M") || is("Q5_K_M")) && gets_more_bits(layer, layers)) return kTypeQ6_K;
    if (is("Q4_K_S") && is_early) return kTypeQ5_K;
    const bool is_iq4 = m_own == kTypeIQ4_NL || m_own == kTypeIQ4_XS;
    if (is_iq4 && is_early && !m_facts.has_importance) return kTypeQ5_K;
    if (is("Q4_0") && is_early && m_facts.has_importance) return kTypeQ4_1;
    if (is("Q5_0") && is_early && m_facts.has_importance) return kTypeQ5_1;
    return m_own;
  }

  uint32_t of_attention_output() const {
    if (m_facts.num_experts == 8) {
      const bool is_small = m_own == kTypeQ2_K || m_own == kTypeQ4_K || m_own == kTypeIQ4_NL ||
                            m_own == kTypeIQ4_XS || is("Q3_K_S") || is("Q3_K_M");
      return is_small ? kTypeQ5_K : m_own;
    }
    if (is("Q2_K")) return kTypeQ3_K;
    if (is("Q3_K_M")) return kTypeQ4_K;
    return is("Q3_K_L") ? kTypeQ5_K : m_own;
  }

  const QuantizeRecipe& m_recipe;
  const RecipeFacts& m_facts;
  uint32_t m_own;
  bool m_has_head = false;
  int64_t m_num_values = 0;
  int64_t m_value = 0;
};

/// A type whose blocks rows of that size are made of.
uint32_t fitting(uint32_t type, int64_t row_size) {
  const auto fits = [&](uint32_t id) { return row_size % find_ggml_type(id)->block_elements == 0; };
  if (fits(type)) return type;
  uint32_t smaller = type;
  if (type == kTypeQ2_K || type == kTypeQ3_K) smaller = kTypeQ4_0;
  if (type == kTypeQ4_K) smaller = kTypeQ5_0;
  if (type == kTypeQ5_K) smaller = kTypeQ5_1;
  if (type == kTypeQ6_K) smaller = kTypeQ8_0;
  if (type == kTypeIQ4_XS) smaller = kTypeIQ4_NL;
  return fits(smaller) ? smaller : kTypeF16;
}

}  // namespace

std::span<const QuantizeRecipe> quantize_recipes() {
  return kRecipes;
}

Result<QuantizeRecipe> find_quantize_recipe(std::string_view name) {
  std::string wanted = upper(name);
  if (wanted == "Q3_K" || wanted == "Q4_K" || wanted == "Q5_K") wanted += "_M";
  std::string names;
  for (const QuantizeRecipe& recipe : kRecipes) {
    if (recipe.name == wanted) return recipe;
    names += (names.empty() ? "" : ", ") + std::string(recipe.name);
  }
  for (uint32_t id = 0; id < 256; ++id) {
    if (find_ggml_type(id) == nullptr || ggml_type_name(id) != wanted) continue;
    return make_error(ErrorCode::kUnsupported, "Quire does not write %1 yet; choose one of %2",
                      {wanted, names});
  }
  return make_error(ErrorCode::kInvalidArgument,
                    "\"%1\" is not a type of GGUF files; choose one of %2",
                    {for_message(name), names});
}

RecipeFacts recipe_facts(const TensorSource& source, bool has_importance) {
  RecipeFacts facts{.has_importance = has_importance};
  int64_t queries = 0, keys = 0;
  for (const SourceTensor& tensor : source.tensors()) {
    facts.num_layers = std::max<int64_t>(facts.num_layers, layer_of(tensor.name) + 1);
    const bool is_expert = tensor.shape.size() == 3 && has(tensor.name, "_exps.");
    if (is_expert) facts.num_experts = std::max(facts.num_experts, tensor.shape[0]);
    if (tensor.name.ends_with("attn_q.weight")) queries = std::max(queries, tensor.num_rows());
    if (tensor.name.ends_with("attn_k.weight")) keys = std::max(keys, tensor.num_rows());
  }
  if (keys > 0) facts.heads_per_kv_head = queries / keys;
  return facts;
}

std::vector<uint32_t> choose_types(const QuantizeRecipe& recipe, bool pure,
                                   const RecipeFacts& facts,
                                   std::span<const SourceTensor> tensors) {
  TypeChooser chooser(recipe, facts, tensors);
  std::vector<uint32_t> types;
  for (const SourceTensor& tensor : tensors) {
    if (is_quantized_matrix(tensor)) {
      const uint32_t chosen = chooser.choose(tensor);
      types.push_back(fitting(pure ? type_id(recipe.type) : chosen, tensor.row_size()));
    } else {
      const bool is_half = tensor.type == kTypeF16 || tensor.type == kTypeBF16;
      types.push_back(is_half ? kTypeF32 : tensor.type);
    }
  }
  return types;
}

}  // namespace quire
