#pragma once

#include <QList>
#include <QStringView>

#include "app/richtext/code_language.h"

namespace quire {

enum class CodeToken { Keyword, Call, Literal, Comment };

struct CodeSpan {
  qsizetype begin = 0;
  qsizetype length = 0;
  CodeToken token = CodeToken::Keyword;

  bool operator==(const CodeSpan&) const = default;
};

/// How a line ends: in nothing (0), in a comment (1), or in the longQuotes of index n - 2.
using CodeState = int;

/// The coloured stretches of one line that begins in `state`, which becomes that of its end. Knows
/// words, comments, strings, numbers and calls; no grammar. Time is linear in the line.
QList<CodeSpan> lexCode(QStringView line, const CodeLanguage& language, CodeState& state);

}  // namespace quire
