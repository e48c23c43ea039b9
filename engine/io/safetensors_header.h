#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "engine/io/weights.h"

namespace quire {

/// The tensors of one safetensors file: eight bytes with the length of a JSON header, the header,
/// the data (https://huggingface.co/docs/safetensors). Every tensor's size is its shape's times its
/// dtype's, and together they cover the data exactly, without overlap or holes.
/// Errors: kCorruptFile, kUnsupported for an unknown dtype; all name the file and the tensor.
Result<std::vector<TensorInfo>> parse_safetensors_header(std::span<const std::byte> file,
                                                         std::string_view file_name);

}  // namespace quire
