// The engine on the CUDA backend, whose sources run under the SIMT harness: graphs, tokens drawn on
// the device, steps that run ahead, and layers on several GPUs.

#include <QScopeGuard>
#include <QTemporaryDir>
#include <QTest>

#include "engine/memory/place_layers.h"
#include "kernels/cuda/cuda_backend.h"
#include "simt/control.h"
#include "tests/engine/engine/engine_test_support.h"
#include "tests/kernels/cuda/gpu_group.h"
#include "tests/support/draft_like.h"
#include "tests/support/must.h"

using namespace quire;
using test::must;

namespace {

constexpr uint64_t kKvBytes = uint64_t{4} << 20;
/// What a GPU leaves to the desktop.
constexpr size_t kReserved = size_t{500} << 20;

/// "cuda:0" and "cuda:1" are GPUs of the harness; "cuda:0+cuda:1" are the first ones together.
Result<std::unique_ptr<Backend>> make_device(const BackendOptions& options) {
  if (options.device == "cpu") return create_backend({.device = "cpu", .num_threads = 1});
  if (const auto joints = std::ranges::count(options.device, '+'); joints > 0) {
    return test::make_gpu_group(static_cast<int>(joints) + 1, options);
  }
  return cuda::CudaBackend::create(options.device == "cuda:1" ? 1 : 0, options);
}

/// The draft model on those devices.
struct Served {
  explicit Served(std::vector<std::string> names, EngineOptions wanted = {})
      : options(std::move(wanted)),
        devices(must(ModelDevices::open_with(std::move(names), make_device))) {
    if (options.kv_bytes == 0) options.kv_bytes = kKvBytes;
    options.max_context = 512;
    engine =
        must(Engine::create(must(load_model(draft_model_folder(), devices, options)), options));
  }

  static Served on_gpu(EngineOptions options = {}) {
    return Served({"cuda:0"}, std::move(options));
  }

  /// All answers together, in the order of the requests.
  std::vector<std::vector<TokenId>> run(const std::vector<Request>& requests) {
    std::map<RequestId, size_t> index;
    std::vector<std::vector<TokenId>> answers(requests.size());
    for (size_t i = 0; i < requests.size(); ++i) {
      const auto id = engine->submit(requests[i]);
      if (!id) qFatal("%s", id.error().message.c_str());
      index[*id] = i;
    }
    while (engine->has_work()) {
      for (const RequestEvent& event : engine->step()) {
        if (!event.error.message.empty()) errors.push_back(event.error.message);
        auto& answer = answers[index.at(event.id)];
        answer.insert(answer.end(), event.tokens.begin(), event.tokens.end());
      }
    }
    return answers;
  }

  uint64_t num_graph_launches() {
    return dynamic_cast<cuda::CudaBackend&>(devices.front()).num_graph_launches();
  }

  EngineOptions options;
  ModelDevices devices;
  std::unique_ptr<Engine> engine;
  std::vector<std::string> errors;
};

/// Answers of different lengths and ways of drawing, over a shared beginning.
std::vector<Request> some_requests(int num_logprobs = -1) {
  const std::vector<TokenId> shared = random_tokens(35, 1);
  std::vector<Request> requests;
  for (int i = 0; i < 5; ++i) {
    Request request;
    request.prompt = joined(shared, random_tokens(3 + 7 * i, static_cast<uint32_t>(10 + i)));
    request.sampling.temperature = i == 0 ? 0.0f : 0.7f;
    request.sampling.top_p = i == 2 ? 0.9f : 1.0f;
    request.sampling.top_k = i == 3 ? 20 : 0;
    request.sampling.repetition_penalty = i == 4 ? 1.2f : 1.0f;
    request.sampling.seed = static_cast<uint64_t>(i);
    request.sampling.max_tokens = 4 + 2 * i;
    request.sampling.ignore_eos = true;
    request.sampling.num_logprobs = num_logprobs;
    requests.push_back(request);
  }
  return requests;
}

}  // namespace

class TestCudaEngine : public QObject {
  Q_OBJECT

 private slots:
  void init() { simt::set_machine({}); }

  void answers_areThoseOfEachChatAlone() {
    Served together = Served::on_gpu();
    const auto answers = together.run(some_requests());
    QVERIFY(together.errors.empty());
    QVERIFY(together.num_graph_launches() > 0);
    const std::vector<Request> requests = some_requests();
    for (size_t i = 0; i < requests.size(); ++i) {
      Served alone = Served::on_gpu();
      QCOMPARE(alone.run({requests[i]})[0], answers[i]);
      QCOMPARE(answers[i].size(), static_cast<size_t>(requests[i].sampling.max_tokens));
    }
  }

  void tokensDrawnOnTheDevice_areThoseDrawnHere() {
    Served device = Served::on_gpu();
    Served here = Served::on_gpu();
    QCOMPARE(device.run(some_requests()), here.run(some_requests(/*num_logprobs=*/0)));
  }

  /// Each answer would stop at once, but not before it has its least length.
  void stopTokens_areHeldBackOnTheDevice() {
    std::vector<Request> requests = some_requests();
    for (size_t i = 0; i < requests.size(); ++i) {
      requests[i].sampling.stop_token_ids = {308};
      requests[i].sampling.logit_bias = {{308, 100.0f}};
      requests[i].sampling.min_tokens = static_cast<int>(i);
    }
    Served device = Served::on_gpu();
    const auto answers = device.run(requests);
    for (size_t i = 0; i < requests.size(); ++i) QCOMPARE(answers[i].size(), i);
    for (Request& request : requests) request.sampling.num_logprobs = 0;
    Served here = Served::on_gpu();
    QCOMPARE(here.run(requests), answers);
  }

  void chatsThatComeAndGo_changeNothing() {
    Served quiet = Served::on_gpu();
    const Request request = some_requests()[3];
    const auto wanted = quiet.run({request})[0];
    Served busy = Served::on_gpu();
    const auto id = busy.engine->submit(request).value();
    std::vector<TokenId> tokens;
    std::vector<RequestId> others;
    for (int step = 0; busy.engine->has_work(); ++step) {
      if (step == 3 || step == 6) {
        others.push_back(busy.engine->submit(some_requests()[1]).value());
      }
      if (step == 8) busy.engine->cancel(others[0]);
      for (const RequestEvent& event : busy.engine->step()) {
        if (event.id == id) tokens.insert(tokens.end(), event.tokens.begin(), event.tokens.end());
      }
    }
    QCOMPARE(tokens, wanted);
    QCOMPARE(busy.engine->stats().used_blocks, 0);
  }

  void pools_thatAreTooSmallPreemptAndGiveTheSameAnswers() {
    std::vector<Request> requests(3);
    for (size_t i = 0; i < requests.size(); ++i) {
      requests[i].prompt = random_tokens(20, static_cast<uint32_t>(i));
      requests[i].sampling = {.seed = i, .max_tokens = 40, .ignore_eos = true};
    }
    Served roomy = Served::on_gpu();
    const auto wanted = roomy.run(requests);
    Served tight = Served::on_gpu({.kv_bytes = 7 * roomy.engine->stats().bytes_per_block});
    QCOMPARE(tight.run(requests), wanted);
    QVERIFY(tight.engine->stats().preemptions > 0);
  }

  /// Layers with a window of 40 tokens, and slots for less than three sequences' windows and rows.
  void windowLayers_giveTheSameAnswersInFewSlots() {
    const QTemporaryDir folder;
    const std::string model = folder.filePath("model").toStdString();
    write_draft_like("gemma3", model + "-draft", {.window = 40});
    qputenv("QUIRE_TEST_MODEL", model.c_str());
    const auto restore = qScopeGuard([] { qunsetenv("QUIRE_TEST_MODEL"); });
    std::vector<Request> requests(3);
    for (size_t i = 0; i < requests.size(); ++i) {
      requests[i].prompt =
          joined(random_tokens(100, 1), random_tokens(50, static_cast<uint32_t>(10 + i)));
      requests[i].sampling = {.temperature = 0.0f, .seed = i, .max_tokens = 40, .ignore_eos = true};
    }
    std::vector<std::vector<TokenId>> wanted;
    size_t part_bytes = 0;
    for (const Request& request : requests) {
      Served alone = Served::on_gpu();
      wanted.push_back(alone.run({request})[0]);
      part_bytes = alone.engine->stats().bytes_per_window;
    }
    Served tight = Served::on_gpu(
        {.kv_bytes = 18 * part_bytes * 3 / 2, .max_batch_tokens = 32, .max_sequences = 8});
    QVERIFY(tight.engine->stats().total_windows <= 18);
    QCOMPARE(tight.run(requests), wanted);
    QVERIFY(tight.num_graph_launches() > 0);
    QCOMPARE(tight.run({requests[1]})[0], wanted[1]);
  }

  /// A layer for multi-token prediction and Medusa heads, whose guesses are right; with kAuto steps
  /// run ahead instead, and the heads are not loaded.
  void ownDrafts_changeNoAnswer_data() {
    QTest::addColumn<bool>("has_heads");
    QTest::addColumn<bool>("is_automatic");
    QTest::newRow("a layer") << false << false;
    QTest::newRow("heads") << true << false;
    QTest::newRow("heads, automatic") << true << true;
  }
  void ownDrafts_changeNoAnswer() {
    QFETCH(const bool, has_heads);
    QFETCH(const bool, is_automatic);
    const QTemporaryDir folder;
    const std::string model = folder.filePath("model").toStdString();
    const std::string heads = folder.filePath("heads").toStdString();
    write_counting_model(model + "-draft");
    write_counting_heads(heads);
    qputenv("QUIRE_TEST_MODEL", model.c_str());
    const auto restore = qScopeGuard([] { qunsetenv("QUIRE_TEST_MODEL"); });
    std::vector<Request> requests = some_requests();
    for (Request& request : requests) request.sampling.max_tokens = 12;
    const auto wanted = Served::on_gpu({.speculation = SpeculationMode::kOff}).run(requests);
    Served served = Served::on_gpu(
        {.speculation = is_automatic ? SpeculationMode::kAuto : SpeculationMode::kAlways,
         .medusa_heads = has_heads ? heads : std::string()});
    QCOMPARE(served.engine->model().decoder->draft_layers() == nullptr, is_automatic);
    QCOMPARE(served.run(requests), wanted);
    QVERIFY(served.errors.empty());
    const EngineStats stats = served.engine->stats();
    QVERIFY(is_automatic || stats.accepted_tokens > 20);
    QVERIFY(!is_automatic || (stats.drafted_tokens == 0 && served.num_graph_launches() > 0));
  }

  void cacheDtypes_allServe_data() {
    QTest::addColumn<int>("dtype");
    for (const DType dtype : {DType::kF32, DType::kF16, DType::kBF16, DType::kF8E4M3, DType::kI8}) {
      QTest::addRow("%s", std::string(dtype_name(dtype)).c_str()) << static_cast<int>(dtype);
    }
  }
  void cacheDtypes_allServe() {
    QFETCH(int, dtype);
    const std::vector<Request> requests = some_requests();
    Served served = Served::on_gpu({.kv_dtype = static_cast<DType>(dtype)});
    const auto answers = served.run({requests[1], requests[2]});
    QVERIFY(served.errors.empty());
    Served again = Served::on_gpu({.kv_dtype = static_cast<DType>(dtype)});
    QCOMPARE(again.run({requests[1]})[0], answers[0]);
  }

  void lostDevices_areStartedAgainAndChatsGoOn_data() {
    QTest::addColumn<int>("nth");
    for (const int nth : {1, 60, 200}) QTest::addRow("launch %d", nth) << nth;
  }
  void lostDevices_areStartedAgainAndChatsGoOn() {
    QFETCH(int, nth);
    const std::vector<Request> requests = some_requests();
    // Gone before the loss: a device begins anew when nobody has it any more.
    const auto wanted = Served::on_gpu().run({requests[1], requests[2]});
    Served served = Served::on_gpu();
    simt::fail_call("cudaLaunchKernelExC", nth, cudaErrorIllegalAddress);
    std::map<RequestId, std::vector<TokenId>> answers;
    const RequestId first = must(served.engine->submit(requests[1]));
    const RequestId second = must(served.engine->submit(requests[2]));
    int losses = 0;
    while (served.engine->has_work()) {
      for (const RequestEvent& event : served.engine->step()) {
        QCOMPARE(event.error.message, std::string());
        auto& answer = answers[event.id];
        answer.insert(answer.end(), event.tokens.begin(), event.tokens.end());
      }
      if (!served.engine->device_failure()) continue;
      QVERIFY(served.engine->device_failure()->message.find("cudaErrorIllegalAddress") !=
              std::string::npos);
      ++losses;
      simt::fail_no_calls();
      const auto reopened = served.engine->reopen(draft_model_folder(), {}, served.devices);
      QVERIFY2(reopened, reopened ? "" : reopened.error().message.c_str());
    }
    QCOMPARE(losses, 1);
    QCOMPARE(answers[first], wanted[0]);
    QCOMPARE(answers[second], wanted[1]);
  }

  void devicesThatStayLost_endAllWithTheReason() {
    Served served = Served::on_gpu();
    must(served.engine->submit(some_requests()[1]));
    simt::fail_call("cudaLaunchKernelExC", 5, cudaErrorIllegalAddress);
    while (!served.engine->device_failure()) served.engine->step();
    simt::fail_call("cudaMalloc", 1, cudaErrorMemoryAllocation, /*stays=*/true);
    const auto reopened = served.engine->reopen(draft_model_folder(), {}, served.devices);
    QVERIFY(!reopened);
    QVERIFY(!served.engine->submit(some_requests()[2]));
    const auto events = served.engine->end_all(reopened.error());
    QCOMPARE(events.size(), size_t{1});
    QCOMPARE(events[0].finish, FinishReason::kFailed);
    QVERIFY(!served.engine->has_work());
  }

  void layers_goToSeveralGpusAndTheCpu() {
    const ModelFiles files = std::move(open_model_files(draft_model_folder())).value();
    const ModelNeeds needs =
        estimate_needs(files, {.max_context = 512, .kv_bytes = kKvBytes}, DType::kF16);
    // Each GPU holds one layer, and half of another.
    const uint64_t usable = needs.work_bytes + needs.end_bytes + needs.layer_bytes[0] * 3 / 2;
    simt::set_machine({.num_devices = 2, .memory_bytes = kReserved + usable});
    Served spread({"cuda:0", "cuda:1", "cpu"});
    const LayerPlacement& placement = spread.engine->model().decoder->placement();
    QCOMPARE(placement.size(), size_t{3});
    QCOMPARE(placement[1].backend->info().name, std::string("cuda:1"));
    QCOMPARE(placement.back().end(), files.config.num_layers);
    const auto answers = spread.run(some_requests());
    QVERIFY(spread.errors.empty());
    QCOMPARE(spread.run({some_requests()[2]})[0], answers[2]);
  }

  void gpusTogether_giveTheAnswersOfOne_data() {
    QTest::addColumn<QString>("names");
    QTest::addColumn<int>("dtype");
    QTest::newRow("2, f16") << "cuda:0+cuda:1" << static_cast<int>(DType::kF16);
    QTest::newRow("2, i8") << "cuda:0+cuda:1" << static_cast<int>(DType::kI8);
    QTest::newRow("3, f16") << "cuda:0+cuda:1+cuda:2" << static_cast<int>(DType::kF16);
    QTest::newRow("4, f16") << "cuda:0+cuda:1+cuda:2+cuda:3" << static_cast<int>(DType::kF16);
  }
  void gpusTogether_giveTheAnswersOfOne() {
    QFETCH(const QString, names);
    QFETCH(const int, dtype);
    const EngineOptions options = {.kv_dtype = static_cast<DType>(dtype)};
    const auto wanted = Served::on_gpu(options).run(some_requests());
    simt::set_machine({.num_devices = 4});
    test::fake_nccl() = {};
    {
      Served together({names.toStdString()}, options);
      QCOMPARE(together.run(some_requests()), wanted);
      QVERIFY(together.errors.empty());
      QVERIFY(simt::num_calls("cudaGraphLaunch") > 0 && test::fake_nccl().num_exchanges > 0);
    }
    QCOMPARE(test::fake_nccl().num_used_when_destroyed, 0);
  }

  /// Their blocks, of which each GPU has the keys and values of one of two KV heads, go to host
  /// memory and come back.
  void gpusTogether_moveBlocks() {
    const QTemporaryDir folder;
    const std::string model = folder.filePath("model").toStdString();
    write_draft_like("gqa_f32", model + "-draft");
    qputenv("QUIRE_TEST_MODEL", model.c_str());
    const auto restore = qScopeGuard([] { qunsetenv("QUIRE_TEST_MODEL"); });
    Served roomy = Served::on_gpu();
    const auto wanted = roomy.run(some_requests());
    EngineOptions tight = {.kv_bytes = 9 * roomy.engine->stats().bytes_per_block};
    tight.host_kv_bytes = kKvBytes;
    simt::set_machine({.num_devices = 2});
    Served together({"cuda:0+cuda:1"}, tight);
    QCOMPARE(together.engine->model().config.num_kv_heads, 2);
    QCOMPARE(together.run(some_requests()), wanted);
    QVERIFY(together.errors.empty());
    QCOMPARE(together.run(some_requests()), wanted);
    QVERIFY2(together.engine->stats().swapped_tokens > 0, "The pool is not tight.");
  }

  /// The GPU that is lost leaves the other one waiting in an exchange.
  void gpusTogether_goOnAfterALoss() {
    const auto wanted = Served::on_gpu().run({some_requests()[1]});
    simt::set_machine({.num_devices = 2});
    Served served({"cuda:0+cuda:1"});
    simt::fail_call("cudaLaunchKernelExC", 60, cudaErrorIllegalAddress);
    must(served.engine->submit(some_requests()[1]));
    std::vector<TokenId> answer;
    int losses = 0;
    while (served.engine->has_work()) {
      for (const RequestEvent& event : served.engine->step()) {
        answer.insert(answer.end(), event.tokens.begin(), event.tokens.end());
      }
      if (!served.engine->device_failure()) continue;
      ++losses;
      simt::fail_no_calls();
      const auto reopened = served.engine->reopen(draft_model_folder(), {}, served.devices);
      QVERIFY2(reopened, reopened ? "" : reopened.error().message.c_str());
    }
    QCOMPARE(losses, 1);
    QCOMPARE(answer, wanted[0]);
  }

  /// Without exchanges the GPUs can still be used apart.
  void exchangesThatFail_loseNoGpu() {
    simt::set_machine({.num_devices = 2});
    const auto restore = qScopeGuard([] { test::fake_nccl().gather_status = 0; });
    auto group = must(test::make_gpu_group(2));
    QVERIFY(measure_group(*group).has_value());
    test::fake_nccl().gather_status = 2;
    const auto failed = measure_group(*group);
    QVERIFY(!failed);
    QVERIFY(failed.error().message.find("NCCL (status 2)") != std::string::npos);
    for (const auto& gpu : separate_devices(std::move(group))) {
      QVERIFY(gpu->allocate(100).has_value() && gpu->synchronize().has_value());
    }
  }

  void groupsThatDoNotConnect_sayWhy() {
    simt::set_machine({.num_devices = 2});
    std::vector<std::unique_ptr<Backend>> gpus;
    for (int i = 0; i < 2; ++i) gpus.push_back(must(cuda::CudaBackend::create(i, {})));
    const auto without = join_devices(gpus);
    QVERIFY(!without && gpus.size() == 2);
    QCOMPARE(without.error().code, ErrorCode::kUnsupported);
    QVERIFY(without.error().message.find("NCCL") != std::string::npos);
    test::fake_nccl().create_status = 5;
    const auto restore = qScopeGuard([] { test::fake_nccl().create_status = 0; });
    const auto refused = test::make_gpu_group(2);
    QVERIFY(!refused);
    QVERIFY(refused.error().message.find("status 5") != std::string::npos);
  }
};

QTEST_APPLESS_MAIN(TestCudaEngine)
#include "tst_cuda_engine.moc"
