#pragma once

#include <cstdint>
#include <string_view>

#include "kernels/base/result.h"

namespace quire::jinja {

/// Errors of kind kTemplate at a byte of the source, in one printable line: control characters and
/// ill-formed UTF-8 replaced, long messages cut.

/// "Chat template, line L, column C: message, at: excerpt"; columns count characters, both count
/// from 1.
Error error_at(std::string_view source, uint32_t offset, std::string_view message);

/// The template's own refusal of its input (raise_exception).
Error refusal_at(std::string_view source, uint32_t offset, std::string_view message);

}  // namespace quire::jinja
