#pragma once

#include "kernels/backend.h"
#include "tests/bench/gpu/options.h"
#include "tests/bench/gpu/report.h"

namespace quire::bench {

/// What the device gives at best; 0 where it was not run.
struct Ceilings {
  double copy_bytes_per_s = 0.0;  ///< Bytes read and written by a copy.
  double matrix_flops = 0.0;      ///< Of a bf16 GEMM, summed in f32.
};

Ceilings measure_ceilings(Backend& backend, const Options& options, Report& report);

/// Adds the rate in GB/s (TFLOP/s), and as a share where the ceiling was run.
void add_bytes(Values& values, const Ceilings& ceilings, double bytes, double seconds);
void add_flops(Values& values, const Ceilings& ceilings, double flops, double seconds);

}  // namespace quire::bench
