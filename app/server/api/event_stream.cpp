#include "app/server/api/event_stream.h"

namespace quire {

void EventStream::send(const std::string& json, const std::string& name) {
  if (m_form == Form::kJsonLines) return write(json + "\n");
  const std::string event = name.empty() ? std::string() : "event: " + name + "\n";
  write(event + "data: " + json + "\n\n");
}

void EventStream::end(const std::string& last) {
  if (!last.empty()) write("data: " + last + "\n\n");
  m_exchange->end();
}

void EventStream::write(std::string part) {
  if (m_hasBegun) return m_exchange->write(std::move(part));
  m_hasBegun = true;
  const char* const type =
      m_form == Form::kEvents ? "text/event-stream; charset=utf-8" : "application/x-ndjson";
  m_exchange->begin({.status = 200,
                     .fields = {{"Content-Type", type}, {"Cache-Control", "no-cache"}},
                     .body = std::move(part)});
}

}  // namespace quire
