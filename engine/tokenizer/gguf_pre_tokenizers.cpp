#include "engine/tokenizer/gguf_pre_tokenizers.h"

#include <algorithm>
#include <array>

#include "engine/tokenizer/pre_tokenizer.h"

namespace quire {
namespace {

using View = std::string_view;

constexpr std::array<View, 1> kGpt2 = {kGpt2Pattern};
constexpr std::array<View, 2> kDigitsThenGpt2 = {R"(\p{N})", kGpt2Pattern};
constexpr std::array<View, 4> kDefault = {R"([\p{P}\$\+<=>\^~\|]+)", kGpt2Pattern, R"(\p{N}+)",
                                          "[0-9][0-9][0-9]"};
constexpr std::array<View, 3> kFalcon = {R"([\p{P}\$\+<=>\^~\|`]+)", kGpt2Pattern,
                                         "[0-9][0-9][0-9]"};
constexpr std::array<View, 1> kLlama3 = {
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)"};
constexpr std::array<View, 2> kMiniCpm5 = {
    R"(\p{N}{1,3})",
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}+| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)"};
constexpr std::array<View, 1> kQwen2 = {
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)"};
constexpr std::array<View, 1> kQwen35 = {
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)"};
constexpr std::array<View, 1> kJais2 = {
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s{512}(?!\S)|\s{256}(?!\S)|\s{128}(?!\S)|\s{64}(?!\S)|\s{32}(?!\S)|\s{16}(?!\S)|\s{8}(?!\S)|\s{4}(?!\S)|\s{1,2}(?!\S)|\s{1})"};
constexpr std::array<View, 6> kDeepSeekLlm = {
    R"([\r\n])",
    R"(\s?[A-Za-z)"
    R"(\x{b5}\x{c0}-\x{d6}\x{d8}-\x{f6}\x{f8}-\x{1ba}\x{1bc}-\x{1bf}\x{1c4}-\x{293})"
    R"(\x{295}-\x{2af}\x{370}-\x{373}\x{376}\x{377}\x{37b}-\x{37d}\x{37f}\x{386})"
    R"(\x{388}-\x{38a}\x{38c}\x{38e}-\x{3a1}\x{3a3}-\x{3f5}\x{3f7}-\x{481}\x{48a}-\x{52f})"
    R"(\x{531}-\x{556}\x{10a0}-\x{10c5}\x{13a0}-\x{13f5}\x{13f8}-\x{13fd}\x{1c90}-\x{1cba})"
    R"(\x{1cbd}-\x{1cbf}\x{1d00}-\x{1d2b}\x{1d6b}-\x{1d77}\x{1d79}-\x{1d9a})"
    R"(\x{1e00}-\x{1f15}\x{1f18}-\x{1f1d}\x{1f20}-\x{1f45}\x{1f48}-\x{1f4d})"
    R"(\x{1f50}-\x{1f57}\x{1f59}\x{1f5b}\x{1f5d}\x{1f5f}-\x{1f7d}\x{1f80}-\x{1fb4})"
    R"(\x{1fb6}-\x{1fbc}\x{1fbe}\x{1fc2}-\x{1fc4}\x{1fc6}-\x{1fcc}\x{1fd0}-\x{1fd3})"
    R"(\x{1fd6}-\x{1fdb}\x{1fe0}-\x{1fec}\x{1ff2}-\x{1ff4}\x{1ff6}-\x{1ffc}\x{2102}\x{2107})"
    R"(\x{210a}-\x{2113}\x{2115}\x{2119}-\x{211d}\x{2124}\x{2126}\x{2128}\x{212a}-\x{212d})"
    R"(\x{212f}-\x{2134}\x{2139}\x{213c}-\x{213f}\x{2145}-\x{2149}\x{214e}\x{2183}\x{2184})"
    R"(\x{2c00}-\x{2c7b}\x{2c7e}-\x{2ce4}\x{2ceb}-\x{2cee}\x{2cf2}\x{2cf3}\x{a640}-\x{a66d})"
    R"(\x{a680}-\x{a69b}\x{a722}-\x{a76f}\x{a771}-\x{a787}\x{a78b}-\x{a78e})"
    R"(\x{ab70}-\x{abbf}\x{fb00}-\x{fb06}\x{fb13}-\x{fb17}\x{ff21}-\x{ff3a})"
    R"(\x{ff41}-\x{ff5a}\x{10400}-\x{1044f}\x{104b0}-\x{104d3}\x{104d8}-\x{104fb})"
    R"(\x{10c80}-\x{10cb2}\x{10cc0}-\x{10cf2}\x{118a0}-\x{118df}\x{1e900}-\x{1e943})"
    R"(]+)",
    R"(\s?[!-/:-~！-／：-～‘-‟　-。]+)",
    R"(\s+$)",
    R"([一-龥ࠀ-一가-퟿]+)",
    R"(\p{N}+)"};
constexpr std::array<View, 5> kDeepSeekCoder = {R"([\r\n])", R"(\s?\p{L}+)", R"(\s?\p{P}+)",
                                                R"([一-龥ࠀ-一가-퟿]+)", R"(\p{N})"};
constexpr std::array<View, 3> kDeepSeek3 = {
    R"(\p{N}{1,3})", R"([一-龥぀-ゟ゠-ヿ]+)",
    R"([!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)"};
constexpr std::array<View, 2> kYoutu = {
    R"([가-힣ㄱ-ㆎ]+|[！…“”‘’—：；，、-〿︰-﹏]+|[ㄅ-ㄯ]+|[一-龥぀-ゟ゠-ヿ]+)",
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)"};
constexpr std::array<View, 1> kBloom = {R"( ?[^(\s|.,!?…。，、।۔،)]+)"};
constexpr std::array<View, 2> kViking = {kBloom[0], R"(\p{N})"};
constexpr std::array<View, 1> kTekken = {
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)"};
constexpr std::array<View, 6> kChameleon = {
    "<sentinel:[0-9]+>",       "(IMGIMG)((A|B|C|D|E|F|G|H|I){1,4})Z",
    R"(([\t\n]|    |  ))",     R"(\p{N})",
    R"([\p{P}!-/:-@\[-`{-~])", kGpt2Pattern};
constexpr std::array<View, 1> kGpt4o = {
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)"};
constexpr std::array<View, 2> kTinyAya = {R"(\d{1,3}(?=(?:\d{3})*\b))", kGpt4o[0]};
constexpr std::array<View, 1> kKimiK2 = {
    R"([\p{Han}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)"};
constexpr std::array<View, 1> kBailingMoe = {
    R"('(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+)"};
constexpr std::array<View, 1> kSeedCoder = {
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1}| ?[^\s\p{L}\p{N}\r\n]+|\s*[\r\n]+|\s+(?!\S)|\s+)"};
constexpr std::array<View, 1> kExaoneMoe = {
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?(?:\p{L}\p{M}*(?: \p{L}\p{M}*)*)+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]?|\s*[\r\n]|\s+(?!\S)|\s+)"};
constexpr std::array<View, 1> kLines = {R"([^\n]+|[\n]+)"};

struct Known {
  View names;  ///< Separated by spaces.
  GgufPreTokenizer what;
};

constexpr auto kKnown = std::to_array<Known>({
    {"default", {.patterns = kDefault}},
    {"gpt-2 phi-2 gigachat a.x-4.0 mellum exaone4 mpt olmo jais trillion granite-docling",
     {.patterns = kGpt2}},
    {"llama-bpe llama3 llama-v3 falcon3 falcon-h1 pixtral midm-2.0 lfm2",
     {.patterns = kLlama3, .ignores_merges = true, .adds_bos = true}},
    {"dbrx smaug-bpe chatglm-bpe glm4", {.patterns = kLlama3}},
    {"minicpm5", {.patterns = kMiniCpm5, .ignores_merges = true}},
    {"jais-2", {.patterns = kJais2}},
    {"qwen2 deepseek-r1-qwen megrez stablelm2 hunyuan solar-open grok-2", {.patterns = kQwen2}},
    {"qwen35", {.patterns = kQwen35}},
    {"deepseek-llm", {.patterns = kDeepSeekLlm}},
    {"deepseek-coder", {.patterns = kDeepSeekCoder}},
    {"deepseek-v3 hunyuan-dense joyai-llm", {.patterns = kDeepSeek3}},
    {"youtu", {.patterns = kYoutu, .ignores_merges = true}},
    {"falcon", {.patterns = kFalcon}},
    {"starcoder refact command-r smollm codeshell exaone minerva-7b mellum2",
     {.patterns = kDigitsThenGpt2}},
    {"poro-chat bloom gpt3-finnish", {.patterns = kBloom}},
    {"viking", {.patterns = kViking}},
    {"tekken", {.patterns = kTekken, .ignores_merges = true, .adds_bos = true}},
    {"chameleon", {.patterns = kChameleon, .adds_bos = true}},
    {"gpt-4o llama4 kanana2 minimax-m2", {.patterns = kGpt4o}},
    {"tiny_aya", {.patterns = kTinyAya}},
    {"kimi-k2", {.patterns = kKimiK2, .merges_by_id = true}},
    {"bailingmoe bailingmoe2 llada-moe", {.patterns = kBailingMoe}},
    {"seed-coder", {.patterns = kSeedCoder}},
    {"exaone-moe", {.patterns = kExaoneMoe}},
    {"gemma4", {.patterns = kLines, .adds_bos = true, .is_byte_level = false}},
});

std::vector<View> split_names(View names) {
  std::vector<View> all;
  while (!names.empty()) {
    const View name = names.substr(0, names.find(' '));
    all.push_back(name);
    names.remove_prefix(std::min(names.size(), name.size() + 1));
  }
  return all;
}

}  // namespace

const GgufPreTokenizer* find_gguf_pre_tokenizer(std::string_view name) {
  for (const Known& known : kKnown) {
    if (std::ranges::count(split_names(known.names), name) > 0) return &known.what;
  }
  return nullptr;
}

std::vector<std::string_view> gguf_pre_tokenizer_names() {
  std::vector<std::string_view> all;
  for (const Known& known : kKnown) {
    const std::vector<View> names = split_names(known.names);
    all.insert(all.end(), names.begin(), names.end());
  }
  return all;
}

}  // namespace quire
