#include <sys/mman.h>
#include <unistd.h>

#include <QtTest>
#include <filesystem>
#include <random>

#include "engine/io/gguf_weights.h"
#include "tests/engine/io/gguf_builder.h"

using namespace quire;
using namespace quire::test;

namespace fs = std::filesystem;

namespace {

/// Few in CI; QUIRE_LONG_TESTS=1 runs many.
int num_rounds() {
  return qEnvironmentVariableIntValue("QUIRE_LONG_TESTS") > 0 ? 1'000'000 : 5'000;
}

/// Every kind of value and a few tensors, small, so that most changes hit something that counts.
std::string good_file() {
  using B = GgufBuilder;
  return B()
      .string("general.architecture", "llama")
      .u32("general.alignment", 32)
      .u16("split.no", 0)
      .u16("split.count", 1)
      .f32("f", 0.5f)
      .boolean("b", true)
      .strings("tokenizer.ggml.tokens", {"a", "bc", "", "def"})
      .numbers<float>("scores", 6, {0.5f, 1.0f})
      .numbers<int64_t>("wide", 11, {-1, 2})
      .numbers<uint8_t>("flags", 7, {0, 1, 2})
      .tensor("a", {4, 2}, 0, std::string(32, 'a'))
      .tensor("q", {256, 2}, 12, std::string(288, 'q'))
      .tensor("s", {}, 0, "1234")
      .tensor("x", {32}, 2, std::string(18, 'x'))
      .build();
}

/// A file without a disk, which thousands of rounds would wait for.
class MemoryFile {
 public:
  MemoryFile() : m_descriptor(::memfd_create("mutated.gguf", MFD_CLOEXEC)) {
    if (m_descriptor < 0) qFatal("no file in memory");
  }
  ~MemoryFile() { ::close(m_descriptor); }
  Q_DISABLE_COPY_MOVE(MemoryFile)

  fs::path path() const { return "/proc/self/fd/" + std::to_string(m_descriptor); }
  void write(const std::string& bytes) {
    if (::ftruncate(m_descriptor, 0) != 0 ||
        ::pwrite(m_descriptor, bytes.data(), bytes.size(), 0) != ssize_t(bytes.size())) {
      qFatal("cannot write to a file in memory");
    }
  }

 private:
  int m_descriptor;
};

/// Values that break counts, offsets and types.
uint64_t liked_number(std::mt19937& random) {
  static constexpr uint64_t kLiked[] = {0,
                                        1,
                                        2,
                                        4,
                                        5,
                                        8,
                                        9,
                                        12,
                                        31,
                                        32,
                                        33,
                                        39,
                                        40,
                                        0x7f,
                                        0xff,
                                        0xffff,
                                        0x7fffffff,
                                        0xffffffff,
                                        uint64_t{1} << 31,
                                        uint64_t{1} << 32,
                                        uint64_t{1} << 60,
                                        (uint64_t{1} << 61) + 1,
                                        uint64_t{1} << 63,
                                        ~uint64_t{0} - 31,
                                        ~uint64_t{0}};
  return kLiked[random() % std::size(kLiked)];
}

void mutate(std::string& bytes, std::mt19937& random) {
  const int num_changes = 1 + static_cast<int>(random() % 3);
  for (int i = 0; i < num_changes && bytes.size() > 8; ++i) {
    const size_t at = random() % bytes.size();
    const size_t width = size_t{1} << (random() % 4);
    const uint64_t number = liked_number(random);
    switch (random() % 6) {
      case 0:
        bytes[at] = static_cast<char>(random());
        break;
      case 1:
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << (random() % 8)));
        break;
      case 2:
        bytes.erase(at, width);
        break;
      case 3:
        bytes.insert(at, width, '\0');
        break;
      case 4:
        bytes.resize(at);
        break;
      default:
        std::memcpy(bytes.data() + at, &number, std::min(width, bytes.size() - at));
        break;
    }
  }
}

/// Reads everything that the file offers; what it sums keeps the reads from being left out.
uint64_t read_all(GgufWeights& weights) {
  uint64_t sum = 0;
  const GgufFile& file = weights.metadata();
  for (const GgufValue& value : file.values()) {
    for (std::string_view text : file.strings(value.key)) sum += text.empty() ? 0 : text.back();
    for (int64_t number : file.integers(value.key)) sum += static_cast<uint64_t>(number);
    sum += file.numbers(value.key).size();
    if (const auto text = file.string(value.key); text && !text->empty()) sum += text->back();
    if (file.integer(value.key) || file.number(value.key) || file.boolean(value.key)) ++sum;
  }
  for (const TensorInfo& tensor : weights.tensors()) {
    auto view = weights.tensor(tensor.name);
    if (!view) continue;
    const auto* bytes = static_cast<const unsigned char*>(view->data());
    const auto count = static_cast<uint64_t>(dtype_span_bytes(view->dtype(), view->num_elements()));
    for (uint64_t i = 0; i < count; ++i) sum += bytes[i];
    weights.release(tensor.name);
  }
  Sha256 hash;
  weights.hash_into(hash);
  return sum + hash.finish()[0];
}

}  // namespace

/// Damaged files end in an Error or in something consistent, never in a crash or a wild read. The
/// seed is fixed; the sanitizers watch.
class TestGgufMutated : public QObject {
  Q_OBJECT

 private slots:
  /// On the heap, where the address sanitizer sees each byte beyond the end.
  void header_staysWithinItsBytes() {
    const std::string good = good_file();
    std::mt19937 random(1);
    int refused = 0;
    for (int round = 0; round < num_rounds(); ++round) {
      std::string bytes = good;
      mutate(bytes, random);
      const std::vector<std::byte> exact(
          reinterpret_cast<const std::byte*>(bytes.data()),
          reinterpret_cast<const std::byte*>(bytes.data()) + bytes.size());
      auto header = parse_gguf_header(exact, "m.gguf");
      if (!header) {
        ++refused;
        QVERIFY(header.error().message.starts_with("m.gguf "));
        continue;
      }
      for (const GgufTensor& tensor : header->tensors) {
        QVERIFY(tensor.offset <= exact.size() && tensor.bytes <= exact.size() - tensor.offset);
      }
    }
    QVERIFY(refused > num_rounds() / 4 && refused < num_rounds());
  }

  void weights_areReadableOrRefused() {
    MemoryFile file;
    const std::string good = good_file();
    std::mt19937 random(2);
    uint64_t sum = 0;
    int opened = 0;
    for (int round = 0; round < num_rounds(); ++round) {
      std::string bytes = good;
      mutate(bytes, random);
      file.write(bytes);
      auto weights = GgufWeights::open(file.path());
      if (!weights) continue;
      ++opened;
      sum += read_all(**weights);
    }
    QVERIFY(opened > num_rounds() / 20 && sum != 0);
  }
};

QTEST_APPLESS_MAIN(TestGgufMutated)
#include "tst_gguf_mutated.moc"
