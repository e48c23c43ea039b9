#pragma once

// The <cuda_runtime.h> of the SIMT harness: CUDA's language and runtime for kernels that are
// compiled by a host compiler and run on the processor. Targets that link quire_simt find this file
// before the toolkit's. What is not here does not compile under the harness.

#include <simt/qualifiers.h>
#include <simt/vector_types.h>

#include <simt/atomics.h>
#include <simt/bits.h>
#include <simt/intrinsics.h>
#include <simt/runtime_api.h>
#include <simt/synchronization.h>
