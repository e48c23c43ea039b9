#pragma once

#include <memory>
#include <vector>

#include "engine/models/device_tensor.h"

namespace quire {

/// y = x W^T + bias; an empty bias adds nothing.
struct Linear {
  std::unique_ptr<LinearWeight> weight;
  DeviceTensor bias;  ///< (N) f32.

  size_t size_bytes() const { return (weight ? weight->size_bytes() : 0) + bias.size_bytes(); }
};

struct LayerWeights {
  DeviceTensor attention_norm;  ///< (C) f32.
  Linear qkv;                   ///< ((H + 2 Hkv) D, C): queries, keys, values.
  Linear output;                ///< (C, H D).
  DeviceTensor mlp_norm;        ///< (C) f32.
  Linear gate_up;               ///< (2 F, C): the gate first.
  Linear down;                  ///< (C, F).
};

/// The weights of a decoder-only transformer with gated MLPs, in the backend's memory.
struct DecoderWeights {
  DeviceTensor embedding;  ///< (V, C) in the file's dtype.
  std::vector<LayerWeights> layers;
  DeviceTensor final_norm;  ///< (C) f32.
  Linear lm_head;           ///< (V, C).

  size_t size_bytes() const;
};

}  // namespace quire
