#include "tests/architecture/terms.h"

#include <algorithm>
#include <cctype>

namespace quire {
namespace {

/// A term that Quire no longer uses, and the field's word for it. Upper and lower case are the
/// same; a term matches whole words only, unless it ends or begins with '*'.
struct RetiredTerm {
  std::string_view term;
  std::string_view instead;
};

constexpr RetiredTerm kRetired[] = {
    {"kept step*", "captured CUDA graph"},
    {"*captures_steps*", "captures_graphs"},
    {"*submit_step*", "launch_graph"},
    {"*step_graph*", "CUDA graph"},
    {"linear product*", "matrix product, GEMM or GEMV"},
    {"rounded input*", "quantised activations"},
    {"*round_inputs*", "quantize_activations"},
    {"*roundedinput*", "quantised activations"},
    {"rounded row*", "quantised activations"},
    {"*rounded_row*", "quantized_activations"},
    {"byte rows", "int8 activations"},
    {"*byte_row*", "int8_activations"},
    {"*multiplies_bytes*", "uses_int8_gemm"},
    {"gives back", "frees or returns"},
    {"give back", "free or return"},
    {"given back", "freed or returned"},
    {"gave back", "freed or returned"},
    {"*giveback*", "remove or free"},
    {"*give_back*", "free"},
    {"*takein*", "add"},
    {"help the others", "work stealing"},
    {"helps the others", "work stealing"},
    {"overtake*", "bounded overtaking is \"starvation bound\""},
    {"parting*", "partition"},
    {"*quicknucleus*", "partition"},
    {"*quick_nucleus*", "partition"},
    {"nucleus' edge", "top-p threshold"},
    {"*is_drawn_anywhere*", "is sampled on the device"},
    {"drawn anywhere", "sampled on the device"},
    {"is_still", "what it tests"},
    {"card shelf", "card cache"},
    {"*cardshelf*", "card cache"},
    {"*card_shelf*", "card cache"},
    {"late part*", "lazy loader"},
    {"*latepart*", "lazy loader"},
    {"tend", "maintain"},
    {"tends to the", "maintains"},
    {"*_words.h*", "labels or strings"},
    {"somebody", "who it is"},
    {"whoever", "who it is"},
};

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

/// Whether `term` stands in `line`, both in lower case.
bool contains(std::string_view line, std::string_view term) {
  const bool any_before = term.starts_with('*');
  const bool any_after = term.ends_with('*');
  term.remove_prefix(any_before ? 1 : 0);
  term.remove_suffix(any_after ? 1 : 0);
  for (size_t at = line.find(term); at != line.npos; at = line.find(term, at + 1)) {
    const size_t end = at + term.size();
    const bool begins = any_before || at == 0 || !is_word(line[at - 1]);
    const bool ends = any_after || end == line.size() || !is_word(line[end]);
    if (begins && ends) return true;
  }
  return false;
}

}  // namespace

std::vector<Violation> check_terms(std::string_view path, std::string_view content) {
  std::vector<Violation> found;
  std::string text(content);
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  int number = 0;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    ++number;
    for (const RetiredTerm& retired : kRetired) {
      if (!contains(line, retired.term)) continue;
      found.push_back(
          {std::string(path), number,
           "\"" + std::string(retired.term) + "\": say " + std::string(retired.instead)});
    }
  }
  return found;
}

}  // namespace quire
