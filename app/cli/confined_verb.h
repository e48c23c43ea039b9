#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "kernels/base/result.h"

namespace quire {

/// What a verb prints to standard output, and the program's exit code.
struct VerbOutput {
  std::string text;
  int code = 0;
};

/// What a verb works on.
struct VerbInput {
  std::string model;      ///< A stranger's file or folder, which alone may be read; or empty.
  std::string name;       ///< Of what is read, for sentences.
  size_t text_bytes = 0;  ///< Of the user's text, by which the limits grow.
};

/// Makes the output in a process without rights (confined_call.h). `work` must not write anything,
/// nor read standard input. Errors: those of `work`; kOutOfMemory, kUnsupported and kCorruptFile
/// if the process took too much, took too long or crashed.
/// Thread: the only one of the program: call it before a device is opened.
Result<VerbOutput> in_confinement(const VerbInput& input,
                                  const std::function<Result<VerbOutput>()>& work);

/// The same for a verb that prints nothing but this.
Result<int> print_confined(const VerbInput& input, const std::function<Result<VerbOutput>()>& work);

/// Reads all of a model but its weights in such a process, and encodes and renders a short text
/// with it, unless it passed before and has not changed (TriedModels). An error says that this
/// ended the process, so that the model is not to be loaded; what else is wrong with it is the
/// load's to say.
Result<void> try_model(const std::string& model);

}  // namespace quire
