#include <simt/control.h>

#include <QtTest>

#include "tests/support/simt/simt_test_support.h"

namespace {

__global__ void add(int* x, int value) {
  x[threadIdx.x] += value;
}

}  // namespace

class TestSimtGraphs : public QObject {
  Q_OBJECT

 private slots:
  void init();
  void cleanup();
  void capture_recordsAndRunsNothing();
  void graph_replaysOverOtherContents();
  void graph_outlivesWhatItWasMadeOf();
  void capture_refusesToWait();
  void capture_refusesToAllocate();
  void capture_joinsOtherStreams();
  void capture_mustBeJoined();
  void defaultStream_cannotBeCaptured();

 private:
  cudaGraph_t end_capture(cudaError_t expected = cudaSuccess);

  cudaStream_t m_stream = nullptr;
  cudaStream_t m_other = nullptr;
};

void TestSimtGraphs::init() {
  simt::set_machine({});
  QCOMPARE(cudaStreamCreateWithFlags(&m_stream, cudaStreamNonBlocking), cudaSuccess);
  QCOMPARE(cudaStreamCreateWithFlags(&m_other, cudaStreamNonBlocking), cudaSuccess);
}

void TestSimtGraphs::cleanup() {
  cudaStreamDestroy(m_stream);
  cudaStreamDestroy(m_other);
}

cudaGraph_t TestSimtGraphs::end_capture(cudaError_t expected) {
  cudaGraph_t graph = nullptr;
  const cudaError_t status = cudaStreamEndCapture(m_stream, &graph);
  if (status != expected) qWarning("EndCapture: %s", cudaGetErrorName(status));
  return status == expected ? graph : nullptr;
}

void TestSimtGraphs::capture_recordsAndRunsNothing() {
  const OnDevice<int> x(32);
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusActive;
  QCOMPARE(cudaStreamIsCapturing(m_stream, &status), cudaSuccess);
  QCOMPARE(status, cudaStreamCaptureStatusNone);
  QCOMPARE(cudaStreamBeginCapture(m_stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
  QCOMPARE(cudaStreamBeginCapture(m_stream, cudaStreamCaptureModeThreadLocal),
           cudaErrorIllegalState);
  QCOMPARE(launch(&add, {1, 32, 0, m_stream}, x.data(), 1), cudaSuccess);
  QCOMPARE(cudaStreamIsCapturing(m_stream, &status), cudaSuccess);
  QCOMPARE(status, cudaStreamCaptureStatusActive);
  const cudaGraph_t graph = end_capture();
  QVERIFY(graph != nullptr);
  QCOMPARE(cudaStreamSynchronize(m_stream), cudaSuccess);
  QCOMPARE(simt::num_kernels_run(), size_t{0});
  QCOMPARE(cudaGraphDestroy(graph), cudaSuccess);
}

void TestSimtGraphs::graph_replaysOverOtherContents() {
  const OnDevice<int> x(32);
  std::vector<int> in(32, 5);
  std::vector<int> out(32);
  cudaStreamBeginCapture(m_stream, cudaStreamCaptureModeThreadLocal);
  cudaMemcpyAsync(x.data(), in.data(), 128, cudaMemcpyHostToDevice, m_stream);
  int value = 1;
  launch(&add, {1, 32, 0, m_stream}, x.data(), value);
  value = 1000;  // Arguments are taken by value.
  cudaMemcpyAsync(out.data(), x.data(), 128, cudaMemcpyDeviceToHost, m_stream);
  const cudaGraph_t graph = end_capture();
  cudaGraphExec_t executable = nullptr;
  QCOMPARE(cudaGraphInstantiate(&executable, graph), cudaSuccess);
  for (const int content : {5, 50}) {
    in.assign(32, content);
    QCOMPARE(cudaGraphLaunch(executable, m_stream), cudaSuccess);
    QVERIFY(out[0] != content + 1);
    QCOMPARE(cudaStreamSynchronize(m_stream), cudaSuccess);
    QCOMPARE(out, std::vector<int>(32, content + 1));
  }
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
}

void TestSimtGraphs::graph_outlivesWhatItWasMadeOf() {
  const OnDevice<int> x(32);
  cudaStreamBeginCapture(m_stream, cudaStreamCaptureModeGlobal);
  launch(&add, {1, 32, 0, m_stream}, x.data(), 3);
  const cudaGraph_t graph = end_capture();
  cudaGraphExec_t executable = nullptr;
  QCOMPARE(cudaGraphInstantiate(&executable, graph), cudaSuccess);
  QCOMPARE(cudaGraphDestroy(graph), cudaSuccess);
  QCOMPARE(cudaGraphLaunch(executable, m_other), cudaSuccess);
  QCOMPARE(cudaGraphExecDestroy(executable), cudaSuccess);
  QCOMPARE(cudaStreamSynchronize(m_other), cudaSuccess);
  QCOMPARE(x.values()[31], 3);
}

void TestSimtGraphs::capture_refusesToWait() {
  cudaStreamBeginCapture(m_stream, cudaStreamCaptureModeThreadLocal);
  QCOMPARE(cudaStreamSynchronize(m_stream), cudaErrorStreamCaptureUnsupported);
  const OnDevice<int> x(1);
  QCOMPARE(launch(&add, {1, 1, 0, m_stream}, x.data(), 1), cudaErrorStreamCaptureInvalidated);
  end_capture(cudaErrorStreamCaptureInvalidated);
  QCOMPARE(cudaStreamSynchronize(m_stream), cudaSuccess);
  cudaStreamBeginCapture(m_stream, cudaStreamCaptureModeRelaxed);
  QCOMPARE(cudaDeviceSynchronize(), cudaErrorStreamCaptureUnsupported);
  end_capture(cudaErrorStreamCaptureInvalidated);
}

void TestSimtGraphs::capture_refusesToAllocate() {
  int* x = nullptr;
  cudaStreamBeginCapture(m_stream, cudaStreamCaptureModeThreadLocal);
  QCOMPARE(cudaMalloc(&x, 4), cudaErrorStreamCaptureUnsupported);
  end_capture(cudaErrorStreamCaptureInvalidated);
  cudaStreamBeginCapture(m_stream, cudaStreamCaptureModeRelaxed);
  QCOMPARE(cudaMalloc(&x, 4), cudaSuccess);
  cudaGraphDestroy(end_capture());
  QCOMPARE(cudaFree(x), cudaSuccess);
}

void TestSimtGraphs::capture_joinsOtherStreams() {
  const OnDevice<int> x(32);
  cudaEvent_t forked = nullptr;
  cudaEvent_t done = nullptr;
  cudaEventCreate(&forked);
  cudaEventCreate(&done);
  cudaStreamBeginCapture(m_stream, cudaStreamCaptureModeThreadLocal);
  launch(&add, {1, 32, 0, m_stream}, x.data(), 1);
  QCOMPARE(cudaEventRecord(forked, m_stream), cudaSuccess);
  QCOMPARE(cudaStreamWaitEvent(m_other, forked), cudaSuccess);
  QCOMPARE(launch(&add, {1, 32, 0, m_other}, x.data(), 10), cudaSuccess);
  QCOMPARE(cudaEventRecord(done, m_other), cudaSuccess);
  QCOMPARE(cudaEventSynchronize(done), cudaErrorCapturedEvent);
  QCOMPARE(cudaStreamWaitEvent(m_stream, done), cudaSuccess);
  const cudaGraph_t graph = end_capture();
  QVERIFY(graph != nullptr);
  cudaGraphExec_t executable = nullptr;
  QCOMPARE(cudaGraphInstantiate(&executable, graph), cudaSuccess);
  QCOMPARE(cudaGraphLaunch(executable, m_stream), cudaSuccess);
  QCOMPARE(cudaStreamSynchronize(m_stream), cudaSuccess);
  QCOMPARE(x.values()[0], 11);
  // The other stream is an ordinary one again.
  launch(&add, {1, 32, 0, m_other}, x.data(), 100);
  QCOMPARE(cudaStreamSynchronize(m_other), cudaSuccess);
  QCOMPARE(x.values()[0], 111);
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
  cudaEventDestroy(forked);
  cudaEventDestroy(done);
}

void TestSimtGraphs::capture_mustBeJoined() {
  const OnDevice<int> x(32);
  cudaEvent_t forked = nullptr;
  cudaEventCreate(&forked);
  cudaStreamBeginCapture(m_stream, cudaStreamCaptureModeThreadLocal);
  cudaEventRecord(forked, m_stream);
  cudaStreamWaitEvent(m_other, forked);
  launch(&add, {1, 32, 0, m_other}, x.data(), 10);
  QVERIFY(end_capture(cudaErrorStreamCaptureUnjoined) == nullptr);
  cudaEventDestroy(forked);
}

void TestSimtGraphs::defaultStream_cannotBeCaptured() {
  QCOMPARE(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal),
           cudaErrorStreamCaptureUnsupported);
}

QTEST_GUILESS_MAIN(TestSimtGraphs)
#include "tst_simt_graphs.moc"
