#pragma once

#include <climits>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/io/weights.h"

namespace quire {

struct Architecture;
struct MtpNames;

/// Quire's own name of a tensor, which is GGUF's, and its name in a file. Names within a layer omit
/// "blk.<n>." and the file's layer prefix. A name without ".weight" or ".bias" covers both. '#' is
/// the number of an expert, if each expert has its own tensor.
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
  /// As Hugging Face's class names them. The source shows the prefix of the decoder's tensors,
  /// which differs where the decoder is part of a larger model.
  static TensorNames of_hugging_face(const Architecture& architecture, const WeightSource& source);

  /// "blk.3.attn_q.weight" as "model.layers.3.self_attn.q_proj.weight". It may hold a '#'.
  std::string in_file(std::string_view own) const;
  /// The same for one expert.
  std::string in_file(std::string_view own, int expert) const;
  /// A name of in_file() with the expert's number in place of its '#', if it has one.
  static std::string of_expert(std::string file_name, int expert);

  /// Whether a tensor of that name in the file is part of the decoder, so that the results are
  /// wrong without it. False for image towers, for tables of rotations, which are computed instead,
  /// and for the head, which is stored twice by models with tied embeddings.
  bool changes_results(std::string_view file_name) const;
  /// The tensors of that name, which lacks ".weight" and ".bias", do not change results either.
  void leave_out(const std::string& own);

  /// Layers for speculation follow the decoder's own, `first` being the first of them. Their
  /// tensors do not change results, but all of them are to be read if `are_read`.
  void add_speculative_layers(int first, int count, bool are_read);
  /// Whether the files keep them apart, under names of their own, as Qwen and ERNIE do.
  bool has_mtp() const { return m_mtp != nullptr; }
  /// The prefix of the file's names of the layer `index` of them.
  std::string speculative_prefix(int first, int index) const;
  /// Whether a tensor of that name in the file belongs to one of them.
  bool is_speculative(std::string_view file_name) const;

 private:
  std::string translate(std::string_view own) const;
  std::string translate_mtp(int index, std::string_view rest) const;

  TensorNameList m_exceptions;
  TensorNameList m_names;
  std::string m_layer_prefix;    ///< "blk." or "model.layers.".
  std::string m_model_prefix;    ///< Replaces "model." at a name's head.
  std::string m_head_prefix;     ///< Stands before "lm_head".
  std::string m_omitted_prefix;  ///< Of names, where the files leave it out.
  std::string m_head;            ///< The file's name of the head.
  const MtpNames* m_mtp = nullptr;
  int m_first_speculative = INT_MAX;                ///< Layer.
  std::vector<std::string> m_speculative_prefixes;  ///< Of the file's names.
  bool m_reads_speculative = false;
  /// Beginnings of the file's names, of which none begins with another one.
  std::set<std::string, std::less<>> m_left_out;
  std::vector<std::string> m_decoder_prefixes;  ///< Prefixes of all names of the decoder.
};

enum class FileFormat { kHuggingFace, kGguf };

/// How files of one format store the weights of one architecture, where the decoder uses another
/// layout.
struct WeightConventions {
  TensorNames names;
  bool rotates_pairs = false;       ///< Rows of Q and K in the order that rotates adjacent pairs.
  bool interleaves_qkv = false;     ///< Fused queries, keys and values are stored head by head.
  bool norms_minus_one = false;     ///< Norms' weights are stored minus 1.
  bool keeps_last_norm = false;     ///< But those of the norm before the head are not.
  bool transposes_linears = false;  ///< Matrices but embeddings are (K, N).
  bool transposes_experts =
      false;  ///< Experts (E, K, N), their gates and ups in one tensor; or MXFP4.
  bool stores_log_decays = false;  ///< Recurrent layers' A_log instead of -exp(A_log).
  const char* config_name = "";    ///< What describes the model, in messages: "config.json".
  /// Whether gates and ups of transposed experts alternate.
  bool interleaves_experts = false;
  FileFormat format = FileFormat::kHuggingFace;
};

/// How many numbers a tensor holds, and their dtype as the file spells it. Hugging Face stores
/// MXFP4 as two tensors of bytes: blocks, which hold two numbers a byte, and scales, which hold
/// none.
struct StoredNumbers {
  std::optional<int64_t> count;  ///< Nothing if it does not fit.
  std::string_view dtype;
};
StoredNumbers stored_numbers(const TensorInfo& tensor);

WeightConventions conventions_of(const Architecture& architecture, FileFormat format,
                                 const WeightSource& source);

}  // namespace quire
