#include "app/remote/sse_reader.h"

#include <utility>

namespace quire {

QList<SseEvent> SseReader::append(const QByteArray& bytes) {
  QList<SseEvent> events;
  for (const char c : bytes) {
    if (m_hasFailed) break;
    const bool isPair = std::exchange(m_afterReturn, c == '\r') && c == '\n';
    if (isPair) continue;
    if (c == '\r' || c == '\n') {
      endLine(events);
    } else if (m_line.size() + m_event.data.size() >= kMaxEventBytes) {
      m_hasFailed = true;
    } else {
      m_line += c;
    }
  }
  return events;
}

std::optional<SseEvent> SseReader::finish() {
  QList<SseEvent> events;
  if (m_hasFailed) return {};
  if (!m_line.isEmpty()) endLine(events);
  endLine(events);
  if (events.isEmpty()) return {};
  return events.constFirst();
}

void SseReader::endLine(QList<SseEvent>& events) {
  QByteArray line = std::exchange(m_line, {});
  if (std::exchange(m_isFirstLine, false) && line.startsWith("\xef\xbb\xbf")) line.remove(0, 3);
  if (!line.isEmpty()) return takeField(line);
  SseEvent event = std::exchange(m_event, {});
  if (std::exchange(m_hasData, false)) events.append(std::move(event));
}

void SseReader::takeField(const QByteArray& line) {
  const qsizetype colon = line.indexOf(':');
  const QByteArray name = colon < 0 ? line : line.left(colon);
  QByteArray value = colon < 0 ? QByteArray() : line.mid(colon + 1);
  if (value.startsWith(' ')) value.remove(0, 1);
  if (name == "event") m_event.type = value;
  if (name != "data") return;
  if (std::exchange(m_hasData, true)) m_event.data += '\n';
  m_event.data += value;
}

}  // namespace quire
