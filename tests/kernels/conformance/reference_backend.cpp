#include "tests/kernels/conformance/reference_backend.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "kernels/base/dequantize.h"
#include "kernels/cpu/sampling/row_sampler.h"
#include "tests/kernels/conformance/attention_in_double.h"
#include "tests/kernels/conformance/recurrence_in_double.h"

namespace quire::test {
namespace {

/// The weight's values, row by row.
class Values final : public LinearWeight {
 public:
  Values(int64_t num_outputs, int64_t num_inputs)
      : values(static_cast<size_t>(num_outputs * num_inputs)),
        m_outputs(num_outputs),
        m_inputs(num_inputs) {}
  int64_t num_outputs() const override { return m_outputs; }
  int64_t num_inputs() const override { return m_inputs; }
  size_t size_bytes() const override { return values.size() * sizeof(float); }
  const float* row(int64_t n) const { return values.data() + n * m_inputs; }

  std::vector<float> values;

 private:
  int64_t m_outputs;
  int64_t m_inputs;
};

const Values& values_of(const LinearWeight& weight) {
  const auto* const values = dynamic_cast<const Values*>(&weight);
  CHECK(values != nullptr);
  return *values;
}

float* row_of(const TensorView& x, int64_t t) {
  return x.as<float>() + t * x.row_stride();
}
const float* row_of(const ConstTensorView& x, int64_t t) {
  return x.as<float>() + t * x.row_stride();
}

/// One row times the weight, plus bias (N) or null.
void product(float* out, const float* x, const Values& weight, const float* bias) {
  for (int64_t n = 0; n < weight.num_outputs(); ++n) {
    const float* const w = weight.row(n);
    double sum = bias == nullptr ? 0.0 : bias[n];
    for (int64_t k = 0; k < weight.num_inputs(); ++k) sum += double{x[k]} * w[k];
    out[n] = static_cast<float>(sum);
  }
}

void norm(float* out, const float* x, const float* weight, int64_t n, float eps) {
  double sum = 0.0;
  for (int64_t i = 0; i < n; ++i) sum += double{x[i]} * x[i];
  const double inverse = 1.0 / std::sqrt(sum / static_cast<double>(n) + double{eps});
  for (int64_t i = 0; i < n; ++i) out[i] = static_cast<float>(x[i] * inverse * weight[i]);
}

double activated(const Activation& f, double x) {
  switch (f.kind) {
    case Activation::Kind::kRelu:
      return std::max(x, 0.0);
    case Activation::Kind::kSquaredRelu:
      return std::max(x, 0.0) * std::max(x, 0.0);
    case Activation::Kind::kSilu:
      return x / (1.0 + std::exp(-x));
    case Activation::Kind::kGelu:
      return 0.5 * x * std::erfc(-x / std::sqrt(2.0));
    case Activation::Kind::kGeluTanh:
      return x / (1.0 + std::exp(-2.0 * std::sqrt(2.0 / M_PI) * (x + 0.044715 * x * x * x)));
    case Activation::Kind::kXielu:
      return x > 0.0 ? f.positive * x * x + f.beta * x
                     : f.negative * (std::expm1(std::min(x, double{f.eps})) - x) + f.beta * x;
  }
  CHECK(false);
}

/// The sum of a group's one or two largest ranks.
double group_rank(std::vector<double> ranks, RouteParams::GroupRank by) {
  std::ranges::sort(ranks, std::greater());
  const bool takes_two = by == RouteParams::GroupRank::kTwoBest && ranks.size() > 1;
  return takes_two ? ranks[0] + ranks[1] : ranks[0];
}

void route_row(int32_t* ids, float* weights, std::span<const float> logits, int64_t k,
               const RouteParams& params) {
  const double maximum = *std::ranges::max_element(logits);
  std::vector<double> scores, ranks;
  for (const float logit : logits) {
    const bool is_sigmoid = params.scoring == RouteParams::Scoring::kSigmoid;
    scores.push_back(is_sigmoid ? 1.0 / (1.0 + std::exp(-double{logit}))
                                : std::exp(logit - maximum));
  }
  if (params.scoring == RouteParams::Scoring::kSoftmax) {
    const double total = std::accumulate(scores.begin(), scores.end(), 0.0);
    for (double& score : scores) score /= total;
  }
  for (size_t e = 0; e < scores.size(); ++e) {
    const double bias = params.bias.empty() ? 0.0 : params.bias.as<float>()[e];
    // Scores below 1e-300 are all zero; the logits still differ.
    const bool is_softmax = params.scoring == RouteParams::Scoring::kSoftmax;
    ranks.push_back(params.bias.empty() && is_softmax && params.num_groups == 1 ? double{logits[e]}
                                                                                : scores[e] + bias);
  }
  const size_t size = ranks.size() / static_cast<size_t>(params.num_groups);
  std::vector<std::pair<double, size_t>> groups;
  for (size_t g = 0; g < ranks.size() / size; ++g) {
    const auto begin = ranks.begin() + static_cast<std::ptrdiff_t>(g * size);
    groups.push_back(
        {-group_rank({begin, begin + static_cast<std::ptrdiff_t>(size)}, params.group_rank), g});
  }
  std::ranges::sort(groups);
  std::vector<size_t> order;
  for (int i = 0; i < params.top_groups; ++i) {
    for (size_t e = 0; e < size; ++e)
      order.push_back(groups[static_cast<size_t>(i)].second * size + e);
  }
  std::ranges::sort(order, [&](size_t a, size_t b) {
    return ranks[a] != ranks[b] ? ranks[a] > ranks[b] : a < b;
  });
  double total = 0.0;
  for (int64_t i = 0; i < k; ++i) total += scores[order[static_cast<size_t>(i)]];
  for (int64_t i = 0; i < k; ++i) {
    const size_t e = order[static_cast<size_t>(i)];
    ids[i] = static_cast<int32_t>(e);
    const double own = params.expert_scales.empty() ? 1.0 : params.expert_scales.as<float>()[e];
    weights[i] =
        static_cast<float>(scores[e] * params.scale * own / (params.renormalize ? total : 1.0));
  }
}

double gated(const GluParams& params, double gate, double up) {
  switch (params.kind) {
    case GluParams::Kind::kSilu:
      return gate / (1.0 + std::exp(-gate)) * up;
    case GluParams::Kind::kGeluTanh: {
      const double inner = std::sqrt(2.0 / M_PI) * (gate + 0.044715 * gate * gate * gate);
      return gate / (1.0 + std::exp(-2.0 * inner)) * up;  // 0.5 (1 + tanh) without cancellation.
    }
    case GluParams::Kind::kClampedSwiglu: {
      const double g = std::min(gate, double{params.limit});
      const double u = std::clamp(up, -double{params.limit}, double{params.limit});
      return g / (1.0 + std::exp(-params.alpha * g)) * (u + 1.0);
    }
  }
  CHECK(false);
}

/// The first 2 R of a head's numbers.
void rotate(float* head, const float* cosines, const float* sines, int64_t R) {
  for (int64_t i = 0; i < R; ++i) {
    const double a = head[i];
    const double b = head[i + R];
    head[i] = static_cast<float>(a * cosines[i] - b * sines[i]);
    head[i + R] = static_cast<float>(b * cosines[i] + a * sines[i]);
  }
}

void store(const TensorView& pages, int64_t slot, int64_t head, const float* x) {
  const int64_t D = pages.dim(3);
  const int64_t row = (slot / kBlockSize * pages.dim(1) + head) * kBlockSize + slot % kBlockSize;
  for (int64_t d = 0; d < D; ++d) {
    if (pages.dtype() == DType::kF32) {
      pages.as<float>()[row * D + d] = x[d];
    } else {
      const bool is_bf16 = pages.dtype() == DType::kBF16;
      pages.as<uint16_t>()[row * D + d] = is_bf16 ? f32_to_bf16(x[d]) : f32_to_f16(x[d]);
    }
  }
}

/// The pages' numbers.
std::vector<float> widen(const TensorView& pages) {
  std::vector<float> numbers(static_cast<size_t>(pages.num_elements()));
  dequantize_row(pages.dtype(), pages.data(), numbers.data(), pages.num_elements());
  return numbers;
}

TensorView view_like(std::vector<float>& numbers, const TensorView& pages) {
  return {numbers.data(), DType::kF32, {pages.dim(0), pages.dim(1), pages.dim(2), pages.dim(3)}};
}

class ReferenceBackend final : public Backend {
 public:
  DeviceInfo info() const override {
    return {.name = "reference", .description = "Plain loops in double", .available = true};
  }

  Result<std::unique_ptr<DeviceBuffer>> allocate(size_t bytes) override {
    auto buffer = allocate_plain_host(bytes);
    if (buffer && bytes > 0) std::memset((*buffer)->data(), 0, bytes);
    return buffer;
  }
  void upload(void* dst, const void* src, size_t bytes) override { copy(dst, src, bytes); }
  void download(void* dst, const void* src, size_t bytes) override { copy(dst, src, bytes); }
  void copy(void* dst, const void* src, size_t bytes) override {
    if (bytes > 0) std::memcpy(dst, src, bytes);
  }
  Result<void> synchronize() override { return {}; }

  Result<std::unique_ptr<LinearWeight>> pack_linear(
      std::span<const ConstTensorView> parts) override {
    int64_t num_outputs = 0;
    for (const ConstTensorView& part : parts) num_outputs += part.dim(0);
    const int64_t K = parts[0].dim(1);
    auto packed = std::make_unique<Values>(num_outputs, K);
    float* to = packed->values.data();
    for (const ConstTensorView& part : parts) {
      for (int64_t n = 0; n < part.dim(0); ++n, to += K) {
        dequantize_row(part.dtype(), part.rows(n, 1).data(), to, K);
      }
    }
    return std::unique_ptr<LinearWeight>(std::move(packed));
  }

  void embed(TensorView out, const LinearWeight& table, ConstTensorView ids,
             float factor) override {
    for (int64_t t = 0; t < out.dim(0); ++t) {
      const float* const row = values_of(table).row(ids.as<int32_t>()[t]);
      for (int64_t i = 0; i < out.dim(1); ++i) row_of(out, t)[i] = row[i] * factor;
    }
  }

  void linear(TensorView out, ConstTensorView x, const LinearWeight& weight,
              ConstTensorView bias) override {
    for (int64_t t = 0; t < out.dim(0); ++t) {
      product(row_of(out, t), row_of(x, t), values_of(weight),
              bias.empty() ? nullptr : bias.as<float>());
    }
  }

  void rms_norm(TensorView out, ConstTensorView x, ConstTensorView weight, float eps) override {
    const int64_t heads = out.rank() == 3 ? out.dim(1) : 1;
    const int64_t n = weight.dim(0);
    for (int64_t t = 0; t < out.dim(0); ++t) {
      for (int64_t h = 0; h < heads; ++h) {
        norm(row_of(out, t) + h * n, row_of(x, t) + h * n, weight.as<float>(), n, eps);
      }
    }
  }

  void add_rms_norm(TensorView out, TensorView residual, ConstTensorView delta,
                    ConstTensorView weight, float eps) override {
    add(residual, delta);
    rms_norm(out, residual, weight, eps);
  }

  void add(TensorView x, ConstTensorView y) override {
    for (int64_t t = 0; t < x.dim(0); ++t) {
      for (int64_t i = 0; i < x.dim(1); ++i) row_of(x, t)[i] += row_of(y, t)[i];
    }
  }

  void scale(TensorView x, float factor) override {
    for (int64_t t = 0; t < x.dim(0); ++t) {
      for (int64_t i = 0; i < x.dim(1); ++i) row_of(x, t)[i] *= factor;
    }
  }

  void soft_cap(TensorView x, float cap) override {
    for (int64_t t = 0; t < x.dim(0); ++t) {
      for (int64_t i = 0; i < x.dim(1); ++i) {
        float& at = row_of(x, t)[i];
        at = static_cast<float>(cap * std::tanh(double{at} / cap));
      }
    }
  }

  void rope_cos_sin(TensorView cos_sin, ConstTensorView positions, ConstTensorView inv_freq,
                    float factor) override {
    const int64_t R = inv_freq.dim(0);
    for (int64_t t = 0; t < cos_sin.dim(0); ++t) {
      for (int64_t i = 0; i < R; ++i) {
        // The angle alone is a float by definition.
        const float angle =
            static_cast<float>(positions.as<int32_t>()[t]) * inv_freq.as<float>()[i];
        row_of(cos_sin, t)[i] = static_cast<float>(std::cos(double{angle}) * factor);
        row_of(cos_sin, t)[R + i] = static_cast<float>(std::sin(double{angle}) * factor);
      }
    }
  }

  void rope_and_store(TensorView q, TensorView k, ConstTensorView v, ConstTensorView cos_sin,
                      ConstTensorView slot_mapping, KvLayerView kv) override {
    const int64_t R = cos_sin.dim(1) / 2;
    const int64_t D = q.dim(2);
    for (int64_t t = 0; t < q.dim(0); ++t) {
      const float* const cosines = row_of(cos_sin, t);
      const int32_t slot = slot_mapping.empty() ? -1 : slot_mapping.as<int32_t>()[t];
      for (int64_t h = 0; h < q.dim(1); ++h) {
        rotate(row_of(q, t) + h * D, cosines, cosines + R, R);
      }
      for (int64_t h = 0; h < k.dim(1); ++h) {
        rotate(row_of(k, t) + h * D, cosines, cosines + R, R);
        if (slot < 0) continue;
        store(kv.keys, slot, h, row_of(k, t) + h * D);
        store(kv.values, slot, h, row_of(v, t) + h * D);
      }
    }
  }

  void position_scales(TensorView out, ConstTensorView positions,
                       const PositionScale& params) override {
    for (int64_t t = 0; t < out.dim(0); ++t) {
      const int64_t passed = int64_t{positions.as<int32_t>()[t]} + params.offset;
      const double factor = std::log(1.0 + static_cast<double>(passed / params.interval));
      *row_of(out, t) = static_cast<float>(1.0 + double{params.beta} * factor);
    }
  }

  void attention(TensorView out, ConstTensorView q, KvLayerView kv, const AttentionBatch& batch,
                 const AttentionParams& params) override {
    std::vector<float> keys = widen(kv.keys);
    std::vector<float> values = widen(kv.values);
    const KvLayerView wide = {view_like(keys, kv.keys), view_like(values, kv.values)};
    const AttentionInDouble result = attend_in_double(q, wide, batch, params);
    std::copy(result.out.begin(), result.out.end(), out.as<float>());
  }

  void glu(TensorView out, ConstTensorView gate_up, const GluParams& params) override {
    const int64_t F = out.dim(1);
    for (int64_t t = 0; t < out.dim(0); ++t) {
      const float* const gate = row_of(gate_up, t);
      for (int64_t i = 0; i < F; ++i) {
        row_of(out, t)[i] = static_cast<float>(gated(params, gate[i], gate[F + i]));
      }
    }
  }

  void layer_norm(TensorView out, ConstTensorView x, ConstTensorView weight, ConstTensorView bias,
                  float eps) override {
    const int64_t n = weight.dim(0);
    const int64_t H = out.rank() == 3 ? out.dim(1) : 1;
    for (int64_t i = 0; i < out.dim(0) * H; ++i) {
      const float* const from = row_of(x, i / H) + i % H * n;
      const double mean = std::accumulate(from, from + n, 0.0) / static_cast<double>(n);
      double squares = 0.0;
      for (int64_t c = 0; c < n; ++c) squares += (from[c] - mean) * (from[c] - mean);
      const double deviation = std::sqrt(squares / static_cast<double>(n) + double{eps});
      std::vector<float> normed;
      for (int64_t c = 0; c < n; ++c) {
        const double addend = bias.empty() ? 0.0 : bias.as<float>()[c];
        normed.push_back(
            static_cast<float>((from[c] - mean) / deviation * weight.as<float>()[c] + addend));
      }
      std::ranges::copy(normed, row_of(out, i / H) + i % H * n);
    }
  }

  void activate(TensorView x, const Activation& f) override {
    for (int64_t t = 0; t < x.dim(0); ++t) {
      for (int64_t i = 0; i < x.dim(1); ++i) {
        row_of(x, t)[i] = static_cast<float>(activated(f, row_of(x, t)[i]));
      }
    }
  }

  void gate(TensorView x, ConstTensorView gate) override {
    for (int64_t t = 0; t < x.dim(0); ++t) {
      for (int64_t i = 0; i < x.dim(1); ++i) {
        const double g = row_of(gate, t)[gate.dim(1) == 1 ? 0 : i];
        row_of(x, t)[i] = static_cast<float>(row_of(x, t)[i] / (1.0 + std::exp(-g)));
      }
    }
  }

  void gaussian_top_k(TensorView x, float multiplier) override {
    const int64_t n = x.dim(1);
    for (int64_t t = 0; t < x.dim(0); ++t) {
      float* const row = row_of(x, t);
      const double mean = std::accumulate(row, row + n, 0.0) / static_cast<double>(n);
      double squares = 0.0;
      for (int64_t i = 0; i < n; ++i) squares += (row[i] - mean) * (row[i] - mean);
      const double threshold = mean + multiplier * std::sqrt(squares / static_cast<double>(n));
      for (int64_t i = 0; i < n; ++i) {
        row[i] = static_cast<float>(std::max(0.0, row[i] - threshold));
      }
    }
  }

  void match_magnitude(TensorView x, ConstTensorView y) override {
    const int64_t n = x.dim(1);
    const auto mean_of_squares = [n](const float* row) {
      return std::inner_product(row, row + n, row, 0.0, std::plus<>(),
                                [](double a, double b) { return a * b; }) /
             static_cast<double>(n);
    };
    for (int64_t t = 0; t < x.dim(0); ++t) {
      float* const row = row_of(x, t);
      const double own = std::max(mean_of_squares(row), 1e-5);
      const double factor = std::sqrt(mean_of_squares(row_of(y, t)) / own);
      for (int64_t i = 0; i < n; ++i) row[i] = static_cast<float>(row[i] * factor);
    }
  }

  void multiply(TensorView x, ConstTensorView y) override {
    for (int64_t t = 0; t < x.dim(0); ++t) {
      for (int64_t i = 0; i < x.dim(1); ++i) row_of(x, t)[i] *= row_of(y, t)[y.dim(1) == 1 ? 0 : i];
    }
  }

  void gated_norm(TensorView x, ConstTensorView gate, ConstTensorView weight,
                  const GatedNormParams& params) override {
    const int64_t n = params.group_size;
    for (int64_t t = 0; t < x.dim(0); ++t) {
      for (int64_t first = 0; first < x.dim(1); first += n) {
        float* const to = row_of(x, t) + first;
        const float* const gates = row_of(gate, t) + first;
        const float* const factors = weight.as<float>() + (weight.dim(0) == n ? 0 : first);
        std::vector<double> values(to, to + n);
        double squares = 0.0;
        for (int64_t i = 0; i < n; ++i) {
          double& v = values[static_cast<size_t>(i)];
          if (params.gate_first) v *= silu(gates[i]);
          squares += v * v;
        }
        const double deviation = std::sqrt(squares / static_cast<double>(n) + params.eps);
        for (int64_t i = 0; i < n; ++i) {
          const double normed = values[static_cast<size_t>(i)] / deviation * factors[i];
          to[i] = static_cast<float>(params.gate_first ? normed : normed * silu(gates[i]));
        }
      }
    }
  }

  void causal_conv(TensorView out, ConstTensorView x, ConstTensorView weight, ConstTensorView bias,
                   TensorView states, const StateBatch& batch, bool is_silu) override {
    const int64_t C = out.dim(1);
    const int64_t K = weight.dim(1);
    run_sequences(states, batch, (K - 1) * C, [&](int64_t t, std::vector<double>& inputs) {
      inputs.insert(inputs.end(), row_of(x, t), row_of(x, t) + C);
      for (int64_t c = 0; c < C; ++c) {
        double sum = bias.empty() ? 0.0 : bias.as<float>()[c];
        for (int64_t k = 0; k < K; ++k) {
          sum += weight.row<float>(c)[k] * inputs[static_cast<size_t>(k * C + c)];
        }
        row_of(out, t)[c] = static_cast<float>(is_silu ? silu(sum) : sum);
      }
      inputs.erase(inputs.begin(), inputs.begin() + C);
    });
  }

  void gated_delta(TensorView out, ConstTensorView q, ConstTensorView k, ConstTensorView v,
                   ConstTensorView alpha, ConstTensorView beta, TensorView states,
                   const StateBatch& batch, const GatedDeltaParams& params) override {
    const int64_t Hv = out.dim(1);
    const int64_t Hk = q.dim(1);
    const int64_t Dk = q.dim(2);
    const int64_t Dv = out.dim(2);
    const double factor = 1.0 / std::sqrt(static_cast<double>(Dk));
    run_sequences(states, batch, Hv * Dk * Dv, [&](int64_t t, std::vector<double>& state) {
      for (int64_t h = 0; h < Hv; ++h) {
        const int64_t from = (params.tiled_heads ? h % Hk : h / (Hv / Hk)) * Dk;
        const double dt = softplus(double{row_of(alpha, t)[h]} + params.dt_bias.as<float>()[h]);
        delta_row(row_of(out, t) + h * Dv, state.data() + h * Dk * Dv,
                  normalized(row_of(q, t) + from, Dk, params.eps, factor),
                  normalized(row_of(k, t) + from, Dk, params.eps, 1.0), row_of(v, t) + h * Dv, Dv,
                  std::exp(params.a.as<float>()[h] * dt),
                  1.0 / (1.0 + std::exp(-double{row_of(beta, t)[h]})));
      }
    });
  }

  void mamba2_scan(TensorView out, ConstTensorView x, ConstTensorView b, ConstTensorView c,
                   ConstTensorView dt, TensorView states, const StateBatch& batch,
                   const Mamba2Params& params) override {
    const int64_t H = out.dim(1);
    const int64_t P = out.dim(2);
    const int64_t N = b.dim(2);
    run_sequences(states, batch, H * P * N, [&](int64_t t, std::vector<double>& state) {
      for (int64_t i = 0; i < H * P; ++i) {
        const int64_t h = i / P;
        const int64_t from = h / (H / b.dim(1)) * N;
        const double step =
            std::clamp(softplus(double{row_of(dt, t)[h]} + params.dt_bias.as<float>()[h]),
                       double{params.dt_min}, double{params.dt_max});
        const double decay = std::exp(step * params.a.as<float>()[h]);
        double sum = double{params.d.as<float>()[h]} * row_of(x, t)[i];
        for (int64_t n = 0; n < N; ++n) {
          double& s = state[static_cast<size_t>(i * N + n)];
          s = decay * s + step * row_of(x, t)[i] * row_of(b, t)[from + n];
          sum += s * row_of(c, t)[from + n];
        }
        row_of(out, t)[i] = static_cast<float>(sum);
      }
    });
  }

  void route_experts(TensorView expert_ids, TensorView expert_weights,
                     ConstTensorView router_logits, const RouteParams& params) override {
    for (int64_t t = 0; t < router_logits.dim(0); ++t) {
      route_row(expert_ids.as<int32_t>() + t * expert_ids.row_stride(), row_of(expert_weights, t),
                std::span(row_of(router_logits, t), static_cast<size_t>(router_logits.dim(1))),
                expert_ids.dim(1), params);
    }
  }

  void linear_experts(TensorView out, ConstTensorView x,
                      std::span<const LinearWeight* const> experts, ConstTensorView biases,
                      ConstTensorView expert_ids) override {
    const int64_t k = expert_ids.dim(1);
    for (int64_t i = 0; i < out.dim(0); ++i) {
      const int32_t e = expert_ids.as<int32_t>()[i / k * expert_ids.row_stride() + i % k];
      const int64_t j = x.dim(0) == out.dim(0) ? i : i / k;
      product(row_of(out, i), row_of(x, j), values_of(*experts[static_cast<size_t>(e)]),
              biases.empty() ? nullptr : row_of(biases, e));
    }
  }

  void linear_heads(TensorView out, ConstTensorView x,
                    std::span<const LinearWeight* const> heads) override {
    const int64_t num_heads = out.dim(1);
    for (int64_t i = 0; i < out.dim(0) * num_heads; ++i) {
      const LinearWeight& head = *heads[static_cast<size_t>(i % num_heads)];
      const int64_t copied = x.dim(2) - head.num_inputs();
      float* const to = out.as<float>() + i * out.dim(2);
      const float* const from = x.as<float>() + i * x.dim(2);
      std::copy_n(from, copied, to);
      product(to + copied, from + copied, values_of(head), nullptr);
    }
  }

  void mix_experts(TensorView out, ConstTensorView x, ConstTensorView expert_weights) override {
    const bool has_weights = !expert_weights.empty();
    const int64_t k = has_weights ? expert_weights.dim(1) : x.dim(0) / out.dim(0);
    for (int64_t t = 0; t < out.dim(0); ++t) {
      for (int64_t c = 0; c < out.dim(1); ++c) {
        double sum = 0.0;
        for (int64_t j = 0; j < k; ++j) {
          const double weight = has_weights ? row_of(expert_weights, t)[j] : 1.0f;
          sum += weight * row_of(x, t * k + j)[c];
        }
        row_of(out, t)[c] = static_cast<float>(sum);
      }
    }
  }

  void gather_rows(TensorView out, ConstTensorView x, ConstTensorView rows) override {
    for (int64_t i = 0; i < out.dim(0); ++i) {
      std::copy_n(row_of(x, rows.as<int32_t>()[i]), out.dim(1), row_of(out, i));
    }
  }

  void sample(TensorView token_ids, TensorView logits, const SampleBatch& batch) override {
    cpu::RowSampler sampler;
    for (int64_t r = 0; r < token_ids.dim(0); ++r) {
      const std::span row(row_of(logits, r), static_cast<size_t>(logits.dim(1)));
      token_ids.as<int32_t>()[r] = sampler.sample(row, batch.rows[static_cast<size_t>(r)], batch);
    }
  }
};

}  // namespace

std::unique_ptr<Backend> make_reference_backend() {
  return std::make_unique<ReferenceBackend>();
}

}  // namespace quire::test
