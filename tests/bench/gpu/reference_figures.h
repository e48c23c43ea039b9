#pragma once

#include <map>
#include <string>
#include <string_view>

#include "kernels/base/result.h"
#include "tests/bench/gpu/report.h"

namespace quire::bench {

/// name -> unit -> number.
using ReferenceFigures = std::map<std::string, std::map<std::string, double>>;

/// The "figures" of a file as transformers_reference.py and bench_gpu write them: an object of
/// objects of numbers. What is no number (a reason) is left out.
/// Errors: kIo, kCorruptFile with the place.
Result<ReferenceFigures> read_reference(const std::string& path);
/// `source` names the text in errors.
Result<ReferenceFigures> parse_reference(std::string_view text, const std::string& source);

/// Adds to the report, for each whole-model figure that the reference has too, how many times its
/// tokens a second Quire computes. 64 chats that share a prefix are also compared with 64 that do
/// not: transformers cannot share.
void compare_with_reference(Report& report, const ReferenceFigures& reference);

}  // namespace quire::bench
