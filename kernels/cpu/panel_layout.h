#pragma once

#include <cstdint>

#include "kernels/base/dtype.h"

namespace quire::cpu {

/// What a panel holds of the outputs' rows.
enum class PanelContent : uint8_t {
  kAsGiven,    ///< The numbers or blocks that they were given in.
  kBf16Pairs,  ///< bf16 numbers, two inputs of an output side by side, for LinearBf16.
};

struct PanelFormat {
  DType dtype = DType::kF32;  ///< Of the rows, as they were given.
  PanelContent content = PanelContent::kAsGiven;

  /// Of what unpack_column gives.
  DType unpacked() const { return content == PanelContent::kBf16Pairs ? DType::kBF16 : dtype; }
};

// A panel is the transpose of kPanelColumns rows, a unit at a time: unit u of row j is unit
// u * kPanelColumns + j of the panel. Units are elements, or pairs of them; of a quantised block
// they are the single bytes that hold scales, and four bytes where the codes lie, so that a load
// gives four inputs of neighbouring outputs, as products of bytes want them. The fifth bits of Q5_0
// and Q5_1 are put in an order of which this is true as well: that of input 4 q + i is bit q of
// byte i.

/// Bytes of a panel, or of a chunk of it, of n inputs. Pairs come in multiples of kBf16Inputs.
int64_t panel_bytes(PanelFormat format, int64_t n);

/// Packs up to kPanelColumns rows of num_inputs each, which may lie at any address; where pairs are
/// wanted they are in bf16, whatever the dtype. What lies in the panel's other columns is kept.
void pack_panel(void* panel, PanelFormat format, const char* const* rows, int64_t num_rows,
                int64_t num_inputs);

/// The inverse for n inputs of one row, of which `panel` holds the first: those of the panel or a
/// chunk.
void unpack_column(void* row, PanelFormat format, const void* panel, int64_t column, int64_t n);

}  // namespace quire::cpu
