#include "tests/ui/gallery/pseudo_language.h"

#include <QRegularExpression>

namespace quire::gallery {
namespace {

/// What stays: places, keys, addresses, options, patterns of files.
const QRegularExpression& kept() {
  static const QRegularExpression kKept(QStringLiteral(
      R"(%L?\d+|%L?n|\b(?:Ctrl|Shift|Alt|Esc|Enter|Del|Tab)\b(?:\+\w+)*|https?://\S+|--\w+|\*\.\w+)"));
  return kKept;
}

QChar accented(QChar letter) {
  static const QString kPlain = QStringLiteral("aceinosuyzACEINOSUYZ");
  static const QString kAccented = QStringLiteral("áçéíñöšüýžÁÇÉÍÑÖŠÜÝŽ");
  const qsizetype at = kPlain.indexOf(letter);
  return at < 0 ? letter : kAccented[at];
}

/// Short texts grow most when they are translated.
qsizetype extraLetters(qsizetype letters) {
  return letters <= 10   ? (letters * 7 + 9) / 10
         : letters <= 40 ? letters * 4 / 10
                         : letters * 3 / 10;
}

QString padding(const QString& text, qsizetype letters) {
  if (!text.contains(u' ')) return QString(letters, QChar(0xe9));
  QString words;
  while (words.size() < letters) words += QStringLiteral(" ñéẃ");
  return words;
}

}  // namespace

QString pseudoText(const QString& english) {
  QString text = english;
  text.remove(QStringLiteral("(s)"));
  QString changed;
  qsizetype from = 0;
  qsizetype letters = 0;
  const auto change = [&](qsizetype to) {
    for (; from < to; ++from) {
      changed += accented(text[from]);
      letters += text[from].isLetter();
    }
  };
  for (auto matches = kept().globalMatch(text); matches.hasNext();) {
    const QRegularExpressionMatch match = matches.next();
    change(match.capturedStart());
    changed += match.captured();
    from = match.capturedEnd();
  }
  change(text.size());
  if (letters == 0) return text;
  return u'[' + changed + padding(text, extraLetters(letters)) + u']';
}

QString PseudoLanguage::translate(const char* context, const char* source, const char*, int) const {
  const QByteArray name(context);
  // The formats of dates.
  if (name == "quire::ChatDates" && !QByteArray(source).contains("day")) return {};
  // Only Quire's: Qt's own texts (in its file dialogs) are translated by Qt.
  if (name.startsWith("Q") && !name.startsWith("Qui") && !name.startsWith("Quantize")) return {};
  const QString text = pseudoText(QString::fromUtf8(source));
  // A right-to-left mark, which sets the direction of the whole, and an override for the letters.
  return m_isRightToLeft ? QChar(0x200f) + (QChar(0x202e) + text) + QChar(0x202c) : text;
}

QString pseudoLanguage() {
  return qEnvironmentVariable(kPseudoVariable);
}

}  // namespace quire::gallery
