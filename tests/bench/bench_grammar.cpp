// What a grammar costs: the vocabulary's trie, a schema's rules, and the masks of an answer's
// tokens, of which the first of a state is computed and later ones are found again.
//
// bench_grammar vocabulary.gguf, or a model's folder.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "engine/grammar/grammar.h"
#include "engine/model_loader.h"

using namespace quire;

namespace {

double ms_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

struct BenchCase {
  const char* what;
  const char* schema;
  const char* answer;
};

const BenchCase kCases[] = {
    {"any object", R"({"type": "object"})",
     R"({"name": "Ada Lovelace", "tags": ["mathematics", "engines"], "born": 1815, "alive": false})"},
    {"four properties",
     R"({"type": "object", "properties": {"name": {"type": "string"}, "born": {"type": "integer"},
         "tags": {"type": "array", "items": {"type": "string"}}, "alive": {"type": "boolean"}},
         "required": ["name", "born", "tags", "alive"], "additionalProperties": false})",
     R"({"name": "Ada Lovelace", "born": 1815, "tags": ["mathematics", "engines"], "alive": false})"},
    {"other properties",
     R"({"properties": {"name": {"type": "string"}}, "additionalProperties": {"type": "string"}})",
     R"({"name": "Ada Lovelace", "country": "England", "field": "mathematics"})"},
    {"lengths", R"({"type": "string", "minLength": 3, "maxLength": 60})",
     R"("The quick brown fox jumps over the lazy dog")"},
    {"two kinds of strings",
     R"({"type": "array", "items": {"anyOf": [{"type": "string"}, {"enum": ["one", "two"]}]}})",
     R"(["one", "a longer text of several words", "two"])"},
    {"a pattern", R"({"type": "string", "pattern": "^[A-Z][a-z]+( [A-Z][a-z]+)*$"})",
     R"("Ada Lovelace And Charles Babbage")"},
    {"a pattern of anything", R"({"type": "string", "pattern": "x.*y"})",
     R"("from the box of anybody")"},
};

void measure(const BenchCase& c, const Tokenizer& tokenizer,
             std::shared_ptr<const GrammarVocabulary> vocabulary) {
  const auto start = std::chrono::steady_clock::now();
  const auto grammar = Grammar::of_schema(c.schema, std::move(vocabulary));
  const double compiled = ms_since(start);
  if (!grammar) return static_cast<void>(std::printf("%s\n", grammar.error().message.c_str()));
  std::vector<double> first;
  std::vector<double> again;
  std::vector<double> advance;
  for (std::vector<double>* times : {&first, &again}) {
    GrammarState state = (*grammar)->start();
    for (const TokenId token : tokenizer.encode(c.answer)) {
      const auto begin = std::chrono::steady_clock::now();
      const auto mask = (*grammar)->mask(state);
      times->push_back(ms_since(begin));
      const auto next = std::chrono::steady_clock::now();
      state = (*grammar)->next(state, token);
      advance.push_back(ms_since(next));
      if (state.is_broken()) std::printf("token %d does not fit\n", token);
    }
  }
  for (auto* times : {&first, &again, &advance}) std::sort(times->begin(), times->end());
  std::printf("%-24s %8.2f %6zu %9.3f %9.3f %9.4f %9.4f\n", c.what, compiled, first.size(),
              first[first.size() / 2], first.back(), again[again.size() / 2],
              advance[advance.size() / 2]);
}

}  // namespace

int main(int argc, char** argv) {
  const auto tokenizer = load_model_tokenizer(argc > 1 ? argv[1] : "");
  if (!tokenizer) {
    std::fprintf(stderr, "%s\n", tokenizer.error().message.c_str());
    return 1;
  }
  const auto start = std::chrono::steady_clock::now();
  const auto vocabulary = std::make_shared<const GrammarVocabulary>(
      **tokenizer, (*tokenizer)->vocab_size(), std::vector{(*tokenizer)->eos_token().value_or(0)});
  std::printf("%d tokens, %u nodes, %.1f ms\n", vocabulary->vocab_size(), vocabulary->num_nodes(),
              ms_since(start));
  std::printf("%-24s %8s %6s %9s %9s %9s %9s  (ms)\n", "", "compiled", "tokens", "mask", "slowest",
              "again", "advance");
  for (const BenchCase& c : kCases) measure(c, **tokenizer, vocabulary);
}
