#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/quantize/tensor_source.h"
#include "kernels/base/result.h"

namespace quire {

/// A recipe by name: which type each tensor of a file gets.
struct QuantizeRecipe {
  std::string_view name;   ///< As GGUF's tools call it: "Q4_K_M".
  std::string_view type;   ///< Of most matrices: "Q4_K".
  uint32_t file_type = 0;  ///< general.file_type (llama.cpp's enum llama_ftype).
  std::string_view mix;    ///< Which matrices get another type, for people.
};

/// All recipes, the most precise first.
std::span<const QuantizeRecipe> quantize_recipes();

/// The recipe of that name in upper or lower case; "Q3_K", "Q4_K" and "Q5_K" mean their M.
/// Errors: kUnsupported for a type that Quire reads but does not write yet; kInvalidArgument.
Result<QuantizeRecipe> find_quantize_recipe(std::string_view name);

/// What the recipes ask of a model beside its tensors.
struct RecipeFacts {
  int64_t num_layers = 0;
  int64_t num_experts = 0;
  int64_t heads_per_kv_head = 1;
  bool has_importance = false;
};
RecipeFacts recipe_facts(const TensorSource& source, bool has_importance);

/// The type of each tensor, as ggml numbers them. Vectors, routers and tensors that are no matrices
/// keep theirs, floats of 16 bits among the vectors become F32. Matrices whose rows are not whole
/// blocks of the recipe's type get a similar type with smaller blocks, or F16. `pure`: every matrix
/// gets the recipe's own type.
std::vector<uint32_t> choose_types(const QuantizeRecipe& recipe, bool pure,
                                   const RecipeFacts& facts, std::span<const SourceTensor> tensors);

}  // namespace quire
