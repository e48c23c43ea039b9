#pragma once

#include <QString>

#include <optional>
#include <utility>

#include "app/richtext/markdown_block.h"

namespace quire {

/// How much of a block's text is selected at a time.
enum class TextUnit { Character, Word, Paragraph };

/// The text of a block in which positions of a selection count: as it is shown, with the sources of
/// formulas; the cells of a table's row are separated by tabs. It only grows while its paragraph
/// streams.
QString selectableText(const MarkdownBlock& block);
/// The beginning and the end of the unit at a position of a block's text. A paragraph ends at a
/// line break, so that of code is a line; that of a table is a cell. A formula is one word.
std::pair<qsizetype, qsizetype> unitAt(const MarkdownBlock& block, qsizetype position,
                                       TextUnit unit);
/// Where a caret goes from a position of a block's text: to the next or the previous character, or
/// to the beginning of the next or the previous word. A formula is one character. nullopt: it is at
/// the end, or at the beginning.
std::optional<qsizetype> caretStep(const MarkdownBlock& block, qsizetype position, TextUnit unit,
                                   bool forwards);
/// The block with the characters between two positions of its text. A formula of which a part is
/// among them stays whole; a block without any of them has no text.
MarkdownBlock slicedBlock(const MarkdownBlock& block, qsizetype from, qsizetype to);

}  // namespace quire
