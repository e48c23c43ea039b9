// Speed of tokenizers on 1 MB of mixed text: MB/s of one core, by processor time.
//
// bench_tokenizer [folder of *.gguf vocabularies, or a tokenizer's folder]...
// QUIRE_BENCH_TEXT=FILE also writes the text there, for other programs to be measured with it.

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "engine/tokenizer/tokenizer_loader.h"

using namespace quire;
namespace fs = std::filesystem;

namespace {

double processor_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

void append_utf8(uint32_t c, std::string& out) {
  const auto tail = [&](uint32_t shift) { out += static_cast<char>(0x80 | ((c >> shift) & 63)); };
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xC0 | (c >> 6));
    tail(0);
  } else if (c < 0x10000) {
    out += static_cast<char>(0xE0 | (c >> 12));
    tail(6);
    tail(0);
  } else {
    out += static_cast<char>(0xF0 | (c >> 18));
    tail(12);
    tail(6);
    tail(0);
  }
}

/// Text of several languages, whose words follow Zipf's law: some come often, most seldom.
class MixedText {
 public:
  MixedText() {
    const std::vector<std::string> english = {"th",  "er", "on", "an", "re", "he",
                                              "in",  "ed", "nd", "ha", "at", "en",
                                              "ing", "st", "or", "ly", "to", "it"};
    const std::vector<std::string> german = {"ei",  "ch", "en", "sch", "ge", "un", "ü",  "ß",
                                             "der", "te", "ä",  "ver", "be", "zu", "ig", "ung"};
    m_english = words({"the", "of", "and", "to", "a", "in", "is", "you", "that", "it", "page"},
                      english, 6000);
    m_german = words({"der", "die", "und", "ich", "nicht", "das", "für"}, german, 6000);
    m_code = words({"return", "const", "auto", "for", "if", "std::string", "self", "def"}, english,
                   1500);
  }

  std::string make(size_t bytes) {
    std::string text;
    while (text.size() < bytes) paragraph(text);
    text.resize(bytes);
    while ((static_cast<uint8_t>(text.back()) & 0x80) != 0) text.pop_back();
    return text;
  }

 private:
  using Words = std::vector<std::string>;

  uint32_t below(size_t limit) { return static_cast<uint32_t>(m_random() % limit); }
  /// Seldom a large one.
  size_t zipf(size_t limit) {
    const double u = static_cast<double>(m_random()) / 4294967296.0;
    return static_cast<size_t>(std::pow(static_cast<double>(limit), u)) % limit;
  }

  Words words(Words made, const Words& syllables, size_t count) {
    while (made.size() < count) {
      std::string word;
      for (uint32_t n = 1 + below(4); n > 0; --n) word += syllables[below(syllables.size())];
      made.push_back(word);
    }
    return made;
  }

  void sentence(const Words& from, std::string& out) {
    for (uint32_t n = 6 + below(14); n > 0; --n) {
      std::string word = from[zipf(from.size())];
      if (below(9) == 0 && word[0] >= 'a') word[0] = static_cast<char>(word[0] & ~32);
      out += word;
      if (below(12) == 0) out += below(3) == 0 ? "'s" : ",";
      out += n == 1 ? ". " : " ";
    }
  }

  void code(std::string& out) {
    for (uint32_t n = 3 + below(6); n > 0; --n) {
      out.append(4 * below(4), ' ');
      out += m_code[zipf(m_code.size())] + " " + m_code[zipf(m_code.size())] + "_" +
             m_code[zipf(m_code.size())] + "(" + m_code[zipf(m_code.size())] + "[" +
             std::to_string(below(100)) + "]) {\n";
    }
  }

  void characters(uint32_t first, uint32_t count, bool has_spaces, std::string& out) {
    for (uint32_t n = 30 + below(40); n > 0; --n) {
      append_utf8(first + static_cast<uint32_t>(zipf(count)), out);
      if (has_spaces && below(3) == 0) out += ' ';
      if (!has_spaces && below(12) == 0) out += "，";
    }
    out += "。";
  }

  void paragraph(std::string& out) {
    switch (below(10)) {
      case 0:
      case 1:
      case 2:
      case 3:
        for (int i = 0; i < 3; ++i) sentence(m_english, out);
        break;
      case 4:
        for (int i = 0; i < 3; ++i) sentence(m_german, out);
        break;
      case 5:
      case 6:
        code(out);
        break;
      case 7:
        characters(0x4E00, 6000, false, out);
        break;
      case 8:
        characters(0xAC00, 4000, true, out);
        break;
      default:
        for (int i = 0; i < 5; ++i) out += std::to_string(m_random()) + ", 3.14 ";
        for (int i = 0; i < 6; ++i) append_utf8(0x1F600 + below(64), out);
    }
    out += below(3) == 0 ? "\n\n" : "\n";
  }

  std::mt19937 m_random{20};
  Words m_english;
  Words m_german;
  Words m_code;
};

void measure(const std::string& name, const Tokenizer& tokenizer, const std::string& text) {
  double best = 1e30;
  size_t count = 0;
  const double first = processor_seconds();
  for (int calls = 0; calls < 3 || processor_seconds() - first < 0.5; ++calls) {
    const double begin = processor_seconds();
    count = tokenizer.encode(text).size();
    best = std::min(best, processor_seconds() - begin);
  }
  std::printf("%-34s %7.1f MB/s   %7zu tokens\n", name.c_str(),
              static_cast<double>(text.size()) / best * 1e-6, count);
}

/// A tokenizer.json with the tokens and merges of a file and another family's pre-tokenizer.
std::string tokenizer_json(const GgufFile& file, const std::string& pattern, bool is_nfc) {
  nlohmann::json json;
  json["model"] = {{"type", "BPE"}, {"ignore_merges", false}};
  int id = 0;
  for (const auto token : file.strings("tokenizer.ggml.tokens")) {
    json["model"]["vocab"][std::string(token)] = id++;
  }
  for (const auto merge : file.strings("tokenizer.ggml.merges")) {
    json["model"]["merges"].push_back(std::string(merge));
  }
  if (is_nfc) json["normalizer"] = {{"type", "NFC"}};
  json["pre_tokenizer"] = {
      {"type", "Sequence"},
      {"pretokenizers",
       {{{"type", "Split"}, {"pattern", {{"Regex", pattern}}}, {"behavior", "Isolated"}},
        {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", false}}}}};
  return json.dump();
}

void measure_styles(const GgufFile& file, const std::string& name, const std::string& text) {
  const std::string llama3 =
      R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
  const std::string qwen2 = std::string(llama3).replace(llama3.find("{1,3}"), 5, "");
  const std::pair<std::string, std::string> styles[] = {{"llama-3's pattern", llama3},
                                                        {"qwen2's and NFC", qwen2}};
  for (const auto& [style, pattern] : styles) {
    const bool is_nfc = pattern == qwen2;
    auto tokenizer = parse_tokenizer(tokenizer_json(file, pattern, is_nfc), name, {});
    if (tokenizer) measure(name + ", " + style, **tokenizer, text);
  }
}

void measure_gguf(const fs::path& path, const std::string& text) {
  const auto file = GgufFile::open(path);
  if (!file) return;
  const double begin = processor_seconds();
  const auto tokenizer = load_gguf_tokenizer(*file);
  if (!tokenizer) return;
  std::printf("%s: loaded in %.0f ms\n", path.filename().c_str(),
              (processor_seconds() - begin) * 1e3);
  std::string name = path.stem().string();
  measure(name, **tokenizer, text);
  if (file->string("tokenizer.ggml.model") == "gpt2") measure_styles(*file, name, text);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string text = MixedText().make(1'000'000);
  if (const char* path = std::getenv("QUIRE_BENCH_TEXT")) std::ofstream(path) << text;
  for (int i = 1; i < argc; ++i) {
    if (const auto tokenizer = load_tokenizer(argv[i])) measure(argv[i], **tokenizer, text);
    for (const auto& entry : fs::directory_iterator(argv[i])) {
      if (entry.path().extension() == ".gguf") measure_gguf(entry.path(), text);
    }
  }
}
