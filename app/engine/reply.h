#pragma once

#include <QObject>
#include <QPointer>

#include <atomic>
#include <functional>
#include <memory>
#include <utility>

namespace quire {

/// Runs functions in the thread of a QObject, from its event loop and only while the object lives.
/// Thread: post() from any; the object is destroyed in its own.
class Receiver {
 public:
  explicit Receiver(QObject* object);

  void post(std::function<void()> function, int delayMs = 0) const;
  bool isCurrentThread() const;
  /// Thread: the object's.
  bool isAlive() const { return !m_target->object.isNull(); }

 private:
  struct Target : QObject {
    QPointer<QObject> object;  ///< Read in its thread only.
  };
  std::shared_ptr<Target> m_target;
};

/// A pending reply. Destroying or resetting it withdraws the request: the reply is not delivered
/// any more, if this happens in the thread that would receive it.
class [[nodiscard]] PendingReply {
 public:
  PendingReply() = default;
  explicit PendingReply(std::shared_ptr<std::atomic<bool>> withdrawn)
      : m_withdrawn(std::move(withdrawn)) {}
  ~PendingReply() { reset(); }
  PendingReply(PendingReply&&) = default;
  PendingReply& operator=(PendingReply&& other) noexcept {
    reset();
    m_withdrawn = std::move(other.m_withdrawn);
    return *this;
  }

  void reset() {
    if (const auto withdrawn = std::exchange(m_withdrawn, nullptr)) *withdrawn = true;
  }
  /// False: there was no request, or it was withdrawn. Delivering the reply does not change it.
  explicit operator bool() const { return m_withdrawn != nullptr; }

 private:
  std::shared_ptr<std::atomic<bool>> m_withdrawn;
};

/// A callback for the reply to one request. It is called once or never.
/// Thread: the call from any.
template <typename T>
class Reply {
 public:
  using Function = std::function<void(const T&)>;

  /// `function` is called on a thread of the backend that answers.
  Reply(Function function) : m_function(std::move(function)) {}
  /// `function` is called in the receiver's thread, after the request has returned, and not at all
  /// if the receiver was destroyed.
  Reply(QObject* receiver, Function function)
      : m_function(std::move(function)), m_receiver(std::make_shared<Receiver>(receiver)) {}

  void operator()(const T& value) const {
    auto call = [withdrawn = m_withdrawn, function = m_function, value] {
      if (!*withdrawn) function(value);
    };
    m_receiver ? m_receiver->post(std::move(call)) : call();
  }
  bool isWithdrawn() const { return *m_withdrawn; }
  PendingReply pending() const { return PendingReply(m_withdrawn); }

 private:
  Function m_function;
  std::shared_ptr<Receiver> m_receiver;
  std::shared_ptr<std::atomic<bool>> m_withdrawn = std::make_shared<std::atomic<bool>>(false);
};

}  // namespace quire
