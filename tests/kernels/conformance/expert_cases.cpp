// route_experts, linear_experts, linear_heads and mix_experts.

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "tests/kernels/conformance/bounds.h"
#include "tests/kernels/conformance/case_lists.h"
#include "tests/kernels/conformance/product_terms.h"
#include "tests/kernels/conformance/row_promises.h"

namespace quire::test {
namespace {

// Routing ----------------------------------------------------------------------------------------

struct Route {
  std::vector<int32_t> ids;
  std::vector<float> weights;
};

struct RouteShape {
  int64_t T;
  int64_t E;
  int64_t k;
  RouteParams params;
  bool has_bias = false;
  bool has_scales = false;

  bool is_by_score() const {
    return has_bias || params.num_groups > 1 || params.scoring == RouteParams::Scoring::kSigmoid;
  }
  std::string text() const {
    return "T=" + std::to_string(T) + " E=" + std::to_string(E) + " k=" + std::to_string(k) +
           (params.scoring == RouteParams::Scoring::kSigmoid ? " sigmoid" : "") +
           (params.renormalize ? " renormalised" : "") + (has_bias ? " bias" : "") +
           (has_scales ? " scales" : "") +
           (params.num_groups > 1 ? " groups=" + std::to_string(params.num_groups) : "");
  }
};

Route route(Device& device, const RouteShape& s, const std::vector<float>& logits, int64_t begin,
            int64_t count) {
  const DeviceArray<float> input(device, logits);
  const DeviceArray<int32_t> ids(device, count * s.k, -1);
  const DeviceArray<float> weights(device, count * s.k, -7.0f);
  const DeviceArray<float> bias(device, Numbers(71).floats(s.E, 0.3f));
  RouteParams params = s.params;
  if (s.has_bias) params.bias = bias.view({s.E});
  std::vector<float> factors = Numbers(72).floats(s.E, 0.5f);
  for (float& factor : factors) factor += 1.0f;
  const DeviceArray<float> scales(device, factors);
  if (s.has_scales) params.expert_scales = scales.view({s.E});
  device.backend.route_experts(ids.view({count, s.k}), weights.view({count, s.k}),
                               input.view({s.T, s.E}).rows(begin, count), params);
  return {ids.download(), weights.download()};
}

/// Some rows have equal logits, among which the lower id comes first; some are far from zero.
std::vector<float> make_logits(const RouteShape& s) {
  Numbers numbers(static_cast<uint32_t>(s.E));
  std::vector<float> logits = numbers.floats(s.T * s.E, 8.0f);
  for (int64_t t = 0; t < s.T; ++t) {
    for (int64_t e = 0; e < s.E; ++e) {
      float& logit = logits[static_cast<size_t>(t * s.E + e)];
      if (t % 5 == 1) logit = static_cast<float>(numbers.below(4));
      // Elsewhere scores would round to equal ones.
      if (s.is_by_score()) continue;
      if (t % 5 == 2) logit += 3000.0f;
      if (t % 5 == 3) logit *= 20.0f;
    }
  }
  return logits;
}

void run_route(Trial& trial, const RouteShape& s) {
  const std::vector<float> logits = make_logits(s);
  const Route expected = route(trial.oracle, s, logits, 0, s.T);
  const Route got = route(trial.tested, s, logits, 0, s.T);
  trial.compare.same_bits("expert_ids", got.ids, expected.ids);
  std::vector<double> bounds;
  // An exponent of size c errs by c units before the function is taken; those here are below 500.
  for (float w : expected.weights)
    bounds.push_back(kFunctionError * (1.0 + std::fabs(std::log(w + 1e-30))) * w + 1e-30);
  trial.compare.within("expert_weights", got.weights, expected.weights, bounds);
  check_row_promises(trial, s.T, s.k, got.weights, [&](int64_t begin, int64_t count) {
    return route(trial.tested, s, logits, begin, count).weights;
  });
}

// Products ---------------------------------------------------------------------------------------

struct ExpertShape {
  DType dtype;
  int64_t T;
  int64_t k;
  int64_t E;
  int64_t N;
  int64_t K;
  bool has_row_each;  ///< x is (T k, K) rather than (T, K).
  bool has_bias;
  bool has_large_scales = false;  ///< Of every second expert.

  int64_t x_rows() const { return has_row_each ? T * k : T; }
};

/// Experts, inputs and choices in host memory.
struct Mixture {
  ExpertShape s;
  std::vector<WeightMatrix> weights;
  std::vector<float> x;
  std::vector<float> biases;
  std::vector<int32_t> ids;

  explicit Mixture(const ExpertShape& shape) : s(shape) {
    Numbers numbers(81);
    for (int64_t e = 0; e < s.E; ++e) {
      weights.emplace_back(s.dtype, s.N, s.K, static_cast<uint32_t>(100 + e));
      if (s.has_large_scales && e % 2 == 1) weights.back().enlarge_scales();
    }
    x = numbers.floats(s.x_rows() * s.K);
    biases = s.has_bias ? numbers.floats(s.E * s.N) : std::vector<float>();
    // Distinct in a row; some experts are chosen by many rows, the last by none.
    for (int64_t t = 0; t < s.T; ++t) {
      const int first = t % 3 == 0 ? 0 : numbers.below(static_cast<int>(s.E - 1));
      for (int64_t j = 0; j < s.k; ++j) {
        ids.push_back(static_cast<int32_t>((first + j * 2) % (s.E - 1)));
      }
    }
  }
};

class MixtureOnDevice {
 public:
  MixtureOnDevice(Device& device, const Mixture& m)
      : m_device(device),
        m_shape(m.s),
        m_x(device, m.x),
        m_biases(device, m.biases),
        m_ids(device, m.ids) {
    for (const WeightMatrix& weight : m.weights) {
      m_packed.push_back(weight.pack(device));
      m_experts.push_back(m_packed.back().get());
    }
  }

  /// Tokens [begin, begin + count): (count k, N).
  std::vector<float> run(int64_t begin, int64_t count) const {
    const ExpertShape& s = m_shape;
    const int64_t each = s.has_row_each ? s.k : 1;
    const DeviceArray<float> out(m_device, count * s.k * s.N, -7.0f);
    m_device.backend.linear_experts(out.view({count * s.k, s.N}),
                                    m_x.view({s.x_rows(), s.K}).rows(begin * each, count * each),
                                    m_experts, bias(), m_ids.view({s.T, s.k}).rows(begin, count));
    return out.download();
  }

  /// linear() of expert e for row `row` of x.
  std::vector<float> run_alone(int64_t row, int32_t e) const {
    const ExpertShape& s = m_shape;
    const DeviceArray<float> out(m_device, s.N, -7.0f);
    const ConstTensorView own = s.has_bias
                                    ? ConstTensorView(m_biases.data() + e * s.N, DType::kF32, {s.N})
                                    : ConstTensorView();
    m_device.backend.linear(out.view({1, s.N}), m_x.view({s.x_rows(), s.K}).rows(row, 1),
                            *m_experts[static_cast<size_t>(e)], own);
    return out.download();
  }

 private:
  ConstTensorView bias() const {
    return m_shape.has_bias ? m_biases.view({m_shape.E, m_shape.N}) : TensorView();
  }

  Device& m_device;
  ExpertShape m_shape;
  std::vector<std::unique_ptr<LinearWeight>> m_packed;
  std::vector<const LinearWeight*> m_experts;
  DeviceArray<float> m_x;
  DeviceArray<float> m_biases;
  DeviceArray<int32_t> m_ids;
};

/// The bounds of out's rows, each of its expert's product.
std::vector<double> expert_bounds(Arithmetic arithmetic, const Mixture& m) {
  const ExpertShape& s = m.s;
  std::vector<double> bounds;
  for (int64_t i = 0; i < s.T * s.k; ++i) {
    const int64_t row = s.has_row_each ? i : i / s.k;
    const auto e = static_cast<size_t>(m.ids[static_cast<size_t>(i)]);
    const std::vector<float> x(m.x.begin() + row * s.K, m.x.begin() + (row + 1) * s.K);
    const auto first = static_cast<std::ptrdiff_t>(e) * s.N;
    const std::vector<float> bias =
        s.has_bias ? std::vector<float>(m.biases.begin() + first, m.biases.begin() + first + s.N)
                   : std::vector<float>();
    const std::vector<double> row_bounds = product_bounds(arithmetic, m.weights[e], x, bias);
    bounds.insert(bounds.end(), row_bounds.begin(), row_bounds.end());
  }
  return bounds;
}

void run_experts(Trial& trial, const ExpertShape& s) {
  const Mixture mixture(s);
  const MixtureOnDevice oracle(trial.oracle, mixture);
  const MixtureOnDevice tested(trial.tested, mixture);
  const std::vector<float> got = tested.run(0, s.T);
  trial.compare.within("out", got, oracle.run(0, s.T), expert_bounds(trial.arithmetic, mixture));
  check_row_promises(trial, s.T, s.k * s.N, got,
                     [&](int64_t begin, int64_t count) { return tested.run(begin, count); });
  for (int64_t i : {int64_t{0}, s.T * s.k / 2, s.T * s.k - 1}) {
    const std::vector<float> alone =
        tested.run_alone(s.has_row_each ? i : i / s.k, mixture.ids[static_cast<size_t>(i)]);
    trial.compare.same_bits(
        "Row " + std::to_string(i) + " by linear", alone,
        std::span(got).subspan(static_cast<size_t>(i * s.N), static_cast<size_t>(s.N)));
  }
}

// Heads ------------------------------------------------------------------------------------------

struct HeadsShape {
  DType dtype;
  int64_t T;
  int64_t H;
  int64_t P;  ///< Numbers of a head that are copied.
  int64_t N;
  int64_t K;
};

/// linear_heads for rows [begin, begin + count): (count, H, P + N).
class HeadsOnDevice {
 public:
  HeadsOnDevice(Device& device, const HeadsShape& shape, const std::vector<WeightMatrix>& weights,
                const std::vector<float>& x)
      : m_device(device), m_shape(shape), m_x(device, x) {
    for (const WeightMatrix& weight : weights) {
      m_packed.push_back(weight.pack(device));
      m_heads.push_back(m_packed.back().get());
    }
  }

  std::vector<float> run(int64_t begin, int64_t count) const {
    const HeadsShape& s = m_shape;
    const DeviceArray<float> out(m_device, count * s.H * (s.P + s.N), -7.0f);
    m_device.backend.linear_heads(out.view({count, s.H, s.P + s.N}),
                                  m_x.view({s.T, s.H, s.P + s.K}).rows(begin, count), m_heads);
    return out.download();
  }

 private:
  Device& m_device;
  HeadsShape m_shape;
  DeviceArray<float> m_x;
  std::vector<std::unique_ptr<LinearWeight>> m_packed;
  std::vector<const LinearWeight*> m_heads;
};

/// Nothing may change what is copied; the rest are products.
std::vector<double> heads_bounds(Arithmetic arithmetic, const HeadsShape& s,
                                 const std::vector<WeightMatrix>& weights,
                                 const std::vector<float>& x) {
  std::vector<double> bounds;
  for (int64_t i = 0; i < s.T * s.H; ++i) {
    bounds.insert(bounds.end(), static_cast<size_t>(s.P), 0.0);
    const auto begin = x.begin() + i * (s.P + s.K) + s.P;
    const std::vector<double> row =
        product_bounds(arithmetic, weights[static_cast<size_t>(i % s.H)], {begin, begin + s.K}, {});
    bounds.insert(bounds.end(), row.begin(), row.end());
  }
  return bounds;
}

void run_heads(Trial& trial, const HeadsShape& s) {
  std::vector<WeightMatrix> weights;
  for (int64_t h = 0; h < s.H; ++h) {
    weights.emplace_back(s.dtype, s.N, s.K, static_cast<uint32_t>(300 + h));
  }
  const std::vector<float> x = Numbers(83).floats(s.T * s.H * (s.P + s.K));
  const HeadsOnDevice oracle(trial.oracle, s, weights, x);
  const HeadsOnDevice tested(trial.tested, s, weights, x);
  const std::vector<float> got = tested.run(0, s.T);
  trial.compare.within("out", got, oracle.run(0, s.T),
                       heads_bounds(trial.arithmetic, s, weights, x));
  check_row_promises(trial, s.T, s.H * (s.P + s.N), got,
                     [&](int64_t begin, int64_t count) { return tested.run(begin, count); });
}

// Mixing -----------------------------------------------------------------------------------------

void run_mix(Trial& trial, int64_t T, int64_t k, int64_t C, bool has_weights) {
  Numbers numbers(static_cast<uint32_t>(C));
  const std::vector<float> x = numbers.floats(T * k * C, 3.0f);
  std::vector<float> weights = numbers.floats(T * k);
  if (!has_weights) std::ranges::fill(weights, 1.0f);
  const auto run = [&](Device& device, int64_t begin, int64_t count) {
    const DeviceArray<float> rows(device, x);
    const DeviceArray<float> factors(device, weights);
    const DeviceArray<float> out(device, count * C, -7.0f);
    device.backend.mix_experts(
        out.view({count, C}), rows.view({T * k, C}).rows(begin * k, count * k),
        has_weights ? factors.view({T, k}).rows(begin, count) : TensorView());
    return out.download();
  };
  const std::vector<float> got = run(trial.tested, 0, T);
  std::vector<double> bounds;  // k roundings of the sum, and as many of the products if not fused.
  for (int64_t i = 0; i < T * C; ++i) {
    double sizes = 0.0;
    for (int64_t j = 0; j < k; ++j) {
      const int64_t row = i / C * k + j;
      sizes += std::fabs(double{weights[static_cast<size_t>(row)]} *
                         x[static_cast<size_t>(row * C + i % C)]);
    }
    bounds.push_back(2.0 * static_cast<double>(k) * kF32Unit * sizes);
  }
  trial.compare.within("out", got, run(trial.oracle, 0, T), bounds);
  check_row_promises(trial, T, C, got,
                     [&](int64_t begin, int64_t count) { return run(trial.tested, begin, count); });
}

int64_t inputs_of(DType dtype) {
  return dtype_block_elements(dtype) > 32 ? 256 : is_quantized(dtype) ? 96 : 70;
}

}  // namespace

void add_expert_cases(std::vector<Case>& cases) {
  constexpr RouteParams kRenormalised = {.renormalize = true};
  constexpr auto kSigmoid = RouteParams::Scoring::kSigmoid;
  constexpr auto kTwoBest = RouteParams::GroupRank::kTwoBest;
  const RouteParams by_sigmoid = {.scoring = kSigmoid, .renormalize = true, .scale = 2.5f};
  const RouteParams two_best = {.scoring = kSigmoid,
                                .renormalize = true,
                                .num_groups = 8,
                                .top_groups = 4,
                                .group_rank = kTwoBest};
  const RouteParams by_best = {.scale = 16.0f, .num_groups = 5, .top_groups = 3};
  for (const RouteShape& s : {RouteShape{11, 8, 2, kRenormalised},
                              {7, 8, 2, {}},
                              {23, 37, 5, {}},
                              {9, 128, 8, kRenormalised},
                              {6, 256, 8, {}},
                              {3, 1, 1, kRenormalised},
                              {9, 24, 4, kRenormalised, false, true},
                              {4, 33, 33, {}},
                              {11, 45, 6, by_sigmoid},
                              {8, 300, 8, by_sigmoid, true},
                              {9, 64, 6, {.renormalize = true}, true},
                              {13, 256, 8, two_best, true},
                              {7, 8, 3, two_best},
                              {10, 160, 6, by_best}}) {
    cases.push_back({"route_experts", s.text(), [=](Trial& trial) { run_route(trial, s); }});
  }
  for (DType dtype : weight_types()) {
    const int64_t K = inputs_of(dtype);
    for (const ExpertShape& s : {ExpertShape{dtype, 1, 3, 7, 50, K, false, true},
                                 ExpertShape{dtype, 9, 2, 5, 17, K, true, false},
                                 ExpertShape{dtype, 37, 2, 4, 35, K, false, true}}) {
      cases.push_back({"linear_experts " + std::string(dtype_name(dtype)),
                       "T=" + std::to_string(s.T) + " k=" + std::to_string(s.k) +
                           " E=" + std::to_string(s.E) + " N=" + std::to_string(s.N) +
                           " K=" + std::to_string(K) + (s.has_row_each ? " a row each" : ""),
                       [=](Trial& trial) { run_experts(trial, s); }});
    }
  }
  for (DType dtype : folder_types()) {
    const ExpertShape s = {dtype, 9, 2, 5, 17, 256, false, true, true};
    cases.push_back({"linear_experts " + std::string(dtype_name(dtype)), "large scales",
                     [=](Trial& trial) { run_experts(trial, s); }});
  }
  for (DType dtype : weight_types()) {
    const int64_t K = inputs_of(dtype);
    for (const HeadsShape& s :
         {HeadsShape{dtype, 1, 5, 8, 24, K}, {dtype, 13, 3, 0, 40, K}, {dtype, 34, 2, 7, 17, K}}) {
      cases.push_back({"linear_heads " + std::string(dtype_name(dtype)),
                       "T=" + std::to_string(s.T) + " H=" + std::to_string(s.H) +
                           " P=" + std::to_string(s.P) + " N=" + std::to_string(s.N) +
                           " K=" + std::to_string(K),
                       [=](Trial& trial) { run_heads(trial, s); }});
    }
  }
  for (const auto& [T, k, C] : {std::tuple{1, 1, 1}, {13, 2, 67}, {5, 8, 300}}) {
    cases.push_back(
        {"mix_experts",
         "T=" + std::to_string(T) + " k=" + std::to_string(k) + " C=" + std::to_string(C),
         [T = T, k = k, C = C](Trial& trial) { run_mix(trial, T, k, C, true); }});
    cases.push_back({"mix_experts",
                     "T=" + std::to_string(T) + " k=" + std::to_string(k) +
                         " C=" + std::to_string(C) + " without weights",
                     [T = T, k = k, C = C](Trial& trial) { run_mix(trial, T, k, C, false); }});
  }
}

}  // namespace quire::test
