#pragma once

#include <QByteArray>
#include <QList>

#include <optional>

namespace quire {

struct SseEvent {
  QByteArray type;  ///< Empty: "message".
  QByteArray data;  ///< Lines are joined by a line feed.

  bool operator==(const SseEvent&) const = default;
};

/// Reads server-sent events (WHATWG HTML, 9.2) from bytes in pieces of any size. Lines may end with
/// CR, LF or both; comments, ids and retry times are skipped.
///
/// Invariants: the events do not depend on the pieces in which the bytes arrive; after a failure
/// nothing more is read.
class SseReader {
 public:
  static constexpr qsizetype kMaxEventBytes = 4 << 20;

  QList<SseEvent> append(const QByteArray& bytes);
  /// The stream has ended: the last event, if its empty line is missing.
  std::optional<SseEvent> finish();
  /// An event was longer than kMaxEventBytes.
  bool hasFailed() const { return m_hasFailed; }

 private:
  void endLine(QList<SseEvent>& events);
  void takeField(const QByteArray& line);

  QByteArray m_line;
  SseEvent m_event;
  bool m_hasData = false;
  bool m_afterReturn = false;  ///< The last byte was CR: a line feed belongs to it.
  bool m_isFirstLine = true;
  bool m_hasFailed = false;
};

}  // namespace quire
