#pragma once

#include <string>

#include "kernels/base/result.h"

namespace quire::bench {

/// What bench_gpu was asked for.
struct Options {
  std::string device = "cuda";  ///< "cuda", "cuda:1", "cpu".
  std::string only;             ///< One section; empty: all.
  std::string json_path;        ///< Where the figures go as JSON; empty: nowhere.
  std::string against_path;     ///< JSON of transformers_reference.py; empty: no comparison.
  bool is_quick = false;        ///< Fewer shapes and formats.
  bool is_tiny = false;         ///< Shapes that a processor computes at once, to test this program.
  bool wants_help = false;

  bool wants(const std::string& section) const { return only.empty() || only == section; }
};

inline constexpr const char* kUsage =
    "Usage: bench_gpu [--device cuda|cuda:N|cpu] [--only ceilings|kernels|models|profile]\n"
    "                 [--quick] [--tiny] [--json FILE] [--against REFERENCE.json]\n"
    "Measures what Quire makes of a GPU (docs/gpu-benchmarks.md).\n"
    "  --device NAME   cuda, which is the first GPU, cuda:1 and so on; cpu with --tiny alone\n"
    "  --only SECTION  that section; the ceilings always: every share is one of them\n"
    "  --quick         fewer shapes and formats\n"
    "  --tiny          shapes that a processor computes at once, to try this program\n"
    "  --json FILE     also writes the figures there, anew after each section\n"
    "  --against FILE  compares with the figures of transformers_reference.py\n"
    "  -h, --help      this text\n"
    "Exit status: 0 also where there is no GPU or a target is missed, 1 if the GPU failed or a\n"
    "file cannot be read or written, 2 for a mistake in the arguments.\n";

/// Errors: kInvalidArgument, naming the argument.
Result<Options> parse_options(int argc, const char* const* argv);

}  // namespace quire::bench
