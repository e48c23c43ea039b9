#include "engine/models/registry.h"

#include <string_view>
#include <utility>

#include "engine/io/text.h"
#include "engine/models/llama.h"
#include "engine/models/transformer.h"

namespace quire {
namespace {

using LoadWeights = DecoderWeights (*)(const ModelConfig&, WeightLoader&);

struct Architecture {
  std::string_view name;
  LoadWeights load_weights;
};
constexpr Architecture kArchitectures[] = {
    {"LlamaForCausalLM", load_llama_weights},
    {"MistralForCausalLM", load_llama_weights},
};

}  // namespace

Result<std::unique_ptr<Decoder>> make_decoder(const ModelConfig& config, WeightSource& source,
                                              Backend& backend, const LoadOptions& options) {
  for (const Architecture& architecture : kArchitectures) {
    if (architecture.name != config.architecture) continue;
    WeightLoader loader(source, backend, options);
    DecoderWeights weights = architecture.load_weights(config, loader);
    if (auto loaded = loader.finish(); !loaded) return loaded.error();
    return TransformerDecoder::create(backend, config, std::move(weights));
  }
  return Error{ErrorCode::kUnsupported,
               "the architecture " + for_message(config.architecture) + " is not supported"};
}

}  // namespace quire
