#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "kernels/base/dtype.h"

namespace quire {

/// A tensor type of ggml, whether Quire computes with it or not.
struct GgmlType {
  uint32_t id;
  std::string_view name;  ///< As GGUF's tools spell it: "Q4_K".
  uint32_t block_elements;
  uint32_t block_bytes;
  std::optional<DType> dtype;  ///< None: Quire does not compute with it.
};

/// The type with this number in a file; null for an unknown one.
const GgmlType* find_ggml_type(uint32_t id);

/// Its name, or "type 77".
std::string ggml_type_name(uint32_t id);

/// "F32, F16, ...": the types that Quire computes with, for messages.
std::string supported_ggml_types();

}  // namespace quire
