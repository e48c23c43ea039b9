#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace quire {

/// Carries out what is too slow for the window's thread, one after the other.
/// Thread: public calls from any.
/// Invariants: the destructor returns after the task under way; those behind it are dropped.
class TaskThread {
 public:
  TaskThread() : m_thread([this] { run(); }) {}
  ~TaskThread() {
    {
      const std::lock_guard lock(m_mutex);
      m_stopping = true;
    }
    m_changed.notify_all();
    m_thread.join();
  }
  TaskThread(const TaskThread&) = delete;
  TaskThread& operator=(const TaskThread&) = delete;

  void post(std::function<void()> task) {
    {
      const std::lock_guard lock(m_mutex);
      m_tasks.push_back(std::move(task));
    }
    m_changed.notify_all();
  }

 private:
  void run() {
    std::unique_lock lock(m_mutex);
    while (true) {
      m_changed.wait(lock, [this] { return m_stopping || !m_tasks.empty(); });
      if (m_stopping) return;
      const std::function<void()> task = std::move(m_tasks.front());
      m_tasks.pop_front();
      lock.unlock();
      task();
      lock.lock();
    }
  }

  std::mutex m_mutex;  ///< Guards the rest.
  std::condition_variable m_changed;
  std::deque<std::function<void()>> m_tasks;
  bool m_stopping = false;
  std::thread m_thread;  ///< Last: started when all of the above is there.
};

}  // namespace quire
