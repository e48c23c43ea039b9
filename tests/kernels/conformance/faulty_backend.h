#pragma once

#include <memory>

#include "kernels/backend.h"

namespace quire::test {

/// One thing that a backend may do wrong.
enum class Fault {
  kEmbedScale,       ///< One in a hundred too much.
  kWeightBit,        ///< The last byte of a packed weight has a bit flipped.
  kBatchDependence,  ///< From nine rows on, linear's first output is one unit off.
  kNoBias,
  kNormEpsilon,     ///< Forgotten.
  kLayerNormBias,   ///< Forgotten.
  kActivationKind,  ///< The tanh approximation of GELU where GELU itself is asked for.
  kGate,            ///< The first column's for all.
  kGluKind,         ///< SiLU where the tanh approximation of GELU is asked for.
  kSlotShift,       ///< Rows go one slot too far.
  kAngle,           ///< Positions begin at 1.
  kWindow,          ///< One key too many.
  kChunk,           ///< Chunks are one key too long.
  kPositionScale,   ///< A position too late.
  kLastKey,         ///< A row does not see itself.
  kExpertOrder,     ///< Among equals the higher id is first.
  kGatedNormOrder,  ///< The gate is never first.
  kConvHistory,     ///< Sequences begin with zeros.
  kStateSnapshot,   ///< Only a sequence's last state is written.
  kScanSplit,       ///< A row's result depends on whether its step has other rows.
  kDirtyMemory,     ///< New buffers hold ones.
  kStaleStep,       ///< A step submitted again does nothing.
  kNoMemory,        ///< There is memory for one buffer in three.
  kNoWeights,       ///< No weight can be packed.
  kLostDevice,      ///< From the hundredth allocation on everything fails.
};

/// Does as `backend`, which is the CPU's and outlives it, but for the fault.
std::unique_ptr<Backend> make_faulty_backend(Backend& backend, Fault fault);

}  // namespace quire::test
