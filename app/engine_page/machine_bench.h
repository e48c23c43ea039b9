#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>

#include <functional>
#include <memory>
#include <vector>

#include "app/engine/chat_backend.h"
#include "app/engine/model_manager.h"
#include "app/machine/bench_text.h"
#include "app/task_runner.h"

namespace quire {

class BenchRequests;

/// Measures the primary model on this machine with one chat and with several, and makes a text of
/// it that can be shared: it holds no private data (app/machine/bench_text.h).
///
/// Thread: the window's; the memory is measured on a thread of its own.
/// Invariants: nothing is measured beside a chat that is being answered.
class MachineBench : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by AppModel.")
  Q_PROPERTY(bool isRunning READ isRunning NOTIFY changed)
  Q_PROPERTY(double progress READ progress NOTIFY changed)
  Q_PROPERTY(QString text READ text NOTIFY changed)
  Q_PROPERTY(QString notice READ notice NOTIFY changed)

 public:
  MachineBench(ChatBackend& backend, ModelManager& manager, QObject* parent = nullptr);
  ~MachineBench() override;

  /// `describe` says what is known of the model with that path, without its file's name.
  void setDescribe(std::function<BenchModel(const QString& path)> describe) {
    m_describe = std::move(describe);
  }

  bool isRunning() const { return m_isRunning; }
  double progress() const;
  QString text() const { return m_text; }      ///< The result; empty: there is none.
  QString notice() const { return m_notice; }  ///< Why nothing is measured; else empty.

  Q_INVOKABLE void start();
  Q_INVOKABLE void cancel();
  Q_INVOKABLE void copy() const;
  Q_INVOKABLE void dismiss();

 signals:
  void changed();

 private:
  void measureNext();
  void onMeasured(const BenchFigures& figures);
  void onThroughput(int running);
  void end(const QString& notice);

  ChatBackend& m_backend;
  ModelManager& m_manager;
  std::function<BenchModel(const QString& path)> m_describe;
  bool m_isRunning = false;
  BenchReport m_report;
  BenchFigures m_probe;
  size_t m_stage = 0;  ///< 0: the machine; 1: the probe; then kBenchChats.
  std::shared_ptr<BenchRequests> m_requests;
  std::vector<RequestId> m_ids;  ///< Of m_requests.
  QString m_text;
  QString m_notice;
  TaskRunner m_tasks;
};

}  // namespace quire
