#pragma once

// CUDA's qualifiers for a host compiler.

// libstdc++ has __attribute__((__noinline__)) in these, so they come before that name is a macro.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <source_location>
#include <string>
#include <vector>

#define __global__
#define __device__
#define __host__
#define __constant__
#define __grid_constant__
#define __launch_bounds__(...)
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __align__(n) __attribute__((aligned(n)))

/// One block runs on a host thread at a time, so a variable of the host thread is the block's.
#define __shared__ static thread_local
