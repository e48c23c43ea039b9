#pragma once

#include <QString>
#include <QStringView>

namespace quire {

struct MarkdownBlock;

/// In which direction a text is read; None: it has no letter that would tell.
enum class TextDirection : char { None, LeftToRight, RightToLeft };

/// By the first letter with a direction (Unicode UAX #9, rules P2 and P3).
TextDirection directionOf(QStringView text);
/// The same for Quire's markup (see MarkdownBlock::markup). Code and formulas count only where
/// there is nothing else: a sentence may begin with the name of a function.
TextDirection directionOfMarkup(QStringView markup);
/// Of a block after `before` (null: none), which has `previous`. The rows of a table and what is
/// together in a list or a quote have one direction, and what has no letters, such as code, that of
/// the block before.
TextDirection directionOfBlock(const MarkdownBlock& block, const MarkdownBlock* before,
                               TextDirection previous);
/// Whether nothing in a text can run from right to left, as in nearly all. Fast.
bool runsLeftToRight(QStringView text);
/// None is the direction of the window.
bool readsRightToLeft(TextDirection direction);

}  // namespace quire
