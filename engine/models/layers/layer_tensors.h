#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/models/layers/norm.h"
#include "engine/models/weight_loader.h"

namespace quire {

/// The tensors of one layer, by their names in it: "attn_q" is "blk.<n>.attn_q.weight" and
/// ".bias". Errors stay in the loader.
class LayerTensors {
 public:
  /// Named within the layer, without ".weight" and ".bias".
  using Part = WeightLoader::Part;

  LayerTensors(WeightLoader& loader, int layer)
      : m_loader(loader), m_layer(layer), m_prefix("blk." + std::to_string(layer) + ".") {}

  int layer() const { return m_layer; }

  bool has(const char* name) const { return m_loader.has(m_prefix + name + ".weight"); }
  bool has_experts(const char* name) const { return m_loader.has_experts(m_prefix + name); }
  /// The first dimension of a weight; 0 if there is none.
  int64_t num_rows(const char* name) const {
    return m_loader.num_rows(m_prefix + name + ".weight");
  }
  Norm norm(const char* name, int64_t size, NormKind kind, float eps) {
    return m_loader.norm(m_prefix + name, size, kind, eps);
  }
  /// An RMSNorm (C) with the model's epsilon.
  Norm rms_norm(const char* name, const ModelConfig& config) {
    return norm(name, config.hidden_size, NormKind::kRms, config.norm_eps);
  }
  /// An RMSNorm of heads whose weights are all 1.
  Norm unweighted_norm(int64_t size, float eps) { return {m_loader.ones(size), eps}; }
  /// An RMSNorm whose weights are those of the file times `factor`; the name is whole.
  Norm scaled_norm(const char* name, int64_t size, double factor, float eps) {
    return m_loader.scaled_norm(m_prefix + name, size, factor, eps);
  }
  /// (size) f32, all `value`.
  DeviceTensor filled(int64_t size, float value) { return m_loader.filled(size, value); }
  /// (size) f32; the name includes ".weight" or ".bias".
  DeviceTensor vector(const char* name, int64_t size) {
    const Part part[] = {{m_prefix + name, size}};
    return m_loader.vector(part);
  }
  /// (rows, columns) f32, or (rows) for one column: a tensor of few numbers, whose dimensions of 1
  /// the files may leave out. The name includes ".weight" or ".bias".
  DeviceTensor parameters(const char* name, int64_t rows, int64_t columns) {
    return m_loader.parameters(m_prefix + name, rows, columns);
  }
  /// (size) f32: the rates -exp(A_log) at which recurrent states decay.
  DeviceTensor decays(const char* name, int64_t size) {
    return m_loader.decays(m_prefix + name, size);
  }
  /// The one number of a tensor, whose name is whole; without the tensor the fallback, if there is
  /// one.
  float number(const char* name, std::optional<float> fallback = {}) {
    return m_loader.number(m_prefix + name, fallback);
  }
  /// The parts (n_i, num_inputs), one below the other.
  Linear linear(const std::vector<Part>& parts, int64_t num_inputs, bool has_bias) {
    Linear linear;
    linear.weight = m_loader.linear(named(parts, ".weight"), num_inputs);
    if (has_bias) linear.bias = m_loader.vector(named(parts, ".bias"));
    m_loader.add_slot(linear, named(parts, ".weight"), num_inputs);
    return linear;
  }
  ExpertLinears experts(const std::vector<Part>& parts, int num_experts, int64_t num_inputs,
                        bool has_bias) {
    return m_loader.experts(named(parts, ""), num_experts, num_inputs, has_bias);
  }
  /// As WeightLoader::heads.
  ExpertLinears heads(const char* name, const WeightLoader::HeadRows& rows, int64_t num_inputs) {
    return m_loader.heads(m_prefix + name + ".weight", rows, num_inputs);
  }

 private:
  std::vector<Part> named(const std::vector<Part>& parts, const char* suffix) const {
    std::vector<Part> list = parts;
    for (Part& part : list) part.name = m_prefix + part.name + suffix;
    return list;
  }

  WeightLoader& m_loader;
  int m_layer;
  std::string m_prefix;
};

}  // namespace quire
