#include <span>

#include "engine/io/safetensors.h"
#include "engine/io/text.h"
#include "tests/fuzz/fuzz_targets.h"
#include "tests/fuzz/support.h"

namespace quire::fuzz {
namespace {

constexpr const char* kFileName = "input.safetensors";

/// Every byte of every tensor that the source hands out, so that a wild view is caught.
void read_all(WeightSource& source) {
  uint64_t sum = 0;
  for (const TensorInfo& info : source.tensors()) {
    require(source.find(info.name) == &info, "a tensor is not found under its name");
    const auto view = source.tensor(info.name);
    if (!view) {
      require_sentence(view.error(), {for_message(info.name)});
      continue;
    }
    const auto* data = static_cast<const unsigned char*>(view->data());
    for (uint64_t i = 0; i < info.bytes; ++i) sum += data[i];
  }
  require(source.find("no such tensor") == nullptr || sum > 0, "a tensor that is not there");
  Sha256 hash;
  source.hash_into(hash);
}

}  // namespace

void fuzz_safetensors(std::string_view bytes) {
  const auto tensors = parse_safetensors_header(std::as_bytes(std::span(bytes)), kFileName);
  if (!tensors) return require_sentence(tensors.error(), {kFileName});
  for (const TensorInfo& tensor : *tensors) {
    const bool fits = tensor.offset <= bytes.size() && tensor.bytes <= bytes.size() - tensor.offset;
    require(fits, "a tensor lies outside of its file");
  }
  static const ScratchFolder folder;
  const auto source = SafetensorsWeights::open_file(folder.write(kFileName, bytes));
  if (!source) return require_sentence(source.error(), {kFileName});
  read_all(**source);
}

void fuzz_safetensors_index(std::string_view bytes) {
  static const ScratchFolder folder;
  static const bool prepared = [] {
    for (const char* shard :
         {"model-00001-of-00004.safetensors", "model-00004-of-00004.safetensors"}) {
      folder.write(shard, read_source_file("tests/data/models/sharded/" + std::string(shard)));
    }
    return true;
  }();
  require(prepared, "the shards are there");
  folder.write("model.safetensors.index.json", bytes);
  const auto source = SafetensorsWeights::open(folder.path());
  if (!source)
    return require_sentence(source.error(),
                            {folder.path().string(), "model.safetensors.index.json"});
  read_all(**source);
}

}  // namespace quire::fuzz
