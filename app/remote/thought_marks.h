#pragma once

#include <QString>

#include <utility>

namespace quire {

/// Puts reasoning that an endpoint sends apart from the text between <think> and </think>, where
/// local models have it.
class ThoughtMarks {
 public:
  /// An answer that is continued has no reasoning any more: what comes of it is left out.
  void skipReasoning() { m_skips = true; }

  QString add(const QString& reasoning, const QString& text) {
    QString marked;
    if (!reasoning.isEmpty() && !m_skips) {
      if (!std::exchange(m_isOpen, true)) marked += QStringLiteral("<think>");
      marked += reasoning;
    }
    if (text.isEmpty()) return marked;
    return marked + close() + text;
  }
  /// The text that ends reasoning which is still open.
  QString close() {
    return std::exchange(m_isOpen, false) ? QStringLiteral("</think>\n\n") : QString();
  }

 private:
  bool m_isOpen = false;
  bool m_skips = false;
};

}  // namespace quire
