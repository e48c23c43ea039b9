// rms_norm, layer_norm, add_rms_norm, add, scale, soft_cap, glu, activate, gate, multiply,
// gaussian_top_k, match_magnitude, gated_norm and gather_rows.

#include <cmath>

#include "tests/kernels/conformance/bounds.h"
#include "tests/kernels/conformance/case_lists.h"
#include "tests/kernels/conformance/row_promises.h"
#include "tests/kernels/kernel_test_support.h"

namespace quire::test {
namespace {

constexpr int64_t kRows = 11;
/// Elements between the columns of an operand and the next row's: its rows are parts of wider ones.
constexpr int64_t kMargin = 5;

/// What an operation does to a matrix (T, C) at `begin`, `count` rows of it.
using RowOperation = std::function<void(Backend&, TensorView rows, int64_t begin, int64_t count)>;

/// Runs an operation in place on the middle columns of a wider matrix; the whole of it is returned,
/// so that what is written beside is seen.
std::vector<float> run_in_place(Device& device, const std::vector<float>& x, int64_t C,
                                const RowOperation& operation, int64_t begin, int64_t count) {
  const auto width = C + 2 * kMargin;
  const DeviceArray<float> wide(
      device, std::vector<float>(x.begin() + begin * width, x.begin() + (begin + count) * width));
  operation(device.backend, wide.view({count, width}).columns(kMargin, C), begin, count);
  return wide.download();
}

/// relative: of each expected number; absolute: added to it.
void check_in_place(Trial& trial, const std::vector<float>& x, int64_t C, double relative,
                    const std::function<RowOperation(Device&)>& prepare, double absolute = 0.0) {
  const std::vector<float> expected =
      run_in_place(trial.oracle, x, C, prepare(trial.oracle), 0, kRows);
  const RowOperation operation = prepare(trial.tested);
  const std::vector<float> got = run_in_place(trial.tested, x, C, operation, 0, kRows);
  std::vector<double> bounds;
  for (float y : expected) bounds.push_back(relative * std::fabs(y) + absolute);
  trial.compare.within("out", got, expected, bounds);
  check_row_promises(trial, kRows, C + 2 * kMargin, got, [&](int64_t begin, int64_t count) {
    return run_in_place(trial.tested, x, C, operation, begin, count);
  });
}

std::vector<float> wide_numbers(int64_t C, float size, uint32_t seed) {
  return Numbers(seed).floats(kRows * (C + 2 * kMargin), size);
}

template <typename T>
std::shared_ptr<DeviceArray<T>> share(Device& device, std::vector<T> numbers) {
  return std::make_shared<DeviceArray<T>>(device, std::move(numbers));
}

// Norms ------------------------------------------------------------------------------------------

void run_norm_in_place(Trial& trial, int64_t C) {
  const std::vector<float> weight = Numbers(92).floats(C, 2.0f);
  check_in_place(trial, wide_numbers(C, 3.0f, 91), C, kFunctionError, [&](Device& device) {
    return
        [C, factors = share(device, weight)](Backend& backend, TensorView rows, int64_t, int64_t) {
          backend.rms_norm(rows, rows, factors->view({C}), 1e-5f);
        };
  });
}

/// Heads of the columns of a wider matrix, each normed as a row, to a dense tensor.
void run_norm_of_heads(Trial& trial, int64_t H, int64_t D) {
  const int64_t width = H * D + 2 * kMargin;
  std::vector<float> x = wide_numbers(H * D, 3.0f, 93);
  // A row of zeros, where eps alone decides, and one of large numbers.
  for (int64_t i = 0; i < width; ++i) x[static_cast<size_t>(i)] = 0.0f;
  for (int64_t i = width; i < 2 * width; ++i) x[static_cast<size_t>(i)] *= 1e8f;
  const std::vector<float> weight = Numbers(94).floats(D, 2.0f);
  const auto run = [&](Device& device, int64_t begin, int64_t count) {
    const DeviceArray<float> wide(device, x);
    const DeviceArray<float> factors(device, weight);
    const DeviceArray<float> out(device, count * H * D, -7.0f);
    device.backend.rms_norm(
        out.view({count, H, D}),
        wide.view({kRows, width}).columns(kMargin, H * D).split_columns(D).rows(begin, count),
        factors.view({D}), 1e-6f);
    return out.download();
  };
  const std::vector<float> expected = run(trial.oracle, 0, kRows);
  const std::vector<float> got = run(trial.tested, 0, kRows);
  std::vector<double> bounds;
  for (float y : expected) bounds.push_back(kFunctionError * std::fabs(y));
  trial.compare.within("out", got, expected, bounds);
  check_row_promises(trial, kRows, H * D, got,
                     [&](int64_t begin, int64_t count) { return run(trial.tested, begin, count); });
}

/// Heads of the columns of a wider matrix; what is subtracted and added decides the error.
void run_layer_norm(Trial& trial, int64_t H, int64_t D, bool has_bias) {
  const int64_t width = H * D + 2 * kMargin;
  std::vector<float> x = wide_numbers(H * D, 3.0f, 193);
  for (int64_t i = 0; i < width; ++i) x[static_cast<size_t>(i)] = 0.0f;
  for (int64_t i = width; i < 2 * width; ++i) x[static_cast<size_t>(i)] += 100.0f;
  const std::vector<float> weight = Numbers(194).floats(D, 2.0f);
  const std::vector<float> bias = Numbers(195).floats(D, 2.0f);
  const auto run = [&](Device& device, int64_t begin, int64_t count) {
    const DeviceArray<float> wide(device, x);
    const DeviceArray<float> factors(device, weight);
    const DeviceArray<float> addends(device, bias);
    const DeviceArray<float> out(device, count * H * D, -7.0f);
    device.backend.layer_norm(
        out.view({count, H, D}),
        wide.view({kRows, width}).columns(kMargin, H * D).split_columns(D).rows(begin, count),
        factors.view({D}), has_bias ? ConstTensorView(addends.view({D})) : ConstTensorView(),
        1e-5f);
    return out.download();
  };
  const std::vector<float> expected = run(trial.oracle, 0, kRows);
  const std::vector<float> got = run(trial.tested, 0, kRows);
  std::vector<double> bounds;
  for (int64_t i = 0; i < kRows * H * D; ++i) {
    // The second row's differences are of numbers 50 times as large.
    const double digits = i / (H * D) == 1 ? 64.0 : 1.0;
    const auto d = static_cast<size_t>(i % D);
    const double terms = 3.0 * std::fabs(weight[d]) + (has_bias ? std::fabs(bias[d]) : 0.0);
    bounds.push_back(kFunctionError * digits * terms);
  }
  trial.compare.within("out", got, expected, bounds);
  check_row_promises(trial, kRows, H * D, got,
                     [&](int64_t begin, int64_t count) { return run(trial.tested, begin, count); });
}

/// out is delta itself, or a matrix of its own; residual is a wider matrix's columns.
void run_add_norm(Trial& trial, int64_t C, bool in_delta) {
  const int64_t width = C + 2 * kMargin;
  const std::vector<float> residuals = wide_numbers(C, 3.0f, 95);
  const std::vector<float> deltas = Numbers(96).floats(kRows * C, 2.0f);
  const std::vector<float> weight = Numbers(97).floats(C, 2.0f);
  struct Sums {
    std::vector<float> out;
    std::vector<float> residual;
  };
  const auto run = [&](Device& device, int64_t begin, int64_t count) {
    const DeviceArray<float> residual(device, residuals);
    const DeviceArray<float> delta(device, deltas);
    const DeviceArray<float> own(device, kRows * C, -7.0f);
    const DeviceArray<float> factors(device, weight);
    const DeviceArray<float>& out = in_delta ? delta : own;
    device.backend.add_rms_norm(
        out.view({kRows, C}).rows(begin, count),
        residual.view({kRows, width}).columns(kMargin, C).rows(begin, count),
        delta.view({kRows, C}).rows(begin, count), factors.view({C}), 1e-5f);
    const std::vector<float> all = out.download();
    return Sums{{all.begin() + begin * C, all.begin() + (begin + count) * C}, residual.download()};
  };
  const Sums expected = run(trial.oracle, 0, kRows);
  const Sums got = run(trial.tested, 0, kRows);
  std::vector<double> bounds;
  for (float y : expected.out) bounds.push_back(kFunctionError * std::fabs(y));
  // One addition: IEEE leaves no choice.
  trial.compare.same_bits("residual", got.residual, expected.residual);
  trial.compare.within("out", got.out, expected.out, bounds);
  check_row_promises(trial, kRows, C, got.out, [&](int64_t begin, int64_t count) {
    return run(trial.tested, begin, count).out;
  });
}

// Elementwise ------------------------------------------------------------------------------------

void run_add(Trial& trial, int64_t C) {
  const std::vector<float> addends = Numbers(98).floats(kRows * C, 2.0f);
  check_in_place(trial, wide_numbers(C, 3.0f, 99), C, 0.0, [&](Device& device) {
    return [C, y = share(device, addends)](Backend& backend, TensorView rows, int64_t begin,
                                           int64_t count) {
      backend.add(rows, y->view({kRows, C}).rows(begin, count));
    };
  });
}

void run_scale(Trial& trial, int64_t C) {
  check_in_place(trial, wide_numbers(C, 3.0f, 100), C, 0.0, [](Device&) {
    return [](Backend& backend, TensorView rows, int64_t, int64_t) { backend.scale(rows, 0.37f); };
  });
}

void run_soft_cap(Trial& trial, int64_t C, float cap) {
  std::vector<float> x = wide_numbers(C, 4.0f * cap, 101);
  // Numbers so small that 1 - exp(-x) would lose them, zero, and some far beyond the cap.
  for (size_t i = 0; i < x.size(); i += 4) x[i] *= 1e-4f;
  x[kMargin] = 0.0f;
  for (size_t i = 3; i < x.size(); i += 7) x[i] *= 1e5f;
  check_in_place(trial, x, C, kFunctionError, [cap](Device&) {
    return
        [cap](Backend& backend, TensorView rows, int64_t, int64_t) { backend.soft_cap(rows, cap); };
  });
}

/// By how much a relative error of the exponent's argument grows in the result.
double sensitivity(const GluParams& params, double gate) {
  if (params.kind == GluParams::Kind::kSilu) return 1.0 + std::fabs(gate);
  if (params.kind == GluParams::Kind::kGeluTanh) {
    return 1.0 + std::fabs(1.6 * (gate + 0.044715 * gate * gate * gate));
  }
  return 1.0 + std::fabs(params.alpha * std::min(gate, double{params.limit}));
}

void run_glu(Trial& trial, const GluParams& params, int64_t F) {
  const int64_t width = 2 * F + 2 * kMargin;
  std::vector<float> x = Numbers(102).floats(kRows * width, 12.0f);
  for (int64_t i = 0; i < width; ++i) x[static_cast<size_t>(i)] *= 10.0f;
  const auto run = [&](Device& device, int64_t begin, int64_t count) {
    const DeviceArray<float> wide(device, x);
    const DeviceArray<float> out(device, count * F, -7.0f);
    device.backend.glu(out.view({count, F}),
                       wide.view({kRows, width}).columns(kMargin, 2 * F).rows(begin, count),
                       params);
    return out.download();
  };
  const std::vector<float> expected = run(trial.oracle, 0, kRows);
  const std::vector<float> got = run(trial.tested, 0, kRows);
  std::vector<double> bounds;
  for (int64_t i = 0; i < kRows * F; ++i) {
    const double gate = x[static_cast<size_t>(i / F * width + kMargin + i % F)];
    const double y = expected[static_cast<size_t>(i)];
    // Where the exponential overflows, the gate is shut: what is left below 1e-34 may be nothing.
    bounds.push_back(0.5 * kFunctionError * sensitivity(params, gate) * std::fabs(y) + 1e-34);
  }
  trial.compare.within("out", got, expected, bounds);
  check_row_promises(trial, kRows, F, got,
                     [&](int64_t begin, int64_t count) { return run(trial.tested, begin, count); });
}

constexpr Activation::Kind kActivations[] = {
    Activation::Kind::kRelu, Activation::Kind::kSquaredRelu, Activation::Kind::kSilu,
    Activation::Kind::kGelu, Activation::Kind::kGeluTanh,    Activation::Kind::kXielu};

/// Rounding an exponential's argument of size a moves it by a units: below 40 here, and smaller
/// results than 1e-15 may be nothing.
void run_activate(Trial& trial, Activation::Kind kind, int64_t C) {
  const Activation f = {.kind = kind, .positive = 0.7f, .negative = 1.3f, .beta = 0.4f};
  std::vector<float> x = wide_numbers(C, 6.0f, 104);
  for (size_t i = 0; i < x.size(); i += 5) x[i] *= 1e-4f;
  const std::vector<float> expected = [&] {
    DeviceArray<float> all(trial.oracle, x);
    const auto n = static_cast<int64_t>(x.size());
    trial.oracle.backend.activate(all.view({1, n}), f);
    return all.download();
  }();
  const RowOperation operation = [f](Backend& backend, TensorView rows, int64_t, int64_t) {
    backend.activate(rows, f);
  };
  const std::vector<float> got = run_in_place(trial.tested, x, C, operation, 0, kRows);
  std::vector<float> wanted = x;
  std::vector<double> bounds;
  for (size_t i = 0; i < x.size(); ++i) {
    const auto column = static_cast<int64_t>(i) % (C + 2 * kMargin);
    const bool is_inside = column >= kMargin && column < kMargin + C;
    if (is_inside) wanted[i] = expected[i];
    const double argument = 1.0 + double{x[i]} * x[i];
    // The terms of xIELU below zero cancel.
    const bool cancels = kind == Activation::Kind::kXielu;
    const double size = std::max(std::fabs(wanted[i]), cancels ? std::fabs(x[i]) : 0.0f);
    bounds.push_back(is_inside ? kFunctionError * argument * size + 1e-15 : 0.0);
  }
  trial.compare.within("out", got, wanted, bounds);
  check_row_promises(trial, kRows, C + 2 * kMargin, got, [&](int64_t begin, int64_t count) {
    return run_in_place(trial.tested, x, C, operation, begin, count);
  });
}

/// num_gates: C, or one for all columns.
void run_gate(Trial& trial, int64_t C, int64_t num_gates) {
  const std::vector<float> gates = Numbers(105).floats(kRows * num_gates, 4.0f);
  check_in_place(trial, wide_numbers(C, 3.0f, 106), C, 4.0 * kFunctionError, [&](Device& device) {
    return [num_gates, g = share(device, gates)](Backend& backend, TensorView rows, int64_t begin,
                                                 int64_t count) {
      backend.gate(rows, g->view({kRows, num_gates}).rows(begin, count));
    };
  });
}

/// num_factors: C, or one for all columns.
void run_multiply(Trial& trial, int64_t C, int64_t num_factors) {
  const std::vector<float> factors = Numbers(107).floats(kRows * num_factors, 2.0f);
  check_in_place(trial, wide_numbers(C, 3.0f, 108), C, 0.0, [&](Device& device) {
    return [num_factors, y = share(device, factors)](Backend& backend, TensorView rows,
                                                     int64_t begin, int64_t count) {
      backend.multiply(rows, y->view({kRows, num_factors}).rows(begin, count));
    };
  });
}

/// The threshold is a sum of numbers below 3, and is subtracted from others.
void run_top_k(Trial& trial, int64_t C, float multiplier) {
  const auto prepare = [=](Device&) {
    return [=](Backend& backend, TensorView rows, int64_t, int64_t) {
      backend.gaussian_top_k(rows, multiplier);
    };
  };
  check_in_place(trial, wide_numbers(C, 3.0f, 112), C, 0.0, prepare, 64.0 * kF32Unit);
}

/// One row is so small that its magnitude is taken for a larger one.
void run_match(Trial& trial, int64_t C) {
  std::vector<float> x = wide_numbers(C, 3.0f, 113);
  for (int64_t i = 0; i < C + 2 * kMargin; ++i) x[static_cast<size_t>(i)] *= 1e-4f;
  const std::vector<float> others = Numbers(114).floats(kRows * C, 2.0f);
  check_in_place(trial, x, C, kFunctionError, [&](Device& device) {
    return [C, y = share(device, others)](Backend& backend, TensorView rows, int64_t begin,
                                          int64_t count) {
      backend.match_magnitude(rows, y->view({kRows, C}).rows(begin, count));
    };
  });
}

/// num_groups groups of n columns; shares: one weight for all groups.
void run_gated_norm(Trial& trial, int64_t num_groups, int64_t n, bool gate_first, bool shares) {
  const int64_t C = num_groups * n;
  const int64_t num_weights = shares ? n : C;
  const std::vector<float> gates = Numbers(109).floats(kRows * (C + 2 * kMargin), 4.0f);
  const std::vector<float> weight = Numbers(110).floats(num_weights, 2.0f);
  check_in_place(trial, wide_numbers(C, 3.0f, 111), C, 4.0 * kFunctionError, [&](Device& device) {
    return [=, g = share(device, gates), w = share(device, weight)](
               Backend& backend, TensorView rows, int64_t begin, int64_t count) {
      const ConstTensorView gate =
          g->view({kRows, C + 2 * kMargin}).columns(kMargin, C).rows(begin, count);
      backend.gated_norm(rows, gate, w->view({num_weights}),
                         {.group_size = n, .eps = 1e-5f, .gate_first = gate_first});
    };
  });
}

void run_gather(Trial& trial, int64_t C) {
  const int64_t width = C + 2 * kMargin;
  const std::vector<float> x = wide_numbers(C, 1.0f, 103);
  const std::vector<int32_t> rows = {kRows - 1, 0, 3, 3, 7, 1};
  const auto count = static_cast<int64_t>(rows.size());
  const auto run = [&](Device& device) {
    const DeviceArray<float> wide(device, x);
    const DeviceArray<int32_t> indices(device, rows);
    const DeviceArray<float> out(device, count * C, -7.0f);
    device.backend.gather_rows(out.view({count, C}), wide.view({kRows, width}).columns(kMargin, C),
                               indices.view({count}));
    return out.download();
  };
  trial.compare.same_bits("out", run(trial.tested), run(trial.oracle));
}

std::string_view kind_name(GluParams::Kind kind) {
  switch (kind) {
    case GluParams::Kind::kSilu:
      return "silu";
    case GluParams::Kind::kGeluTanh:
      return "gelu";
    case GluParams::Kind::kClampedSwiglu:
      return "clamped swiglu";
  }
  CHECK(false);
}

void add_glu_cases(std::vector<Case>& cases, int64_t F) {
  for (GluParams::Kind kind :
       {GluParams::Kind::kSilu, GluParams::Kind::kGeluTanh, GluParams::Kind::kClampedSwiglu}) {
    cases.push_back({"glu", std::string(kind_name(kind)) + " F=" + std::to_string(F),
                     [=](Trial& trial) { run_glu(trial, {.kind = kind}, F); }});
  }
}

}  // namespace

void add_row_cases(std::vector<Case>& cases) {
  for (int64_t C : {1, 67, 256, 2051}) {
    const std::string shape = "C=" + std::to_string(C);
    const auto add = [&](std::string group, std::string what, std::function<void(Trial&)> run) {
      cases.push_back({std::move(group), shape + what, std::move(run)});
    };
    add("rms_norm", " in place", [C](Trial& trial) { run_norm_in_place(trial, C); });
    add("add_rms_norm", "", [C](Trial& trial) { run_add_norm(trial, C, false); });
    add("add_rms_norm", " in delta", [C](Trial& trial) { run_add_norm(trial, C, true); });
    add("add", "", [C](Trial& trial) { run_add(trial, C); });
    add("scale", "", [C](Trial& trial) { run_scale(trial, C); });
    add("soft_cap", " cap=30", [C](Trial& trial) { run_soft_cap(trial, C, 30.0f); });
    add("gather_rows", "", [C](Trial& trial) { run_gather(trial, C); });
    add_glu_cases(cases, C);
    for (const Activation::Kind kind : kActivations) {
      add("activate", " kind " + std::to_string(static_cast<int>(kind)),
          [=](Trial& trial) { run_activate(trial, kind, C); });
    }
    add("multiply", "", [C](Trial& trial) { run_multiply(trial, C, C); });
    add("multiply", " one for all", [C](Trial& trial) { run_multiply(trial, C, 1); });
    for (const float multiplier : {1.6449f, -0.5f}) {
      add("gaussian_top_k", " multiplier " + to_text(multiplier),
          [=](Trial& trial) { run_top_k(trial, C, multiplier); });
    }
    add("match_magnitude", "", [C](Trial& trial) { run_match(trial, C); });
    add("gated_norm", " one group",
        [C](Trial& trial) { run_gated_norm(trial, 1, C, false, true); });
    add("gated_norm", " gate first, 3 groups",
        [C](Trial& trial) { run_gated_norm(trial, 3, C, true, false); });
    add("gated_norm", " gate first, 5 groups of one weight",
        [C](Trial& trial) { run_gated_norm(trial, 5, C, true, true); });
    add("gate", "", [C](Trial& trial) { run_gate(trial, C, C); });
    add("gate", " one for all", [C](Trial& trial) { run_gate(trial, C, 1); });
    add("layer_norm", "", [C](Trial& trial) { run_layer_norm(trial, 1, C, true); });
  }
  for (const auto& [H, D] : {std::pair{3, 64}, {5, 13}, {2, 128}, {1, 256}}) {
    cases.push_back({"rms_norm", "H=" + std::to_string(H) + " D=" + std::to_string(D),
                     [H = H, D = D](Trial& trial) { run_norm_of_heads(trial, H, D); }});
    cases.push_back({"layer_norm", "H=" + std::to_string(H) + " D=" + std::to_string(D),
                     [H = H, D = D](Trial& trial) { run_layer_norm(trial, H, D, false); }});
  }
}

}  // namespace quire::test
