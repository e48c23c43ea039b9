#include "engine/tokenizer/pre_tokenizer.h"

#include <algorithm>

#include "engine/tokenizer/byte_level.h"

namespace quire {

PreTokenizerRun::PreTokenizerRun(const PreTokenizer& pre_tokenizer)
    : m_pre_tokenizer(pre_tokenizer) {
  for (const PreTokenizer::Step& step : pre_tokenizer.steps()) {
    if (const auto* split = std::get_if<PreTokenizer::Split>(&step)) {
      m_scanners.emplace_back(split->pattern);
    } else if (const auto* metaspace = std::get_if<PreTokenizer::Metaspace>(&step)) {
      m_scanners.emplace_back(metaspace->pattern);
    }
  }
}

void PreTokenizerRun::run(std::string_view text, TextPlace place, WorkBudget& budget) {
  m_text = text;
  m_place = place;
  m_words.clear();
  if (!text.empty()) m_words.push_back({0, text.size()});
  size_t scanner = 0;
  for (const PreTokenizer::Step& step : m_pre_tokenizer.steps()) {
    if (const auto* split = std::get_if<PreTokenizer::Split>(&step)) {
      apply(*split, m_scanners[scanner++], budget);
    } else if (const auto* metaspace = std::get_if<PreTokenizer::Metaspace>(&step)) {
      apply(*metaspace, m_scanners[scanner++], budget);
    } else if (std::holds_alternative<PreTokenizer::PrefixSpace>(step)) {
      apply_prefix_space();
    } else {
      rewrite([](std::string_view word, std::string& out) { out += to_byte_level(word); });
    }
  }
}

template <typename Change>
void PreTokenizerRun::rewrite(Change change) {
  std::string out;
  out.reserve(m_text.size() * 5 / 4 + 16);
  for (Word& word : m_words) {
    const size_t begin = out.size();
    change(m_text.substr(word.begin, word.end - word.begin), out);
    word = {begin, out.size()};
  }
  m_rewritten = std::move(out);
  m_text = m_rewritten;
}

void PreTokenizerRun::apply(const PreTokenizer::Split& step, RegexScanner& scanner,
                            WorkBudget& budget) {
  split(scanner, step.behavior, step.invert, budget);
}

/// Each of many steps can add a mark to each word.
void PreTokenizerRun::apply(const PreTokenizer::Metaspace& step, RegexScanner& scanner,
                            WorkBudget& budget) {
  const auto num_spaces = static_cast<size_t>(std::count(m_text.begin(), m_text.end(), ' '));
  const size_t num_marks = m_words.size() + num_spaces;
  if (budget.reserve(m_text.size() + num_marks * step.replacement.size())) replace_spaces(step);
  if (step.splits) split(scanner, SplitBehavior::kMergedWithNext, false, budget);
}

void PreTokenizerRun::replace_spaces(const PreTokenizer::Metaspace& step) {
  using Prepend = PreTokenizer::Metaspace::Prepend;
  bool is_first_word = true;
  rewrite([&](std::string_view word, std::string& out) {
    const bool has_place = is_first_word ? m_place.takes_prefix : true;
    const bool wants = step.prepend == Prepend::kAlways ||
                       (step.prepend == Prepend::kFirst && m_place.is_first && is_first_word);
    const bool has_one = word.front() == ' ' || word.starts_with(step.replacement);
    if (wants && has_place && !has_one) out += step.replacement;
    for (const char c : word) {
      if (c == ' ') {
        out += step.replacement;
      } else {
        out += c;
      }
    }
    is_first_word = false;
  });
}

void PreTokenizerRun::apply_prefix_space() {
  bool is_first_word = true;
  rewrite([&](std::string_view word, std::string& out) {
    const bool has_place = is_first_word ? m_place.takes_prefix : true;
    if (has_place && word.front() != ' ') out += ' ';
    out += word;
    is_first_word = false;
  });
}

void PreTokenizerRun::split(RegexScanner& scanner, SplitBehavior behavior, bool invert,
                            WorkBudget& budget) {
  m_next.clear();
  const bool is_simple = behavior == SplitBehavior::kIsolated;
  for (const Word& word : m_words) {
    const std::string_view text = m_text.substr(word.begin, word.end - word.begin);
    m_pieces.clear();
    const auto add = [&](size_t begin, size_t end, bool is_match) {
      if (begin == end) return;
      const Word piece{word.begin + begin, word.begin + end};
      if (is_simple) {
        m_next.push_back(piece);
      } else {
        m_pieces.push_back({piece, is_match != invert});
      }
    };
    size_t from = 0;
    while (const auto match = scanner.find(text, from, budget)) {
      add(from, match->begin, false);
      add(match->begin, match->end, true);
      from = match->end;
    }
    add(from, text.size(), false);
    if (!is_simple) add_pieces(behavior);
  }
  m_words.swap(m_next);
}

void PreTokenizerRun::add_pieces(SplitBehavior behavior) {
  const size_t count = m_pieces.size();
  size_t first_new = m_next.size();
  for (size_t i = 0; i < count; ++i) {
    const Piece& piece = m_pieces[i];
    if (behavior == SplitBehavior::kRemoved && piece.is_match) continue;
    const bool after_match = i > 0 && m_pieces[i - 1].is_match;
    bool joins = false;
    if (behavior == SplitBehavior::kMergedWithPrevious) joins = piece.is_match && !after_match;
    if (behavior == SplitBehavior::kContiguous) joins = i > 0 && piece.is_match == after_match;
    // Of several matches in a row, the last one goes with what follows.
    if (behavior == SplitBehavior::kMergedWithNext) joins = after_match && !piece.is_match;
    if (joins && m_next.size() > first_new) {
      m_next.back().end = piece.word.end;
    } else {
      m_next.push_back(piece.word);
    }
  }
}

}  // namespace quire
