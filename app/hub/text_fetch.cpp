#include "app/hub/text_fetch.h"

#include <QElapsedTimer>
#include <QTimer>

#include <memory>
#include <utility>

namespace quire {
namespace {

/// Deletes itself after its reply.
class TextFetch : public QObject {
 public:
  TextFetch(FetchRequest request, const RemoteTimeouts& timeouts, TextRetries retries,
            qsizetype mostBytes, QObject* parent, TextReply reply)
      : QObject(parent),
        m_request(std::move(request)),
        m_timeouts(timeouts),
        m_retries(std::move(retries)),
        m_mostBytes(mostBytes),
        m_reply(std::move(reply)),
        m_clock(m_retries.limits) {
    m_timer.start();
    ask();
  }

 private:
  void ask() {
    fetchText(m_request, m_timeouts, m_mostBytes, this,
              [this](const FetchedText& text, const HubFailure* failure) { on(text, failure); });
  }

  void on(const FetchedText& text, const HubFailure* failure) {
    if (failure != nullptr && failure->isTransient) {
      if (const auto pause = m_clock.next(m_timer.elapsed(), failure->retryAfterMs)) {
        if (m_retries.waiting) m_retries.waiting(*failure, *pause);
        return QTimer::singleShot(static_cast<int>(*pause), this, [this] { ask(); });
      }
    }
    const TextReply reply = m_reply;  // It may destroy this object.
    deleteLater();
    reply(text, failure);
  }

  const FetchRequest m_request;
  const RemoteTimeouts m_timeouts;
  const TextRetries m_retries;
  const qsizetype m_mostBytes;
  const TextReply m_reply;
  RetryClock m_clock;
  QElapsedTimer m_timer;
};

}  // namespace

void fetchText(const FetchRequest& request, const RemoteTimeouts& timeouts, qsizetype mostBytes,
               QObject* parent, TextReply reply) {
  struct Fetching {
    FetchedText text;
    HttpFetch* fetch = nullptr;
  };
  const auto fetching = std::make_shared<Fetching>();
  const auto answer = [fetching, reply](const HubFailure* failure) {
    fetching->fetch->stop();
    fetching->fetch->deleteLater();
    reply(fetching->text, failure);
  };
  FetchHandlers handlers;
  handlers.head = [fetching](const ResponseHead& head) {
    fetching->text.head = head;
    return std::optional<HubFailure>();
  };
  handlers.body = [fetching, answer, mostBytes, url = request.url](const QByteArray& bytes) {
    fetching->text.body += bytes;
    if (fetching->text.body.size() <= mostBytes) return;
    const HubFailure tooLarge = unreadable(url, "it is too large");
    answer(&tooLarge);
  };
  handlers.ended = [answer](const std::optional<HubFailure>& failure) {
    answer(failure ? &*failure : nullptr);
  };
  fetching->fetch = new HttpFetch(request, timeouts, std::move(handlers), parent);
}

void fetchTextWithRetries(const FetchRequest& request, const RemoteTimeouts& timeouts,
                          const TextRetries& retries, qsizetype mostBytes, QObject* parent,
                          TextReply reply) {
  new TextFetch(request, timeouts, retries, mostBytes, parent, std::move(reply));
}

}  // namespace quire
