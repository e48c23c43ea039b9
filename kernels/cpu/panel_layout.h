#pragma once

#include <cstdint>

#include "kernels/base/dtype.h"

namespace quire::cpu {

/// The layout of a panel's elements.
enum class PanelContent : uint8_t {
  kAsGiven,    ///< The dtype's elements or blocks.
  kBf16Pairs,  ///< bf16, two inputs of an output adjacent, for LinearBf16.
};

struct PanelFormat {
  DType dtype = DType::kF32;  ///< Of the source rows.
  PanelContent content = PanelContent::kAsGiven;

  /// The dtype that unpack_column gives.
  DType unpacked() const { return content == PanelContent::kBf16Pairs ? DType::kBF16 : dtype; }
};

// A panel is the transpose of kPanelColumns rows in units: unit u of row j is unit
// u * kPanelColumns + j of the panel. Units are elements or pairs of them; of a quantised block,
// each byte of the scales, and each four bytes of the codes, so that a load gives four inputs of
// neighbouring outputs, as dot-product instructions need them. The fifth bits of Q5_0 and Q5_1 are
// reordered for the same reason: that of input 4 q + i is bit q of byte i.

/// Bytes of a panel, or of a chunk of it, of n inputs. Pairs come in multiples of kBf16Inputs.
int64_t panel_bytes(PanelFormat format, int64_t n);

/// Packs up to kPanelColumns rows of num_inputs each, of any alignment; for kBf16Pairs they are in
/// bf16 whatever the dtype. The panel's other columns are unchanged.
void pack_panel(void* panel, PanelFormat format, const char* const* rows, int64_t num_rows,
                int64_t num_inputs);

/// The inverse of pack_panel for one row: n inputs of a panel, or of a chunk of it.
void unpack_column(void* row, PanelFormat format, const void* panel, int64_t column, int64_t n);

}  // namespace quire::cpu
