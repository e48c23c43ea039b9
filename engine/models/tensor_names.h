#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace quire {

struct Architecture;
class WeightSource;

/// What a file calls a tensor for which Quire's own name is GGUF's. Names within a layer leave out
/// "blk.<n>." and, for the file's, its own prefix of a layer. A name without ".weight" or ".bias"
/// stands for both. '#' stands for the number of an expert, where each has a tensor of its own.
struct TensorName {
  std::string_view own;
  std::string_view file;
};
using TensorNameList = std::span<const TensorName>;

/// Translates Quire's names of tensors into those of a model's files.
class TensorNames {
 public:
  /// As GGUF names them.
  static TensorNames of_gguf(const Architecture& architecture);
  /// As Hugging Face's class names them; the source tells where the decoder's tensors begin, which
  /// differs where it is part of a larger model.
  static TensorNames of_hugging_face(const Architecture& architecture, const WeightSource& source);

  /// "blk.3.attn_q.weight" as "model.layers.3.self_attn.q_proj.weight". It may hold a '#'.
  std::string in_file(std::string_view own) const;
  /// The same for one expert.
  std::string in_file(std::string_view own, int expert) const;

  /// Whether a tensor of that name in the file is part of the decoder, so that leaving it unread
  /// changes what is computed. Not so are towers for images beside it, tables of rotations that are
  /// computed instead, and the head, of which models with tied embeddings store a copy.
  bool changes_results(std::string_view file_name) const;

 private:
  std::string translate(std::string_view own) const;

  TensorNameList m_exceptions;
  TensorNameList m_names;
  std::string m_layer_prefix;  ///< "blk." or "model.layers.".
  std::string m_model_prefix;  ///< What takes the place of "model." at a name's head.
  std::string m_head_prefix;   ///< What stands before "lm_head".
  std::vector<std::string> m_decoder_prefixes;  ///< What all names of the decoder's begin with.
};

}  // namespace quire
