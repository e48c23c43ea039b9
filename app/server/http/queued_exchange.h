#pragma once

#include <memory>
#include <utility>

#include "app/server/http/byte_budget.h"
#include "app/server/http/http_message.h"
#include "app/server/http/response_queue.h"

namespace quire {

/// The exchange that a handler gets: its end abandons a response that has not ended.
class QueuedExchange : public HttpExchange {
 public:
  QueuedExchange(HttpRequest request, ByteShare share, std::shared_ptr<ResponseQueue> queue)
      : m_request(std::move(request)), m_share(std::move(share)), m_queue(std::move(queue)) {}
  ~QueuedExchange() override {
    m_queue->abandon(503, "The request was dropped before it was answered.", m_request.path);
  }

  const HttpRequest& request() const override { return m_request; }
  void respond(HttpResponse response) override { m_queue->respond(std::move(response)); }
  void begin(HttpResponse response) override { m_queue->begin(std::move(response)); }
  void write(std::string part) override { m_queue->write(std::move(part)); }
  void end() override { m_queue->end(); }
  void on_closed(std::function<void()> closed) override { m_queue->on_closed(std::move(closed)); }
  bool is_closed() const override { return m_queue->is_closed(); }

 private:
  const HttpRequest m_request;
  const ByteShare m_share;
  const std::shared_ptr<ResponseQueue> m_queue;
};

}  // namespace quire
