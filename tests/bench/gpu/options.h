#pragma once

#include <string>

#include "kernels/base/result.h"

namespace quire::bench {

/// What bench_gpu was asked for.
struct Options {
  std::string device = "cuda";  ///< As BackendOptions::device, but for "auto".
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
    "The ceilings are measured always: every share is one of them.\n";

/// Errors: kInvalidArgument, naming the argument.
Result<Options> parse_options(int argc, const char* const* argv);

}  // namespace quire::bench
