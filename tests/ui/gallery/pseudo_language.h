#pragma once

#include <QTranslator>

namespace quire::gallery {

/// A language made of English: longer, with accents on its letters and in brackets, so that a text
/// that has too little room is seen, and one that nobody translates. Also from right to left.
/// Places (%1), keys, options and addresses stay.
///
/// Thread: the window's.
class PseudoLanguage : public QTranslator {
 public:
  explicit PseudoLanguage(bool isRightToLeft) : m_isRightToLeft(isRightToLeft) {}

  bool isEmpty() const override { return false; }
  QString translate(const char* context, const char* source, const char* comment = nullptr,
                    int n = -1) const override;

 private:
  const bool m_isRightToLeft;
};

/// The text in that language: "Save" is "[Šávééé]".
QString pseudoText(const QString& english);

/// The language of this process: "pseudo" or "rtl" instead of one of the window's; else empty.
QString pseudoLanguage();
/// Tells the processes of the gallery.
inline constexpr const char* kPseudoVariable = "QUIRE_GALLERY_PSEUDO";

}  // namespace quire::gallery
