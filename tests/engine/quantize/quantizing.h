#pragma once

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "engine/io/gguf_weights.h"
#include "engine/quantize/quantize_job.h"
#include "tests/support/must.h"

namespace quire::test {

inline const std::filesystem::path kGguf =
    std::filesystem::path(QUIRE_SOURCE_DIR) / "tests/data/gguf";

inline std::string read_all(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A model that is quantised to `output`.
struct Quantizing {
  std::unique_ptr<GgufWeights> weights;
  std::unique_ptr<TensorSource> source;
  QuantizeOptions options;

  Quantizing(const std::filesystem::path& from, const std::filesystem::path& output,
             const char* type)
      : weights(must(GgufWeights::open(from))), source(open_gguf_source(*weights)) {
    options.output = output;
    options.recipe = must(find_quantize_recipe(type));
  }
  Result<QuantizePlan> run() { return quantize_model(*source, options); }
};

}  // namespace quire::test
