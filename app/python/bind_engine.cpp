#include <optional>
#include <utility>

#include "app/python/bindings.h"
#include "app/python/engine_loop.h"

namespace quire {
namespace {

namespace py = pybind11;

/// Whether the model is loaded; waits a moment for it, after which signals can be handled.
bool wait_until_loaded(EngineLoop& loop, double seconds) {
  const auto most = std::chrono::milliseconds(static_cast<int64_t>(seconds * 1000.0));
  const auto loaded = unlocked([&] { return loop.wait_until_loaded(most); });
  if (loaded) value_or_raise(*loaded);
  return loaded.has_value();
}

struct Submission {
  std::vector<TokenId> prompt;
  SamplingParams sampling;
  int answered = 0;
  int priority = 0;
  std::string adapter;
  // Of what the answer must be at most one:
  std::optional<std::string> schema;
  std::optional<std::vector<std::string>> choices;
};

Result<std::shared_ptr<const Grammar>> grammar_of(EngineLoop& loop, const Submission& submission) {
  if (submission.schema) return loop.grammar(*submission.schema);
  if (submission.choices) return loop.choice_grammar(*submission.choices);
  return std::shared_ptr<const Grammar>();
}

RequestId submit(EngineLoop& loop, const Submission& submission, std::shared_ptr<Inbox> inbox) {
  return value_or_raise(unlocked([&] {
    Request request{.prompt = submission.prompt,
                    .sampling = submission.sampling,
                    .answered = submission.answered,
                    .priority = submission.priority};
    auto grammar = grammar_of(loop, submission);
    if (!grammar) return Result<RequestId>(grammar.error());
    request.sampling.grammar = std::move(*grammar);
    return loop.submit(std::move(request), submission.adapter, std::move(inbox));
  }));
}

std::vector<std::vector<float>> embed(EngineLoop& loop, std::vector<std::vector<TokenId>> texts,
                                      bool normalizes) {
  const EmbedOptions options{.pooling = loop.model().pooling, .normalizes = normalizes};
  return value_or_raise(unlocked([&] { return loop.embed(std::move(texts), options); }));
}

py::dict stats(EngineLoop& loop) {
  const EngineStats stats = value_or_raise(unlocked([&] { return loop.stats(); }));
  py::dict dict;
  dict["running"] = stats.running;
  dict["waiting"] = stats.waiting;
  dict["steps"] = stats.steps;
  dict["prompt_tokens"] = stats.prompt_tokens;
  dict["cached_tokens"] = stats.cached_tokens;
  dict["computed_tokens"] = stats.computed_tokens;
  dict["output_tokens"] = stats.output_tokens;
  dict["preemptions"] = stats.preemptions;
  dict["total_blocks"] = stats.total_blocks;
  dict["used_blocks"] = stats.used_blocks;
  dict["cached_blocks"] = stats.cached_blocks;
  return dict;
}

void bind_model(py::module_& module) {
  py::class_<LoopModel>(module, "Model")
      .def_readonly("name", &LoopModel::name)
      .def_readonly("device", &LoopModel::device)
      .def_readonly("gpu_reason", &LoopModel::gpu_reason)
      .def_readonly("uses_gpu", &LoopModel::uses_gpu)
      .def_readonly("vocab_size", &LoopModel::vocab_size)
      .def_readonly("hidden_size", &LoopModel::hidden_size)
      .def_readonly("max_context", &LoopModel::max_context)
      .def_readonly("sampling", &LoopModel::sampling);
}

}  // namespace

void bind_engine(py::module_& module) {
  bind_model(module);
  py::class_<Submission>(module, "Submission")
      .def(py::init<>())
      .def_readwrite("prompt", &Submission::prompt)
      .def_readwrite("sampling", &Submission::sampling)
      .def_readwrite("answered", &Submission::answered)
      .def_readwrite("priority", &Submission::priority)
      .def_readwrite("adapter", &Submission::adapter)
      .def_readwrite("schema", &Submission::schema)
      .def_readwrite("choices", &Submission::choices);
  py::class_<EngineLoop, std::shared_ptr<EngineLoop>>(module, "Engine")
      .def(py::init(&EngineLoop::start))
      .def("wait_until_loaded", &wait_until_loaded)
      .def_property_readonly("model", &EngineLoop::model, py::return_value_policy::copy)
      .def("submit", &submit)
      .def("cancel", &EngineLoop::cancel)
      .def("cancel_all", &EngineLoop::cancel_all)
      .def("embed", &embed)
      .def("stats", &stats)
      .def("stop", [](EngineLoop& loop) { unlocked([&] { loop.stop(); }); });
}

}  // namespace quire
