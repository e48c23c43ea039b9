#pragma once

#include <vector>

#include "kernels/backend.h"

namespace quire {

/// Consecutive layers that one backend computes.
struct LayerRange {
  Backend* backend = nullptr;
  int first = 0;
  int count = 0;

  int end() const { return first + count; }
};

/// Where a model's layers are computed: ascending ranges that cover all layers, each on its own
/// backend. The first range's backend also has the embedding, the last one's the head.
using LayerPlacement = std::vector<LayerRange>;

/// All layers on one backend.
inline LayerPlacement place_all(Backend& backend, int num_layers) {
  return {{.backend = &backend, .first = 0, .count = num_layers}};
}

/// The backend of each layer.
inline std::vector<Backend*> layer_backends(const LayerPlacement& placement) {
  std::vector<Backend*> backends;
  for (const LayerRange& range : placement) {
    backends.insert(backends.end(), static_cast<size_t>(range.count), range.backend);
  }
  return backends;
}

/// The same for `num_layers` layers: those after the placement's last are on its last backend.
inline std::vector<Backend*> layer_backends(const LayerPlacement& placement, int num_layers) {
  std::vector<Backend*> backends = layer_backends(placement);
  backends.resize(static_cast<size_t>(num_layers), placement.back().backend);
  return backends;
}

}  // namespace quire
