#include <span>

#include "engine/io/gguf_file.h"
#include "engine/io/gguf_weights.h"
#include "engine/io/text.h"
#include "tests/fuzz/fuzz_targets.h"
#include "tests/fuzz/support.h"

namespace quire::fuzz {
namespace {

constexpr const char* kFileName = "input.gguf";

uint64_t sum_of(std::span<const std::byte> bytes) {
  uint64_t sum = 0;
  for (const std::byte byte : bytes) sum += static_cast<uint64_t>(byte);
  return sum;
}

void require_inside(std::span<const std::byte> part, std::span<const std::byte> file) {
  const bool is_inside = part.empty() || (part.data() >= file.data() &&
                                          part.data() + part.size() <= file.data() + file.size());
  require(is_inside, "a part lies outside of its file");
}

/// Every value through every getter; most of them are of the wrong type for it.
void read_values(const GgufFile& file) {
  uint64_t sum = sum_of(file.header_bytes());
  for (const GgufValue& value : file.values()) {
    require(file.has(value.key), "a value is not found under its key");
    require_inside(value.bytes, file.header_bytes());
    for (const std::string_view text : file.strings(value.key)) {
      require_inside(std::as_bytes(std::span(text)), file.header_bytes());
      sum += sum_of(std::as_bytes(std::span(text)));
    }
    if (const auto text = file.string(value.key)) sum += text->size();
    if (const auto integer = file.integer(value.key)) sum += static_cast<uint64_t>(*integer);
    sum += file.number(value.key).has_value() + file.boolean(value.key).has_value();
    require(file.numbers(value.key).size() <= value.count, "more numbers than the array has");
    require(file.integers(value.key).size() <= value.count, "more numbers than the array has");
  }
  require(!file.has("no such key") || sum > 0, "a value that is not there");
}

void read_tensors(WeightSource& source) {
  uint64_t sum = 0;
  for (const TensorInfo& info : source.tensors()) {
    require(source.find(info.name) == &info, "a tensor is not found under its name");
    const auto view = source.tensor(info.name);
    if (!view) {
      require_sentence(view.error(), {for_message(info.name)});
    } else {
      sum += sum_of({static_cast<const std::byte*>(view->data()), info.bytes});
    }
  }
  Sha256 hash;
  source.hash_into(hash);
  require(source.find("no such tensor") == nullptr || sum > 0, "a tensor that is not there");
}

}  // namespace

void fuzz_gguf(std::string_view bytes) {
  const auto header = parse_gguf_header(std::as_bytes(std::span(bytes)), kFileName);
  if (!header) return require_sentence(header.error(), {kFileName});
  static const ScratchFolder folder;
  const auto path = folder.write(kFileName, bytes);
  const auto file = GgufFile::open(path);
  if (!file) return require_sentence(file.error(), {kFileName});
  read_values(*file);
  for (const GgufTensor& tensor : file->tensors()) {
    require_inside(file->tensor_bytes(tensor), file->mapped().bytes());
  }
  const auto weights = GgufWeights::open(path);
  if (!weights) return require_sentence(weights.error(), {".gguf"});
  read_tensors(**weights);
}

}  // namespace quire::fuzz
