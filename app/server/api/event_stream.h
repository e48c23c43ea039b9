#pragma once

#include <memory>
#include <string>
#include <utility>

#include "app/server/http/http_message.h"

namespace quire {

/// A response of server-sent events, or of one JSON object a line.
/// Thread: that of the caller; calls come one after the other.
class EventStream {
 public:
  enum class Form { kEvents, kJsonLines };
  explicit EventStream(std::shared_ptr<HttpExchange> exchange, Form form = Form::kEvents)
      : m_exchange(std::move(exchange)), m_form(form) {}

  /// "data: {json}\n\n", after "event: {name}\n" if there is a name; or the line of JSON. The first
  /// one begins the response.
  void send(const std::string& json, const std::string& name = {});
  /// Ends the response, after "data: {last}\n\n" if there is a last event ("[DONE]").
  void end(const std::string& last = {});
  bool hasBegun() const { return m_hasBegun; }

 private:
  void write(std::string part);

  const std::shared_ptr<HttpExchange> m_exchange;
  const Form m_form;
  bool m_hasBegun = false;
};

}  // namespace quire
