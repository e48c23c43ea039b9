#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/io/hash.h"
#include "kernels/base/result.h"
#include "kernels/base/tensor_view.h"

namespace quire {

/// What a file says about one tensor.
struct TensorInfo {
  std::string name;
  std::string dtype;  ///< As the file's format spells it: "BF16".
  std::vector<int64_t> shape;
  uint64_t bytes = 0;
  uint64_t offset = 0;  ///< Of the data, from the start of its file.
};

/// The tensors of a model's files, whatever their format.
/// Thread: one at a time.
class WeightSource {
 public:
  virtual ~WeightSource() = default;

  /// All tensors, by name ascending. Supported or not: only tensor() refuses.
  virtual std::span<const TensorInfo> tensors() const = 0;

  /// What the files say about the tensor; null if there is none of that name.
  virtual const TensorInfo* find(std::string_view name) const = 0;

  /// The tensor in host memory, aligned to its elements, valid as long as the source.
  /// Errors: kNotFound; kUnsupported for a dtype or a rank that Quire does not compute with.
  virtual Result<ConstTensorView> tensor(std::string_view name) = 0;

  /// As tensor(), for its dtype and shape: what it points at may be other bytes, and not aligned.
  /// Reads no file, and copies nothing.
  virtual Result<ConstTensorView> described(std::string_view name) { return tensor(name); }

  /// The tensor's bytes as the files hold them, whatever their dtype, valid as long as the source.
  /// Errors: kNotFound.
  virtual Result<std::span<const std::byte>> bytes(std::string_view name) = 0;

  /// Allows the tensor's memory to be freed. Views of it are no longer valid; tensor() reads it
  /// again. Loaders call this after each tensor, so that a model is not in memory twice.
  virtual void release(std::string_view name) = 0;

  /// What messages call the model: the name of its file, or of its folder.
  virtual std::string where() const = 0;

  /// Bytes of all files together.
  virtual uint64_t file_bytes() const = 0;

  /// Feeds names, dtypes, shapes, file sizes and the first and last 4 KiB of each tensor (of more
  /// than 8,192 tensors less of each, 64 MiB in all): enough to tell any two models apart without
  /// reading gigabytes.
  virtual void hash_into(Sha256& hash) const = 0;

  /// Whether the files still held every byte that was read of them. Otherwise zeros were read in
  /// their place: what was made of them must be discarded. Cheap enough to be asked after each
  /// tensor.
  /// Errors: kIo naming the file that became shorter.
  virtual Result<void> check_whole() const = 0;
};

}  // namespace quire
