#include "engine/tokenizer/tokenizer_json_parts.h"

#include <nlohmann/json.hpp>

#include "engine/io/text.h"
#include "engine/tokenizer/json_values.h"
#include "engine/tokenizer/pre_tokenizer.h"
#include "engine/tokenizer/token_table.h"
#include "engine/tokenizer/utf8.h"

namespace quire {
namespace {

using Json = nlohmann::json;

constexpr int kMaxNormalizerSteps = 64;

Error unsupported(const std::string& what, const std::string& kind) {
  return {ErrorCode::kUnsupported,
          "its " + what + " is of the kind \"" + for_message(kind) + "\", which is not supported"};
}

Error lacking(const std::string& kind, const std::string& what) {
  return {ErrorCode::kCorruptFile, "its " + kind + " has no valid \"" + what + "\""};
}

/// The steps of a value, in order: those of a Sequence, flattened, or the value itself.
Result<std::vector<const Json*>> steps_of(const Json& value, const char* list,
                                          const std::string& what) {
  std::vector<const Json*> steps;
  std::vector<const Json*> open = {&value};
  while (!open.empty()) {
    const Json& step = *open.back();
    open.pop_back();
    if (step.is_null()) continue;
    if (!step.is_object()) return lacking(what, "type");
    if (json_text(step, "type") != "Sequence") {
      steps.push_back(&step);
    } else {
      const Json& inner = json_member(step, list);
      if (!inner.is_array()) return lacking(what + " Sequence", list);
      for (auto it = inner.rbegin(); it != inner.rend(); ++it) open.push_back(&*it);
    }
    if (steps.size() > kMaxNormalizerSteps) {
      return Error{ErrorCode::kUnsupported, "its " + what + " has more than 64 steps"};
    }
  }
  return steps;
}

struct Pattern {
  enum class Kind { kText, kRegex, kOwnRegex };  ///< The last one is Quire's.
  std::string text;
  Kind kind = Kind::kText;
};

/// {"String": "..."} or {"Regex": "..."}.
std::optional<Pattern> pattern_of(const Json& step) {
  const Json& given = json_member(step, "pattern");
  Pattern pattern{json_text(given, "String"), Pattern::Kind::kText};
  if (pattern.text.empty()) pattern = {json_text(given, "Regex"), Pattern::Kind::kRegex};
  return pattern.text.empty() ? std::nullopt : std::optional(pattern);
}

Result<Regex> compile_kind(const Pattern& pattern) {
  switch (pattern.kind) {
    case Pattern::Kind::kRegex:
      return Regex::compile(pattern.text);
    case Pattern::Kind::kOwnRegex:
      return Regex::compile_trusted(pattern.text);
    case Pattern::Kind::kText:
      break;
  }
  return Regex::compile_literal(pattern.text);
}

Result<Regex> compile(const Pattern& pattern, const std::string& kind) {
  auto regex = compile_kind(pattern);
  if (regex) return regex;
  return Error{regex.error().code,
               "the pattern of its " + kind + " cannot be used: " + regex.error().message};
}

/// The character that replaces a space in a Metaspace. Only one is allowed, so that no step
/// multiplies text.
std::optional<std::string> mark_of(const Json& step) {
  const std::string mark = json_text(step, "replacement", std::string(kSpaceMark));
  if (mark.empty()) return std::nullopt;
  const Utf8Unit unit = next_utf8(mark);
  const bool is_one = unit.status == Utf8Status::kWhole && unit.length == mark.size();
  return is_one ? std::optional(mark) : std::nullopt;
}

BertNormalizer bert_normalizer_of(const Json& step) {
  BertNormalizer bert;
  bert.cleans = json_flag(step, "clean_text", true);
  bert.splits_chinese = json_flag(step, "handle_chinese_chars", true);
  bert.lowercases = json_flag(step, "lowercase", true);
  bert.strips_accents = json_flag(step, "strip_accents", bert.lowercases);
  return bert;
}

Result<TextNormalizer::Step> normalizer_step(const Json& step) {
  const std::string kind = json_text(step, "type");
  if (kind == "NFC") return TextNormalizer::Step(NormalForm::kNfc);
  if (kind == "NFD") return TextNormalizer::Step(NormalForm::kNfd);
  if (kind == "NFKC") return TextNormalizer::Step(NormalForm::kNfkc);
  if (kind == "NFKD") return TextNormalizer::Step(NormalForm::kNfkd);
  if (kind == "Lowercase") return TextNormalizer::Step(TextNormalizer::Lowercase{});
  if (kind == "Strip") {
    return TextNormalizer::Step(TextNormalizer::Strip{json_flag(step, "strip_left", true),
                                                      json_flag(step, "strip_right", true)});
  }
  if (kind == "Prepend") {
    return TextNormalizer::Step(TextNormalizer::Prepend{json_text(step, "prepend")});
  }
  if (kind == "BertNormalizer") return TextNormalizer::Step(bert_normalizer_of(step));
  if (kind == "StripAccents") return TextNormalizer::Step(TextNormalizer::StripMarks{});
  if (kind == "Precompiled") {
    auto rules = PrecompiledRules::create(json_text(step, "precompiled_charsmap"));
    if (!rules) return rules.error();
    return TextNormalizer::Step(std::move(*rules));
  }
  if (kind != "Replace") return unsupported("normalizer", kind);
  const auto pattern = pattern_of(step);
  if (!pattern) return lacking("normalizer Replace", "pattern");
  Result<Regex> regex = compile(*pattern, "normalizer Replace");
  if (!regex) return regex.error();
  return TextNormalizer::Step(TextNormalizer::Replace{
      std::move(*regex), pattern->kind == Pattern::Kind::kText ? pattern->text : "",
      json_text(step, "content")});
}

std::optional<SplitBehavior> behavior_of(const Json& step, const std::string& fallback) {
  const std::string name = json_text(step, "behavior", fallback);
  if (name == "Isolated") return SplitBehavior::kIsolated;
  if (name == "Removed") return SplitBehavior::kRemoved;
  if (name == "MergedWithPrevious") return SplitBehavior::kMergedWithPrevious;
  if (name == "MergedWithNext") return SplitBehavior::kMergedWithNext;
  if (name == "Contiguous") return SplitBehavior::kContiguous;
  return std::nullopt;
}

struct SplitSpec {
  Pattern pattern;
  SplitBehavior behavior = SplitBehavior::kIsolated;
  bool invert = false;
};

Result<void> add_split(SplitSpec spec, const std::string& kind, PreTokenizerSpec& out) {
  Result<Regex> regex = compile(spec.pattern, "pre_tokenizer " + kind);
  if (!regex) return regex.error();
  out.steps.add(PreTokenizer::Split{std::move(*regex), spec.behavior, spec.invert});
  return {};
}

Result<void> add_metaspace(const Json& step, PreTokenizerSpec& out) {
  using Prepend = PreTokenizer::Metaspace::Prepend;
  const auto mark = mark_of(step);
  if (!mark) return lacking("pre_tokenizer Metaspace", "replacement");
  const bool adds = json_flag(step, "add_prefix_space", true);
  const std::string scheme = json_text(step, "prepend_scheme", adds ? "always" : "never");
  Result<Regex> regex = Regex::compile_literal(*mark);
  if (!regex) return regex.error();
  const Prepend prepend = scheme == "always"  ? Prepend::kAlways
                          : scheme == "first" ? Prepend::kFirst
                                              : Prepend::kNever;
  out.steps.add(
      PreTokenizer::Metaspace{*mark, prepend, json_flag(step, "split", true), std::move(*regex)});
  out.prepends_space = prepend != Prepend::kNever;
  out.prepends_always = prepend == Prepend::kAlways;
  return {};
}

Result<void> add_byte_level(const Json& step, bool is_last, PreTokenizerSpec& out) {
  if (out.is_byte_level) return unsupported("pre_tokenizer", "ByteLevel after another ByteLevel");
  out.is_byte_level = true;
  if (json_flag(step, "add_prefix_space", true)) {
    out.steps.add(PreTokenizer::PrefixSpace{});
    out.prepends_space = out.prepends_always = true;
  }
  if (json_flag(step, "use_regex", true)) {
    const SplitSpec split{
        {std::string(kGpt2Pattern), Pattern::Kind::kOwnRegex}, SplitBehavior::kIsolated, false};
    if (auto added = add_split(split, "ByteLevel", out); !added) return added;
  }
  if (is_last) return {};
  out.maps_bytes = true;
  out.steps.add(PreTokenizer::MapBytes{});
  return {};
}

Result<void> add_bert(PreTokenizerSpec& out) {
  const SplitSpec spaces{{"\\s", Pattern::Kind::kOwnRegex}, SplitBehavior::kRemoved, false};
  const SplitSpec punctuation{
      {bert_punctuation_pattern(), Pattern::Kind::kOwnRegex}, SplitBehavior::kIsolated, false};
  if (auto added = add_split(spaces, "BertPreTokenizer", out); !added) return added;
  return add_split(punctuation, "BertPreTokenizer", out);
}

Result<void> add_step(const Json& step, bool is_last, PreTokenizerSpec& out) {
  const std::string kind = json_text(step, "type");
  if (kind == "ByteLevel") return add_byte_level(step, is_last, out);
  if (kind == "Metaspace") return add_metaspace(step, out);
  if (kind == "BertPreTokenizer") return add_bert(out);
  SplitSpec split;
  if (kind == "Split") {
    const auto pattern = pattern_of(step);
    const auto behavior = behavior_of(step, "");
    if (!pattern) return lacking("pre_tokenizer Split", "pattern");
    if (!behavior) return lacking("pre_tokenizer Split", "behavior");
    split = {*pattern, *behavior, json_flag(step, "invert", false)};
  } else if (kind == "Digits") {
    const bool each = json_flag(step, "individual_digits", false);
    split = {{"\\p{N}", Pattern::Kind::kOwnRegex},
             each ? SplitBehavior::kIsolated : SplitBehavior::kContiguous,
             false};
  } else if (kind == "Punctuation") {
    const auto behavior = behavior_of(step, "Isolated");
    if (!behavior) return lacking("pre_tokenizer Punctuation", "behavior");
    split = {{"[!-/:-@\\[-`{-~\\p{P}]", Pattern::Kind::kOwnRegex}, *behavior, false};
  } else if (kind == "Whitespace") {
    // What \w is in Rust, where alphabetic characters count that are no letters, and joiners.
    const std::string word = "\\p{Alpha}\\p{M}\\p{Nd}\\p{Pc}\\x{200C}\\x{200D}";
    split = {{"[" + word + "]+|[^" + word + "\\s]+", Pattern::Kind::kOwnRegex},
             SplitBehavior::kRemoved,
             true};
  } else if (kind == "WhitespaceSplit") {
    split = {{"\\s", Pattern::Kind::kOwnRegex}, SplitBehavior::kRemoved, false};
  } else if (kind == "CharDelimiterSplit" && !json_text(step, "delimiter").empty()) {
    split = {{json_text(step, "delimiter")}, SplitBehavior::kRemoved, false};
  } else {
    return unsupported("pre_tokenizer", kind);
  }
  return add_split(split, kind, out);
}

Result<void> add_decoder(const Json& step, DecoderSpec& out) {
  const std::string kind = json_text(step, "type");
  if (kind == "ByteLevel") {
    out.is_byte_level = true;
  } else if (kind == "ByteFallback") {
    out.has_byte_fallback = true;
  } else if (kind == "WordPiece") {
    out.word_prefix = json_text(step, "prefix", "##");
  } else if (kind == "Metaspace") {
    const auto mark = mark_of(step);
    if (!mark) return lacking("decoder Metaspace", "replacement");
    out.replacements.emplace_back(*mark, " ");
  } else if (kind == "Replace") {
    const auto pattern = pattern_of(step);
    if (!pattern) return lacking("decoder Replace", "pattern");
    if (pattern->kind != Pattern::Kind::kText)
      return unsupported("decoder", "Replace with a regular expression");
    out.replacements.emplace_back(pattern->text, json_text(step, "content"));
  } else if (kind != "Fuse" && kind != "Strip") {
    return unsupported("decoder", kind);
  }
  return {};
}

/// Of "[{"SpecialToken": {"id": "<s>", ...}}, {"Sequence": ...}]" the ids of the first and the last
/// entry, where these are special tokens.
OuterTokens outer_of_template(const Json& step) {
  const auto id_of = [](const Json& entry) {
    const Json& token = json_member(entry, "SpecialToken");
    return token.is_object() ? std::optional(json_text(token, "id")) : std::nullopt;
  };
  const Json& single = json_member(step, "single");
  if (!single.is_array() || single.empty()) return {};
  if (single.size() == 1) return {id_of(single.front()), std::nullopt};
  return {id_of(single.front()), id_of(single.back())};
}

/// Of ["[CLS]", 101] the token.
std::optional<std::string> token_of_pair(const Json& pair) {
  const bool is_pair = pair.is_array() && !pair.empty() && pair.front().is_string();
  return is_pair ? std::optional(pair.front().get<std::string>()) : std::nullopt;
}

}  // namespace

Result<TextNormalizer> read_normalizer(const Json& value, WorkBudget& budget) {
  TextNormalizer normalizer;
  const auto steps = steps_of(value, "normalizers", "normalizer");
  if (!steps) return steps.error();
  for (const Json* step : *steps) {
    Result<TextNormalizer::Step> read = normalizer_step(*step);
    if (!read) return read.error();
    if (!budget.check_now()) return budget.error("compiling its patterns");
    normalizer.add(std::move(*read));
  }
  return normalizer;
}

Result<PreTokenizerSpec> read_pre_tokenizer(const Json& value, WorkBudget& budget) {
  PreTokenizerSpec spec;
  const auto steps = steps_of(value, "pretokenizers", "pre_tokenizer");
  if (!steps) return steps.error();
  for (const Json* step : *steps) {
    if (auto added = add_step(*step, step == steps->back(), spec); !added) return added.error();
    if (!budget.check_now()) return budget.error("compiling its patterns");
  }
  return spec;
}

Result<DecoderSpec> read_decoder(const Json& value) {
  DecoderSpec spec;
  const auto steps = steps_of(value, "decoders", "decoder");
  if (!steps) return steps.error();
  for (const Json* step : *steps) {
    if (auto added = add_decoder(*step, spec); !added) return added.error();
  }
  return spec;
}

Result<OuterTokens> read_outer_tokens(const Json& value) {
  const auto steps = steps_of(value, "processors", "post_processor");
  if (!steps) return steps.error();
  OuterTokens outer;
  for (const Json* step : *steps) {
    const std::string kind = json_text(*step, "type");
    if (kind == "TemplateProcessing") {
      outer = outer_of_template(*step);
    } else if (kind == "RobertaProcessing" || kind == "BertProcessing") {
      outer = {token_of_pair(json_member(*step, "cls")), token_of_pair(json_member(*step, "sep"))};
    } else if (kind != "ByteLevel") {
      return unsupported("post_processor", kind);
    }
  }
  return outer;
}

}  // namespace quire
