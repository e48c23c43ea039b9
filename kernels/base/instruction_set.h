#pragma once

#include <span>
#include <string>
#include <string_view>

#include "kernels/base/result.h"

namespace quire {

/// Instruction sets that have kernels of their own. Each includes the ones before it of the same
/// architecture.
enum class InstructionSet {
  kScalar,
  kAvx2,
  kAvx2Vnni,
  kAvx512,
  kAvx512Vnni,
  kAvx512Vbmi,
  kAvx512Bf16,
  kAmx,
  kNeon,
  kNeonDotprod,
};

/// "avx512", as in QUIRE_CPU_ISA.
std::string_view instruction_set_name(InstructionSet set);

/// Those that this processor and its operating system can run, in ascending order.
std::span<const InstructionSet> supported_instruction_sets();

/// The instruction set of that name, or the fastest one for an empty name. Errors: kInvalidArgument
/// for a name that is unknown or not supported here; lists the supported ones.
Result<InstructionSet> select_instruction_set(std::string_view name);

/// The instruction set that QUIRE_CPU_ISA names, or the fastest. Errors: as select_instruction_set.
Result<InstructionSet> chosen_instruction_set();

/// The processor's name as the operating system gives it, or the architecture's.
std::string processor_name();

}  // namespace quire
