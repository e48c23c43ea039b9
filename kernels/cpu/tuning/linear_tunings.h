#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "kernels/base/dtype.h"
#include "kernels/base/linear_tuning.h"

namespace quire::cpu {

struct CpuKernels;

/// One tuning for each DType.
using LinearTunings = std::array<LinearTuning, static_cast<size_t>(kLastDType) + 1>;

/// The tunings that apply until something is measured.
LinearTunings default_tunings(const CpuKernels& kernels);

/// The tunings that are measured for a dtype of weight with one row, the default first. Empty if
/// these kernels have no choice for it.
std::vector<LinearTuning> tuning_candidates(const CpuKernels& kernels, DType dtype);

}  // namespace quire::cpu
